import type { Provider } from "#app/domain/external-account/providers.ts";
import type { LoadContext } from "#app/edge/load-context.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { loginTitle } from "#app/screens/login.tsx";
import type { LoginState } from "#app/screens/page-state.ts";
import type { LoginView } from "./login.server.ts";
import { textsOf } from "./page-view.server.ts";

/** The page for an answer of a provider that belongs to no sign-in of this browser: nothing is known, and nothing done. */
export async function lostSignInView(context: LoadContext, request: Request, provider: Provider): Promise<LoginView> {
  const state: LoginState = {
    reg_hints: [],
    login_challenge: "",
    login_result: { status: "failed", code: "challenge", to_app_url: context.config.appUrl },
    xsrf_token: issueXsrf(context, bindingOf(context, await context.session())),
  };
  const title = loginTitle(await textsOf(context, request), state);
  return { status: 400, title, state, client: null, username: "", providers: [], provider };
}
