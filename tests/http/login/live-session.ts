import { toldTo } from "#tests/http/oidc/person.ts";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";

/**
 * What an application is told that asks silently: the id of the person who is signed in, else the error. The
 * application must have the person's consent already, or be a first party.
 */
export async function whoIsSignedIn(party: RelyingParty, browser: Browser): Promise<string> {
  const request = party.request({ prompt: "none" });
  const { code, error = "" } = toldTo(await browser.get(request.url));
  if (code === undefined) return error;
  const { id_token } = (await party.exchange(code, request)).json();
  const { payload } = await party.verifyIdToken(String(id_token));
  return String(payload.sub);
}

/** Another browser with the same cookies: what somebody has who stole them at this moment. */
export function copyOf(browser: Browser, base: string): Browser {
  return createBrowser({ base, jar: browser.jar.copy() });
}
