import { type OpenForm, openForm, stateOf } from "#tests/http/login/open-form.ts";
import { walk } from "#tests/http/oidc/person.ts";
import { expectDocumented } from "#tests/http/settings/api-contract.ts";
import type { Answer, Browser, FormValues } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";

/** The second step, open in a browser. */
export type OpenStep = {
  browser: Browser;
  page: Answer;
  challenge: string;
  mfaToken: string;
  xsrf: string;
  /** Posts a form of the step; `typed` is added to its hidden fields. */
  post(path: string, typed?: FormValues): Promise<Answer>;
  /** Makes a JSON call, with the page's tokens by default. Throws unless docs/openapi.json allows the response. */
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

/** Reads the hidden fields of a page of the step. */
export function readStep(browser: Browser, page: Answer): OpenStep {
  const state = stateOf(page);
  const challenge = String(state.loginChallenge ?? "");
  const mfaToken = String(state.token ?? "");
  const xsrf = String(state.xsrfToken ?? "");
  return {
    ...{ browser, page, challenge, mfaToken, xsrf },
    post: (path, typed = {}) =>
      browser.post(path, { _xsrf: xsrf, login_challenge: challenge, mfa_token: mfaToken, ...typed }),
    async call(path, body = {}, tokens = {}) {
      const answer = await browser.postJson(path, body, {
        headers: {
          authorization: `Bearer ${tokens.mfaToken ?? mfaToken}`,
          "x-xsrf-token": tokens.xsrf ?? xsrf,
        },
      });
      expectDocumented("POST", path, answer);
      return answer;
    },
  };
}

/** Returns status and body of the response to a JSON call. */
export function answerOf(answer: Answer): [status: number, body: unknown] {
  return [answer.status, answer.json()];
}

/** Returns the mfa_token in the response to a JSON call. Throws if the call was refused. */
export function tokenOf(answer: Answer): string {
  const { token } = Object(answer.json());
  if (typeof token !== "string") throw new Error(`No token but ${answer.status}: ${answer.body}`);
  return token;
}

/** Posts the token of a call with the page's form, like the page's script, and follows redirects. */
export async function finish(step: OpenStep, answer: Answer): Promise<Answer> {
  return walk(step.browser, await step.post("/mfa/verify", { mfa_token: tokenOf(answer) }));
}

/** The parameters of a security-key ceremony, from the JSON call that starts it. */
export type Asked = { relyingPartyId: string; challenge: string; sessionId: string };

/** Starts a ceremony: a check (`/mfa/init-fido2`) or a registration (`/mfa/init-fido2-registration`). */
export async function ask(
  step: OpenStep,
  path: "/mfa/init-fido2" | "/mfa/init-fido2-registration" = "/mfa/init-fido2",
): Promise<Asked> {
  const answer = await step.call(path);
  const { relyingPartyId, challenge, sessionId } = Object(answer.json());
  if (typeof challenge !== "string") throw new Error(`No question but ${answer.status}: ${answer.body}`);
  return { relyingPartyId, challenge, sessionId };
}
