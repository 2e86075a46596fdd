import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";

/** Returns the user id or error of a request with prompt=none, for a client that needs no consent screen. */
export async function findSignedInUser(party: RelyingParty, browser: Browser): Promise<string> {
  const request = party.request({ prompt: "none" });
  const { code, error = "" } = redirectParameters(await browser.get(request.url));
  if (code === undefined) return error;
  const { id_token } = (await party.exchange(code, request)).json();
  const { payload } = await party.verifyIdToken(String(id_token));
  return String(payload.sub);
}

/** Returns another browser with the same cookies, like a thief's. */
export function copyOf(browser: Browser, base: string): Browser {
  return createBrowser({ base, jar: browser.jar.copy() });
}
