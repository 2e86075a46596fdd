import type { Provider } from "#app/domain/external-account/providers.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import type { LoginView } from "#app/routes/login/login-page.server.ts";
import { loginTitle } from "#app/routes/login/login-page.tsx";
import type { LoginState } from "#app/ui/page-state.ts";

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
