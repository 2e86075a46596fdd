import { expect, test } from "vitest";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { type AuthorizationRequest, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";
import { allow, open } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const ROUNDS = 6;
const TABS = 3;

const server = await serverOfFile();
const anna = await server.users.create();

async function signedIn(party: RelyingParty): Promise<Browser> {
  const browser = server.browser();
  await seedSession(server, browser, anna, { clientId: party.clientId });
  return browser;
}

const requestsOf = (party: RelyingParty) => Array.from({ length: TABS }, () => party.request());

/** Exchanges the codes, in this order, and expects that all access tokens are valid afterwards. */
async function expectUsable(party: RelyingParty, requests: AuthorizationRequest[], codes: string[]): Promise<void> {
  const responses = await Promise.all(requests.map((request, tab) => party.exchange(codes[tab] ?? "", request)));
  expect(responses.map(({ status, body }) => (status === 200 ? status : body))).toEqual(requests.map(() => 200));
  const infos = await Promise.all(responses.map((response) => party.userinfo(readTokens(response).accessToken)));
  expect(infos.map(({ status }) => status)).toEqual(requests.map(() => 200));
}

test("tabs that sign in to one application at the same moment get usable codes, if it is first-party", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const party = await server.parties.create({ firstParty: true });
    const browser = await signedIn(party);
    const requests = requestsOf(party);
    const codes = await Promise.all(requests.map(async ({ url }) => codeOf(await open(browser, url))));
    await expectUsable(party, requests, codes);
  }
});

test("tabs that show the consent page of one application get usable codes, one after the other", async () => {
  const party = await server.parties.create({ firstParty: false });
  const browser = await signedIn(party);
  const requests = requestsOf(party);
  const pages: HttpResponse[] = [];
  for (const { url } of requests) pages.push(await open(browser, url));
  const codes: string[] = [];
  for (const page of pages) codes.push(codeOf(await allow(browser, page)));
  await expectUsable(party, requests, codes);
});

test("tokens of one tab stay valid when the next tab allows the same application, until the user signs out", async () => {
  const party = await server.parties.create({ firstParty: false });
  const browser = await signedIn(party);
  const [first, second] = [party.request(), party.request()];
  const [firstPage, secondPage] = [await open(browser, first.url), await open(browser, second.url)];
  const tokens = readTokens(await party.exchange(codeOf(await allow(browser, firstPage)), first));
  const later = codeOf(await allow(browser, secondPage));
  expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
  const laterTokens = readTokens(await party.exchange(later, second));
  expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
  const signOut = await open(browser, party.logoutUrl());
  await browser.submit(signOut, signOut.page().form("/logout/accept"));
  const infos = [await party.userinfo(tokens.accessToken), await party.userinfo(laterTokens.accessToken)];
  expect(infos.map(({ status }) => status)).toEqual([401, 401]);
});
