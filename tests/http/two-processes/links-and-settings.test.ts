import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as lost from "#tests/http/factor-reset/steps.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { open, signIn } from "#tests/http/oidc/browser-steps.ts";
import { hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import {
  choose,
  ERROR_TOKEN,
  FIRST_SUCCESS,
  mailsTo,
  NEW_PASSWORD,
  openLink,
  redirectTarget,
  requestLink,
  SUCCESS,
} from "#tests/http/password-reset/steps.ts";
import { createRegistrar, register } from "#tests/http/register/steps.ts";
import { createChain, openChain, openPageChain, statusAndBody } from "#tests/http/settings/api.ts";
import { fill, PASSWORD, statusAndTarget as settingsWayOf, visit } from "#tests/http/settings/pages.ts";
import { createSettingsClient, type SettingsClient } from "#tests/http/settings/steps.ts";
import { linkOf } from "#tests/support/mails.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

let server: TwoServers;
let party: RelyingParty;
let settingsClient: SettingsClient;
let anna: TestUser & { email: string };
let count = 0;

beforeAll(async () => {
  server = await startTwoServers({ FACTOR_RESET_DELAY_HOURS: "1" });
  party = await server.parties.create({ firstParty: true });
  settingsClient = await createSettingsClient(server);
}, 120_000);

afterAll(() => server?.close());

beforeEach(async () => {
  count += 1;
  const email = `two-${count}@office.example`;
  anna = { ...(await server.users.create({ email })), email };
});

async function opens(password: string): Promise<boolean> {
  const browser = server.browser();
  await signIn(browser, party.request(), { ...anna, password });
  return (await findSignedInUser(party, browser)) === anna.id;
}

describe("a mailed link", () => {
  test("to a new password is sent once, issued by one process and used at the other, once", async () => {
    await requestLink(server.browser(), anna.username);
    const [mail = { text: "" }] = await mailsTo(server, anna.email);
    const browser = server.browser();
    const page = await openLink(browser, linkOf(mail));
    expect(redirectTarget(await choose(browser, page))).toBe(SUCCESS);
    for (let tries = 0; tries < 2; tries += 1) expect(redirectTarget(await choose(browser, page))).toBe(ERROR_TOKEN);
    expect([await opens(anna.password), await opens(NEW_PASSWORD)]).toEqual([false, true]);
    // The link and the notice of the changed password, one from each process.
    const mails = await mailsTo(server, anna.email, 2);
    expect(mails.filter(({ subject }) => subject === mails[0]?.subject).length).toBe(1);
  });

  test("that removes second factors works once", async () => {
    await lost.giveFactors(server, anna);
    const browser = server.browser();
    const page = await openLink(browser, await lost.adminLink(server, anna));
    expect(redirectTarget(await lost.confirm(browser, page))).toBe(lost.SUCCESS);
    expect(await lost.factorsOf(server, anna)).toEqual(lost.NO_FACTORS);
    expect(redirectTarget(await lost.confirm(browser, page))).toBe(lost.ERROR_TOKEN);
  });

  test("for a lost factor works at neither process too early, and is stopped once for both", async () => {
    await lost.giveFactors(server, anna);
    const before = await lost.factorsOf(server, anna);
    const resetLinks = await lost.obtainLinks(server, party, anna);
    for (let tries = 0; tries < 2; tries += 1) {
      expect(stateOf(await openLink(server.browser(), resetLinks.reset))).toEqual({ status: "too-early" });
    }
    const browser = server.browser();
    const page = await openLink(browser, resetLinks.stop);
    expect(redirectTarget(await browser.submit(page, page.page().form("/mfa-reset/stop")))).toBe(lost.STOPPED);
    for (let tries = 0; tries < 2; tries += 1) {
      expect((await openLink(server.browser(), resetLinks.stop)).url).toBe(`${server.url}${lost.NOTHING_TO_STOP}`);
      expect((await openLink(server.browser(), resetLinks.reset)).url).toBe(`${server.url}${lost.ERROR_TOKEN}`);
    }
    expect(await lost.factorsOf(server, anna)).toEqual(before);
  });
});

test("a registration is handed to the application by one process and returns to the other", async () => {
  const registrar = await createRegistrar(server);
  const browser = server.browser();
  const { userId, callbackUrl, account } = await register(browser, registrar);
  const back = await open(browser, callbackUrl);
  const [mail = { text: "" }] = await mailsTo(server, account.email);
  const elsewhere = server.browser();
  expect(redirectTarget(await choose(elsewhere, await openLink(elsewhere, linkOf(mail))))).toBe(FIRST_SUCCESS);
  expect(hasForm(back, "/login/native")).toBe(true);
  const eva = { id: userId, username: account.username, password: NEW_PASSWORD, displayName: "Eva Brandt" };
  expect(redirectParameters(await signIn(server.browser(), registrar.request(), eva))).toHaveProperty("code");
});

describe("the settings", () => {
  test("are opened at one process with the token of the other, which is single-use, also simultaneously", async () => {
    const token =
      new URL(await settingsClient.settingsUrl(await settingsClient.signIn(server.browser(), anna))).searchParams.get(
        "t",
      ) ?? "";
    const responses = await server.sendToBoth(server.browser(), (at, { headers = {} }) =>
      at.get("/api/v1/rpc/user/manage/userinfo", { headers: { ...headers, authorization: `Bearer ${token}` } }),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    for (let tries = 0; tries < 2; tries += 1) {
      expect((await createChain(server, token).get("userinfo")).status).toBe(401);
    }
  });

  test("continue a chain of API calls across both processes", async () => {
    const chain = await openChain(server, settingsClient, anna);
    for (let calls = 0; calls < 4; calls += 1) {
      expect(statusAndBody(await chain.get("userinfo"))).toMatchObject([200, { user_id: anna.id }]);
    }
    const { chain: ofPage } = await openPageChain(server, settingsClient, anna);
    for (let calls = 0; calls < 3; calls += 1) expect((await ofPage.get("userinfo")).status).toBe(200);
  });

  test("change the password at one process; at the other the older sessions are invalid, and this one stays valid", async () => {
    const other = await visit(server, settingsClient, anna);
    const visitor = await visit(server, settingsClient, anna);
    const values = { password: anna.password, newPassword: NEW_PASSWORD, newPasswordRepeat: NEW_PASSWORD };
    const page = await visitor.open(PASSWORD);
    const changed = await fill(visitor.browser, page, PASSWORD, values);
    expect(settingsWayOf(changed)).toEqual([303, "/manage?status=password-success"]);
    for (let tries = 0; tries < 2; tries += 1) {
      expect((await visitor.open(PASSWORD)).status).toBe(200);
      expect(settingsWayOf(await other.open(PASSWORD))).toEqual([303, "/manage/error/unauthorized"]);
      await server.browser().get("/healthz");
    }
    expect(await opens(NEW_PASSWORD)).toBe(true);
  });
});
