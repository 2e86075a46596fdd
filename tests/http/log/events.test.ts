import { beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { openForm } from "#tests/http/login/open-form.ts";
import { allow, followRedirects, obtainTokens, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, TEST_NOW, type TestUser } from "#tests/support/server.ts";

/** Address of the browser and of the application. */
const ADDRESS = "127.0.0.1";
const WRONG = "Wrong-Window-27-Oak";
let anna: TestUser;
let browser: Browser;
let line: number;

const server = await serverOfFile();
const party = await server.parties.create({ scopes: ["openid", "offline"] });

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
  line = server.lines().length;
});

const since = () => server.lines().slice(line);
const eventsOf = (event: string) => since().filter((one) => one.event === event);

/** Expects exactly one line of this event since the start of the test. */
function expectOne(event: string, expected: object) {
  const [found, ...others] = eventsOf(event);
  expect([event, others]).toEqual([event, []]);
  expect(found).toMatchObject(expected);
  expect(typeof found?.time === "number" || typeof found?.at === "string").toBe(true);
  expect(found?.requestId ?? "").toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}$/);
}

const known = () => ({ userId: anna.id, clientId: party.clientId, address: ADDRESS });

async function guess(username: string, password: string) {
  const form = await openForm(browser, party.request({ prompt: "login" }).url);
  return form.post({ username, password });
}

describe("a sign-in is one line", () => {
  // Proves requirement 121.
  test("with time, user, application, address, browser and outcome, when it succeeds", async () => {
    await guess(anna.username, anna.password);
    const userAgent = "Mozilla/5.0 (tests)";
    expectOne("sign-in.succeeded", { ...known(), outcome: "ok", reason: "pwd", userAgent, at: TEST_NOW.toISOString() });
  });

  test.each([
    ["wrong password", () => ({ typed: anna.username, logged: { userId: anna.id, username: anna.username } })],
    ["unknown user", () => ({ typed: "nobody-here", logged: { userId: null } })],
  ])("with the reason that the page does not show: %s", async (reason, identify) => {
    const { typed, logged } = identify();
    await guess(typed, WRONG);
    expectOne("sign-in.refused", { ...known(), ...logged, outcome: "refused", reason });
  });

  test("when a blocked user has the right password", async () => {
    await blockUser(server.context, anna.username);
    await guess(anna.username, anna.password);
    expectOne("sign-in.refused", { ...known(), outcome: "refused", reason: "blocked" });
  });

  test("when it has to wait", async () => {
    for (let tries = 0; tries < 10; tries += 1) await guess(anna.username, WRONG);
    await guess(anna.username, anna.password);
    expectOne("sign-in.throttled", { ...known(), outcome: "refused", username: anna.username });
  });

  test("when a user confirms the account", async () => {
    await signIn(browser, party.request(), anna);
    line = server.lines().length;
    const page = await open(browser, party.request({ prompt: "select_account" }).url);
    await followRedirects(browser, await browser.submit(page, page.page().form("/login/proceed"), {}, "Proceed"));
    expectOne("sign-in.succeeded", { ...known(), outcome: "ok" });
  });
});

describe("a consent is one line", () => {
  test("when it is given", async () => {
    await allow(browser, await typePassword(browser, await open(browser, party.request().url), anna));
    expectOne("consent.granted", { ...known(), outcome: "ok" });
  });

  test("when it is refused", async () => {
    const page = await typePassword(browser, await open(browser, party.request().url), anna);
    await browser.submit(page, page.page().form("/consent/reject"));
    expectOne("consent.refused", { ...known(), outcome: "refused" });
  });
});

test("a sign-out is one line", async () => {
  await signIn(browser, party.request(), anna);
  const page = await open(browser, "/oauth2/sessions/logout");
  await browser.submit(page, page.page().form("/logout/accept"));
  expectOne("sign-out", { userId: anna.id, address: ADDRESS, outcome: "ok" });
});

describe("a token event is one line", () => {
  test("when tokens are issued for a code", async () => {
    await obtainTokens(browser, party, party.request(), anna);
    expectOne("token.issued", { ...known(), outcome: "ok", grantType: "authorization_code" });
  });

  test("when they are renewed", async () => {
    const { refreshToken } = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
    line = server.lines().length;
    readTokens(await party.refresh(refreshToken));
    expectOne("token.issued", { ...known(), outcome: "ok", grantType: "refresh_token" });
  });

  test("when they are refused", async () => {
    await party.exchange("no-such-code", party.request());
    expectOne("token.refused", {
      clientId: party.clientId,
      address: ADDRESS,
      outcome: "refused",
      error: "invalid_grant",
    });
  });

  test("when a client does not prove who it is", async () => {
    const wrong = { clientId: party.clientId, clientSecret: "wrong", redirectUri: party.redirectUri };
    await createRelyingParty({ issuer: server.url, client: wrong }).exchange("x", party.request());
    expectOne("token.refused", { address: ADDRESS, outcome: "refused", error: "invalid_client" });
  });

  test("when they are revoked", async () => {
    const { refreshToken } = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
    line = server.lines().length;
    await party.revoke(refreshToken);
    const revoked = since().filter(({ event }) => /revoked$/.test(String(event)));
    expect(revoked.length).toBeGreaterThan(0);
    expect(revoked[0]).toMatchObject({ clientId: party.clientId, address: ADDRESS, outcome: "ok", userId: anna.id });
  });

  test("when a code is used twice: that it was, and that all that came of it is revoked", async () => {
    const request = party.request();
    const code = codeOf(await signIn(browser, request, anna));
    await party.exchange(code, request);
    line = server.lines().length;
    await party.exchange(code, request);
    expectOne("token.refused", {
      clientId: party.clientId,
      address: ADDRESS,
      outcome: "refused",
      error: "invalid_grant",
    });
    expect(eventsOf("grant.revoked").length).toBeGreaterThan(0);
  });

  test("when an authorization request is completed, or refused", async () => {
    await signIn(browser, party.request(), anna);
    expectOne("authorization.succeeded", { ...known(), outcome: "ok" });
    await browser.get(party.request({ prompt: "none", scope: "openid offline" }).url);
    expectOne("authorization.refused", { ...known(), outcome: "refused", error: "consent_required" });
  });
});

test("what is kept is in the audit trail too, and throttled attempts are not", async () => {
  const { t, q } = server.context.store;
  await guess(anna.username, anna.password);
  const kept = await q.select().from(t.auditEvents).orderBy(t.auditEvents.sequence);
  const own = kept.filter(({ userId }) => userId === anna.id);
  expect(own.map(({ type, outcome, address }) => [type, outcome, address])).toEqual([
    ["user.added", "ok", null],
    ["sign-in.succeeded", "ok", ADDRESS],
  ]);
  expect(kept.filter(({ type }) => type === "sign-in.throttled")).toEqual([]);
});

test("a request is one line, without its query", async () => {
  await browser.get("/login?login_challenge=secret&t=secret#fragment");
  const [request] = since().filter(({ msg }) => msg === "request");
  expect(request).toEqual({
    level: expect.any(Number),
    time: expect.any(Number),
    msg: "request",
    requestId: expect.any(String),
    method: "GET",
    path: "/login",
    status: 400,
    durationMs: expect.any(Number),
    address: ADDRESS,
  });
});
