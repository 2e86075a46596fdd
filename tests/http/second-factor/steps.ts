import { type OpenForm, openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { expectDocumented } from "#tests/http/settings/api-contract.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";
import { tokenOf } from "./calls.ts";

/** The second step, open in a browser. */
export type OpenStep = {
  browser: Browser;
  page: HttpResponse;
  challenge: string;
  mfaToken: string;
  xsrf: string;
  /** Posts a form of the step; `typed` is added to its hidden fields. */
  post(path: string, typed?: FormValues): Promise<HttpResponse>;
  /** Makes a JSON call, with the page's tokens by default. Throws unless docs/openapi.json allows the response. */
  call(path: string, body?: unknown, tokens?: { mfaToken?: string; xsrf?: string }): Promise<HttpResponse>;
};

/** Signs in with the password and opens the page of the second step. */
export async function openStep(
  browser: Browser,
  url: string,
  { username, password }: Pick<TestUser, "username" | "password">,
): Promise<OpenStep> {
  const form: OpenForm = await openForm(browser, url);
  const response = await form.post({ username, password });
  if (response.location === null) {
    throw new Error(`no second step: ${response.status} ${response.body.slice(0, 2_000)}`);
  }
  return readStep(browser, await browser.get(response.location));
}

/** Reads the hidden fields of a page of the step. */
export function readStep(browser: Browser, page: HttpResponse): OpenStep {
  const state = stateOf(page);
  const challenge = String(state.loginChallenge ?? "");
  const mfaToken = String(state.token ?? "");
  const xsrf = String(state.xsrfToken ?? "");
  return {
    ...{ browser, page, challenge, mfaToken, xsrf },
    post: (path, typed = {}) =>
      browser.post(path, { _xsrf: xsrf, login_challenge: challenge, mfa_token: mfaToken, ...typed }),
    async call(path, body = {}, tokens = {}) {
      const response = await browser.postJson(path, body, {
        headers: {
          authorization: `Bearer ${tokens.mfaToken ?? mfaToken}`,
          "x-xsrf-token": tokens.xsrf ?? xsrf,
        },
      });
      expectDocumented("POST", path, response);
      return response;
    },
  };
}

/** Posts the token of a call with the page's form, like the page's script, and follows redirects. */
export async function finish(step: OpenStep, response: HttpResponse): Promise<HttpResponse> {
  return followRedirects(step.browser, await step.post("/mfa/verify", { mfa_token: tokenOf(response) }));
}
