import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { challengeParameter } from "#app/http/sign-in-request.server.ts";
import type { LoginState } from "#app/ui/page-state.ts";
import { SIGN_IN_FORM } from "./login-form.tsx";
import type { LoginPageData } from "./login-page.server.ts";
import { loginTitle } from "./login-page.tsx";

/**
 * Loads the sign-in form while the database is unavailable, from the posted fields alone. The challenge and the
 * anti-forgery token are the posted ones, which are checked when the form is sent again.
 */
export async function loadUnavailableForm(
  context: LoadContext,
  request: Request,
  posted: (name: "login_challenge" | "username" | "_xsrf") => string,
): Promise<LoginPageData> {
  context.allowFormsToLeave();
  const state: LoginState = {
    reg_hints: [],
    error: "overloaded",
    login_challenge: posted("login_challenge") || challengeParameter(request),
    xsrf_token: posted("_xsrf"),
  };
  return {
    status: htmlStatus(state.error),
    title: loginTitle(await textsOf(context, request), state),
    state,
    client: null,
    username: posted("username").slice(0, LOGIN_NAME_MAX_LENGTH),
    providers: context.upstream.providers,
    languageForm: { id: SIGN_IN_FORM, path: "/login/native" },
  };
}
