import { seedTokens } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { expectDocumented } from "./api-contract.ts";

export const RETURN_URL = "http://localhost:9/desk/profile?from=settings";
export const TOKEN_CALL = "/api/v1/rpc/user/manage/token";
export const USERINFO_CALL = "/api/v1/rpc/user/manage/userinfo";

/** An application that may open the settings for its users. */
export type SettingsClient = {
  party: RelyingParty;
  /** Signs a user in, in this browser, without the sign-in form; returns the application's access token. */
  signIn(browser: Browser, user: TestUser): Promise<string>;
  /** Requests the settings; returns the URL with `t`. */
  settingsUrl(accessToken: string, returnUrl?: string): Promise<string>;
  /** Signs in and opens the settings; returns their first page. */
  openSettings(browser: Browser, user: TestUser): Promise<HttpResponse>;
};

export async function createSettingsClient(server: TestServer): Promise<SettingsClient> {
  const client = await server.clients.create({
    firstParty: true,
    mayOpenSettings: true,
    settingsReturnUris: [RETURN_URL],
  });
  const party = createRelyingParty({ issuer: server.url, client });
  const settingsClient: SettingsClient = {
    party,
    signIn: async (browser, user) => (await seedTokens(server, browser, party, party.request(), user)).accessToken,
    async settingsUrl(accessToken, returnUrl = RETURN_URL) {
      const response = await party.post(TOKEN_CALL, { access_token: accessToken, return_to_url: returnUrl });
      expectDocumented("POST", TOKEN_CALL, response);
      const { url } = response.json();
      if (typeof url !== "string") throw new Error(`expected an address, got ${response.status} ${response.body}`);
      return url;
    },
    async openSettings(browser, user) {
      const url = await settingsClient.settingsUrl(await settingsClient.signIn(browser, user));
      return browser.follow(await browser.get(url));
    },
  };
  return settingsClient;
}

/** Returns the target of a redirect, without the origin. */
export function pathOf({ location }: HttpResponse): string | null {
  if (location === null) return null;
  const { pathname, search } = new URL(location);
  return pathname + search;
}
