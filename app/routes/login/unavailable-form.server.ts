import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { challengeParameter } from "#app/http/sign-in-request.server.ts";
import type { LoginState } from "#app/ui/page-state.ts";
import { RESTART_FORM } from "#app/ui/restart-form.tsx";
import { SIGN_IN_FORM } from "./login-form.tsx";
import type { LoginPageData } from "./login-page.server.ts";
import { loginTitle } from "./login-page.tsx";

/** The posted fields of which a page consists while the database is unavailable. */
type Posted = { login_challenge: string; username: string; _xsrf: string };

/**
 * Loads the sign-in form while the database is unavailable, from the posted fields alone. The challenge and the
 * anti-forgery token are the posted ones, which are checked when the form is sent again.
 */
export async function loadUnavailableForm(
  context: LoadContext,
  request: Request,
  posted: (name: keyof Posted) => string,
): Promise<LoginPageData> {
  const login_challenge = posted("login_challenge") || challengeParameter(request);
  const page = await loadUnavailable(context, request, {
    login_challenge,
    username: posted("username"),
    _xsrf: posted("_xsrf"),
  });
  return { ...page, providers: context.upstream.providers, languageForm: { id: SIGN_IN_FORM, path: "/login/native" } };
}

/** Loads the form that restarts a request, in the same way. */
export async function loadUnavailableRestart(
  context: LoadContext,
  request: Request,
  posted: Posted,
): Promise<LoginPageData> {
  const page = await loadUnavailable(context, request, posted);
  const { username, state } = page;
  return {
    ...page,
    providers: [],
    nextStep: { kind: "restart", reason: "unavailable", challenge: state.login_challenge, username },
    languageForm: { id: RESTART_FORM, path: "/login/native" },
  };
}

async function loadUnavailable(context: LoadContext, request: Request, { login_challenge, username, _xsrf }: Posted) {
  context.allowFormsToLeave();
  const state: LoginState = { reg_hints: [], error: "overloaded", login_challenge, xsrf_token: _xsrf };
  return {
    status: htmlStatus(state.error),
    title: loginTitle(await textsOf(context, request), state),
    state,
    client: null,
    username: username.slice(0, LOGIN_NAME_MAX_LENGTH),
  };
}
