import { obtainTokens } from "#tests/http/oidc/person.ts";
import type { Answer, Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { expectDocumented } from "./api-contract.ts";

export const RETURN_URL = "http://localhost:9/desk/profile?from=settings";
export const TOKEN_CALL = "/api/v1/rpc/user/manage/token";
export const USERINFO_CALL = "/api/v1/rpc/user/manage/userinfo";

/** An application that may open the settings for its users. */
export type SettingsDesk = {
  party: RelyingParty;
  /** Signs a user in, in this browser; returns the application's access token. */
  signIn(browser: Browser, user: TestUser): Promise<string>;
  /** Requests the settings; returns the URL with `t`. */
  settingsUrl(accessToken: string, returnUrl?: string): Promise<string>;
  /** Signs in and opens the settings; returns their first page. */
  openSettings(browser: Browser, user: TestUser): Promise<Answer>;
};

export async function createDesk(server: TestServer): Promise<SettingsDesk> {
  const client = await server.clients.create({
    firstParty: true,
    mayOpenSettings: true,
    settingsReturnUris: [RETURN_URL],
  });
  const party = createRelyingParty({ issuer: server.url, client });
  const desk: SettingsDesk = {
    party,
    signIn: async (browser, user) => (await obtainTokens(browser, party, party.request(), user)).accessToken,
    async settingsUrl(accessToken, returnUrl = RETURN_URL) {
      const answer = await party.post(TOKEN_CALL, { access_token: accessToken, return_to_url: returnUrl });
      expectDocumented("POST", TOKEN_CALL, answer);
      const { url } = answer.json();
      if (typeof url !== "string") throw new Error(`no address but ${answer.status} ${answer.body}`);
      return url;
    },
    async openSettings(browser, user) {
      const url = await desk.settingsUrl(await desk.signIn(browser, user));
      return browser.follow(await browser.get(url));
    },
  };
  return desk;
}

/** Returns the target of a redirect, without the origin. */
export function pathOf({ location }: Answer): string | null {
  if (location === null) return null;
  const { pathname, search } = new URL(location);
  return pathname + search;
}
