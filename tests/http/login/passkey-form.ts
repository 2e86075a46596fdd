import type { BaseContext } from "#app/context.server.ts";
import { open } from "#tests/http/oidc/browser-steps.ts";
import type { AssertionTampering } from "#tests/support/authenticator.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { givePasskey as registerPasskey, type TestKey } from "#tests/support/factors.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { tokensOf } from "./open-form.ts";

/** The challenge of a sign-in page. */
type Challenge = { relyingPartyId: string; challenge: string };

/** A sign-in page that offers passkeys, open in a browser. */
export type PasskeyPage = {
  browser: Browser;
  page: HttpResponse;
  loginChallenge: string;
  asked: Challenge;
  /** Posts a response to /login/passkey; `fields` replace those of the form. */
  post(assertion: object | string, fields?: Record<string, string>): Promise<HttpResponse>;
};

/** Opens a URL that leads to the sign-in form, and reads the challenge for passkeys. */
export async function openPasskeyPage(browser: Browser, url: string): Promise<PasskeyPage> {
  return passkeyPageOf(browser, await open(browser, url));
}

/** Reads the challenge for passkeys on a page with the sign-in form. */
export function passkeyPageOf(browser: Browser, page: HttpResponse): PasskeyPage {
  const { login_challenge: loginChallenge, xsrf_token: _xsrf } = tokensOf(page);
  const { "rp-id": relyingPartyId = "", challenge = "" } = page.page().one("passkey-sign-in").attributes;
  return {
    ...{ browser, page, loginChallenge, asked: { relyingPartyId, challenge } },
    post(assertion, fields) {
      const text = typeof assertion === "string" ? assertion : JSON.stringify(assertion);
      return browser.post("/login/passkey", { _xsrf, login_challenge: loginChallenge, assertion: text, ...fields });
    },
  };
}

/** A passkey of a user. `answer` responds to a challenge as a browser does, with user verification. */
export type TestPasskey = { key: TestKey; answer(asked: Challenge, tampering?: AssertionTampering): object };

/** Registers a passkey for the user. */
export async function givePasskey(
  server: Pick<TestServer, "url"> & { context: BaseContext },
  user: Pick<TestUser, "id">,
): Promise<TestPasskey> {
  const key = await registerPasskey(server, user, { bend: { be: false, bs: false } });
  return passkeyOf(key, user);
}

/** Returns the passkey of a user in an authenticator, registered or not. */
export function passkeyOf(key: TestKey, { id }: Pick<TestUser, "id">): TestPasskey {
  const userHandle = handleOf(id);
  return { key, answer: (asked, tampering) => key.assert(asked, { uv: true, userHandle, ...tampering }) };
}

/** Returns the user handle of a user id. */
export function handleOf(userId: string): string {
  return Buffer.from(userId, "utf8").toString("base64url");
}
