import { type OpenForm, openForm, stateOf } from "#tests/http/login/open-form.ts";
import type { Answer, Browser, FormValues } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";

/** The second step as a browser has it open. */
export type OpenStep = {
  browser: Browser;
  page: Answer;
  challenge: string;
  mfaToken: string;
  xsrf: string;
  /** Posts a form of the step; `typed` comes on top of its hidden fields. */
  post(path: string, typed?: FormValues): Promise<Answer>;
  /** Makes a JSON call of the step, with the page's tokens unless others are given. */
  call(path: string, body?: unknown, tokens?: { mfaToken?: string; xsrf?: string }): Promise<Answer>;
};

/** Signs in with the password and opens the page of the second step. */
export async function openStep(
  browser: Browser,
  url: string,
  { username, password }: Pick<TestUser, "username" | "password">,
): Promise<OpenStep> {
  const form: OpenForm = await openForm(browser, url);
  const told = await form.post({ username, password });
  if (told.location === null) throw new Error(`No second step but ${told.status}: ${told.body.slice(0, 2_000)}`);
  return readStep(browser, await browser.get(told.location));
}

/** Takes the hidden fields out of a page of the step. */
export function readStep(browser: Browser, page: Answer): OpenStep {
  const state = stateOf(page);
  const challenge = String(state.loginChallenge ?? "");
  const mfaToken = String(state.token ?? "");
  const xsrf = String(state.xsrfToken ?? "");
  return {
    ...{ browser, page, challenge, mfaToken, xsrf },
    post: (path, typed = {}) =>
      browser.post(path, { _xsrf: xsrf, login_challenge: challenge, mfa_token: mfaToken, ...typed }),
    call: (path, body = {}, tokens = {}) =>
      browser.postJson(path, body, {
        headers: {
          authorization: `Bearer ${tokens.mfaToken ?? mfaToken}`,
          "x-xsrf-token": tokens.xsrf ?? xsrf,
        },
      }),
  };
}
