import { open } from "#tests/http/oidc/person.ts";
import type { Answer, Browser, FormValues, RequestOptions } from "#tests/support/browser-jar.ts";

/** A sign-in form as a browser has it open. */
export type OpenForm = {
  browser: Browser;
  page: Answer;
  challenge: string;
  xsrf: string;
  /** Posts the form; `typed` comes on top of its hidden fields. */
  post(typed: FormValues, options?: RequestOptions): Promise<Answer>;
};

/** Opens an address that leads to the sign-in form, and takes its hidden fields out. */
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

/** The page's state, as it stands in `data-state`. */
export function stateOf(answer: Answer): Record<string, unknown> {
  return answer.page().state();
}

/** The tokens in a page's state; empty where it has none. */
export function tokensOf(answer: Answer) {
  const { login_challenge, consent_challenge, logout_challenge, xsrf_token } = stateOf(answer);
  return {
    login_challenge: String(login_challenge ?? ""),
    consent_challenge: String(consent_challenge ?? ""),
    logout_challenge: String(logout_challenge ?? ""),
    xsrf_token: String(xsrf_token ?? ""),
  };
}

/** The status and the error of a page, null without one. */
export function refusalOf(answer: Answer): { status: number; error: unknown } {
  return { status: answer.status, error: answer.location === null ? (stateOf(answer).error ?? null) : null };
}
