import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import {
  givePasskey,
  type PasskeyPage,
  passkeyOf,
  passkeyPageOf,
  type TestPasskey,
} from "#tests/http/login/passkey-form.ts";
import { open } from "#tests/http/oidc/browser-steps.ts";
import { visit } from "#tests/http/settings/pages.ts";
import { createSettingsClient, type SettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser, HttpResponse, RequestOptions } from "#tests/support/browser-jar.ts";
import { givePasskey as registerPasskey } from "#tests/support/factors.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

let server: TwoServers;
let party: RelyingParty;
let settingsClient: SettingsClient;
let anna: TestUser;
let passkey: TestPasskey;

beforeAll(async () => {
  server = await startTwoServers();
  party = await server.parties.create({ firstParty: true });
  settingsClient = await createSettingsClient(server);
}, 120_000);

afterAll(() => server?.close());

beforeEach(async () => {
  anna = await server.users.create();
  passkey = await givePasskey(server, anna);
});

async function giveSyncedPasskey(): Promise<TestPasskey> {
  return passkeyOf(await registerPasskey(server, anna, { bend: { counter: 0, be: false, bs: false } }), anna);
}

/** Opens the sign-in page, rendered with its challenge by the first process. */
async function openAtFirst(browser: Browser = server.browser()): Promise<PasskeyPage> {
  const { pathname, search } = new URL((await open(browser, party.request({ prompt: "login" }).url)).url);
  const page = await server.sendTo(0, browser, (at, options) => at.get(`${pathname}${search}`, options));
  return passkeyPageOf(browser, page);
}

/** Posts a response to the challenge of a page to the process of `at`. */
function present(at: Browser, { headers }: RequestOptions, page: PasskeyPage, answer: object): Promise<HttpResponse> {
  const fields = { _xsrf: String(stateOf(page.page).xsrf_token), login_challenge: page.loginChallenge };
  const form = { ...fields, assertion: JSON.stringify(answer) };
  return at.post("/login/passkey", form, { headers: { ...headers, origin: server.url } });
}

/** Presents the passkey of a page of the first process to the second one. */
function presentAtSecond(page: PasskeyPage, answer: object): Promise<HttpResponse> {
  return server.sendTo(1, page.browser, (at, options) => present(at, options, page, answer));
}

/** Follows an accepted sign-in to the end, through the proxy, and returns the user who is signed in then. */
async function signedInUserAfter(browser: Browser, accepted: HttpResponse): Promise<string> {
  const { pathname, search } = new URL(accepted.location ?? "");
  await open(browser, `${pathname}${search}`);
  return findSignedInUser(party, browser);
}

function refusalOf(response: HttpResponse): unknown[] {
  return [response.status, stateOf(response).error];
}

const REFUSED = [401, "passkey refused"];

// Proves requirement 258.
test("a response that both processes receive simultaneously signs in once, without a counter too", async () => {
  for (let round = 0; round < 5; round += 1) {
    // A passkey of a password manager counts nothing, so that the challenge alone makes the response single-use.
    const synced = await giveSyncedPasskey();
    const page = await openAtFirst();
    const answer = synced.answer(page.asked, { counter: 0 });
    const responses = await server.sendToBoth(page.browser, (at, options) => present(at, options, page, answer));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 401]);
    const refused = responses.filter(({ status }) => status === 401);
    expect(refused.map(refusalOf)).toEqual([REFUSED]);
  }
});

// Proves requirement 258.
test("a challenge of one process is answered at the other, once for both", async () => {
  const page = await openAtFirst();
  const accepted = await presentAtSecond(page, passkey.answer(page.asked));
  expect(accepted.status).toBe(303);
  const again = passkey.answer(page.asked);
  const responses = await server.sendToBoth(page.browser, (at, options) => present(at, options, page, again));
  expect(responses.map(refusalOf)).toEqual([REFUSED, REFUSED]);
  expect(await signedInUserAfter(page.browser, accepted)).toBe(anna.id);
});

// Proves requirement 258.
test("a passkey that is removed at one process does not sign in at the other, on an open page either", async () => {
  const page = await openAtFirst();
  // The second process has used the passkey before.
  const used = await openAtFirst();
  expect((await presentAtSecond(used, passkey.answer(used.asked))).status).toBe(303);
  const visitor = await visit(server, settingsClient, anna);
  const path = `/manage/mfa/keys/${passkey.key.id}/remove`;
  const form = (await visitor.browser.get(path)).page().form(path);
  const removed = await server.sendTo(0, visitor.browser, (at, options) =>
    at.post(path, Object.fromEntries(form.fields), { headers: { ...options.headers, origin: server.url } }),
  );
  expect(removed.status).toBe(303);
  expect(await listWebauthnCredentials(server.context.store, anna.id)).toEqual([]);
  expect(refusalOf(await presentAtSecond(page, passkey.answer(page.asked)))).toEqual(REFUSED);
});

// Proves requirement 258.
test("the passkey of a user who is blocked elsewhere does not sign in, on an open page either", async () => {
  const page = await openAtFirst();
  const used = await openAtFirst();
  expect((await presentAtSecond(used, passkey.answer(used.asked))).status).toBe(303);
  await blockUser(server.context, anna.username);
  expect(refusalOf(await presentAtSecond(page, passkey.answer(page.asked)))).toEqual(REFUSED);
});

// Proves requirement 258.
test("a passkey that signs in at one process while the other removes it leaves no session", async () => {
  for (let round = 0; round < 5; round += 1) {
    const user = await server.users.create();
    const own = await givePasskey(server, user);
    const page = await openAtFirst();
    const visitor = await visit(server, settingsClient, user);
    const path = `/manage/mfa/keys/${own.key.id}/remove`;
    const form = (await visitor.browser.get(path)).page().form(path);
    const answer = own.answer(page.asked);
    const [removed, presented] = await Promise.all([
      server.sendTo(0, visitor.browser, (at, options) =>
        at.post(path, Object.fromEntries(form.fields), { headers: { ...options.headers, origin: server.url } }),
      ),
      presentAtSecond(page, answer),
    ]);
    expect(removed.status).toBe(303);
    expect([303, 401]).toContain(presented.status);
    const end = presented.status === 303 ? signedInUserAfter(page.browser, presented) : null;
    expect(await (end ?? findSignedInUser(party, page.browser))).toBe("login_required");
  }
});

test("no error was logged by either process", () => {
  expect(server.lines().length).toBeGreaterThan(100);
  expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
