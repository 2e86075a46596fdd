import { open } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, FormValues, HttpResponse, RequestOptions } from "#tests/support/browser-jar.ts";

/** A sign-in form that is open in a browser. */
export type OpenForm = {
  browser: Browser;
  page: HttpResponse;
  challenge: string;
  xsrf: string;
  /** Posts the form; `typed` is added to its hidden fields. */
  post(typed: FormValues, options?: RequestOptions): Promise<HttpResponse>;
};

/** Opens a URL that leads to the sign-in form, and reads its hidden fields. */
export async function openForm(browser: Browser, url: string): Promise<OpenForm> {
  const page = await open(browser, url);
  const { login_challenge: challenge, xsrf_token: xsrf } = tokensOf(page);
  return {
    browser,
    page,
    challenge,
    xsrf,
    post: (typed, options) =>
      browser.post("/login/native", { _xsrf: xsrf, login_challenge: challenge, ...typed }, options),
  };
}

/** Returns the page's state from `data-state`. */
export function stateOf(response: HttpResponse): Record<string, unknown> {
  return response.page().state();
}

/** Returns the tokens of a page's state; empty if there are none. */
export function tokensOf(response: HttpResponse) {
  const { login_challenge, consent_challenge, logout_challenge, xsrf_token } = stateOf(response);
  return {
    login_challenge: String(login_challenge ?? ""),
    consent_challenge: String(consent_challenge ?? ""),
    logout_challenge: String(logout_challenge ?? ""),
    xsrf_token: String(xsrf_token ?? ""),
  };
}

/** Returns the status and the error of a page; null without one. */
export function refusalOf(response: HttpResponse): { status: number; error: unknown } {
  return { status: response.status, error: response.location === null ? (stateOf(response).error ?? null) : null };
}
