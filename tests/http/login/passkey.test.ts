import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { startCeremony, tokenOf } from "#tests/http/second-factor/calls.ts";
import { readStep } from "#tests/http/second-factor/steps.ts";
import type { AssertionTampering } from "#tests/support/authenticator.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, giveTotp } from "#tests/support/factors.ts";
import { type AuthorizationRequest, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, startServer, type TestUser } from "#tests/support/server.ts";
import { stateOf } from "./open-form.ts";
import { givePasskey, openPasskeyPage, passkeyPageOf, type TestPasskey } from "./passkey-form.ts";

const server = await serverOfFile({ env: { MFA_REMEMBER_DAYS: "30" } });
const party = await server.parties.create({ firstParty: true });
const { store } = server.context;

let anna: TestUser;
let passkey: TestPasskey;

beforeEach(async () => {
  anna = await server.users.create();
  passkey = await givePasskey(server, anna);
});

/** Signs in with the passkey; returns the response to its form. */
async function present(url: string, tampering: AssertionTampering = {}, browser = server.browser()) {
  const page = await openPasskeyPage(browser, url);
  return page.post(passkey.answer(page.asked, tampering));
}

async function claimsOf(end: HttpResponse, request: AuthorizationRequest) {
  const tokens = readTokens(await party.exchange(codeOf(end), request));
  return (await party.verifyIdToken(tokens.idToken)).payload;
}

/** Signs in with the passkey and returns the claims of the ID token. */
async function claimsAfter(tampering: AssertionTampering = {}, request = party.request()) {
  const browser = server.browser();
  return claimsOf(await followRedirects(browser, await present(request.url, tampering, browser)), request);
}

async function eventsOf({ id }: TestUser) {
  const { t, q } = store;
  const events = await q.select().from(t.auditEvents).where(eq(t.auditEvents.userId, id));
  const signIns = events.filter(({ type }) => type !== "user.added");
  return signIns.map(({ type, detail }) => `${type}: ${detail.reason ?? ""}`);
}

async function storedPasskey() {
  const { t, q } = store;
  const [row] = await q.select().from(t.webauthnCredentials).where(eq(t.webauthnCredentials.userId, anna.id));
  return row;
}

describe("a passkey with user verification", () => {
  // Proves requirement 240.
  test("is two factors: no second step follows, although the user has an authenticator app", async () => {
    await giveTotp(server, anna);
    const claims = await claimsAfter();
    expect(claims).toMatchObject({ sub: anna.id, amr: ["hwk", "user", "mfa"], acr: ACR_MFA });
    expect(await eventsOf(anna)).toEqual(["sign-in.succeeded: hwk user mfa"]);
    expect(await storedPasskey()).toMatchObject({ counter: 2, lastUsedAt: server.clock.now() });
  });

  test("that can leave its device is secured by software", async () => {
    expect(await claimsAfter({ be: true, bs: true })).toMatchObject({ amr: ["swk", "user", "mfa"], acr: ACR_MFA });
  });

  // Proves requirement 246.
  test("may change its backup flags, which are stored and recorded", async () => {
    await claimsAfter({ be: true, bs: true });
    expect(await storedPasskey()).toMatchObject({ backupEligible: true, backedUp: true });
    await claimsAfter({ be: false, bs: false });
    expect(await storedPasskey()).toMatchObject({ backupEligible: false, backedUp: false });
    expect(await eventsOf(anna)).toEqual([
      "security-key.backup-changed: passkey",
      "sign-in.succeeded: swk user mfa",
      "security-key.backup-changed: passkey",
      "sign-in.succeeded: hwk user mfa",
    ]);
  });

  test("satisfies prompt=login, max_age, and a requested acr; auth_time is now", async () => {
    const browser = server.browser();
    await followRedirects(browser, await present(party.request().url, {}, browser));
    for (const demanded of [{ prompt: "login" }, { max_age: "60" }, { acr_values: ACR_MFA, prompt: "login" }]) {
      server.clock.advance(600);
      const request = party.request(demanded);
      const end = await followRedirects(browser, await present(request.url, {}, browser));
      const now = Math.floor(server.clock.now().getTime() / 1000);
      expect(await claimsOf(end, request)).toMatchObject({ acr: ACR_MFA, auth_time: now });
    }
  });

  test("satisfies a group that requires a second factor", async () => {
    const { name: groupName } = await server.groups.create({ name: "Passkey auditors", requireMfa: true });
    anna = await server.users.create({ groupName });
    passkey = await givePasskey(server, anna);
    expect(await claimsAfter()).toMatchObject({ acr: ACR_MFA });
  });

  // Proves requirement 248.
  test("does not open an application to which its user has no access", async () => {
    const closed = await server.parties.create({ firstParty: true });
    await updateClient(store, closed.clientId, { access: "groups" }, server.clock.now());
    const browser = server.browser();
    const end = await followRedirects(browser, await present(closed.request().url, {}, browser));
    expect([end.status, new URL(end.url).pathname]).toEqual([403, "/login/no-access"]);
  });

  test("makes the browser known", async () => {
    const { t, q } = store;
    await claimsAfter();
    await claimsAfter();
    const { userId } = t.knownBrowsers;
    expect(await q.$count(t.knownBrowsers, eq(userId, anna.id))).toBe(2);
    const details = await q.select().from(t.auditEvents).where(eq(t.auditEvents.userId, anna.id));
    // The very first browser of a user is not new.
    const signIns = details.filter(({ type }) => type === "sign-in.succeeded");
    expect(signIns.map(({ detail }) => detail.browser)).toEqual([undefined, "new"]);
  });

  test("keeps the page without an error: each page has its own challenge, from the cached template too", async () => {
    const browser = server.browser();
    const pages = [1, 2, 3].map(() => openPasskeyPage(browser, party.request({ prompt: "login" }).url));
    const opened = await Promise.all(pages);
    expect(new Set(opened.map(({ asked }) => asked.challenge)).size).toBe(3);
    for (const { asked, page } of opened) {
      expect(asked).toEqual({ relyingPartyId: "localhost", challenge: expect.stringMatching(/^[\w-]{64}$/) });
      expect(page.body.split(asked.challenge).length).toBe(2);
      expect(page.page().one("input", { name: "username" }).attributes.autocomplete).toBe("username webauthn");
    }
  });

  test("writes nothing before it is used", async () => {
    const count = () => store.q.$count(store.t.oneTimeTokens);
    const before = await count();
    const page = await openPasskeyPage(server.browser(), party.request().url);
    expect(await count()).toBe(before);
    await page.post(passkey.answer(page.asked));
    expect(await count()).toBe(before + 1);
  });
});

describe("a passkey without user verification", () => {
  // Proves requirement 241.
  test("is one factor: the second step follows, and takes no passkey", async () => {
    const app = await giveTotp(server, anna);
    const browser = server.browser();
    const request = party.request();
    const response = await present(request.url, { uv: false }, browser);
    const step = readStep(browser, await followRedirects(browser, response));
    expect(stateOf(step.page)).toMatchObject({ totpRegistered: true, fido2Registered: false });
    expect((await step.call("/mfa/init-fido2")).status).toBe(400);
    const end = await followRedirects(browser, await step.post("/mfa/verify", { code: await app.code() }));
    expect(await claimsOf(end, request)).toMatchObject({ amr: ["hwk", "user", "otp", "mfa"], acr: ACR_MFA });
  });

  test("asks for the second step in a remembered device, too", async () => {
    const app = await giveTotp(server, anna);
    const browser = server.browser();
    const page = await signIn(browser, party.request(), anna);
    const step = readStep(browser, page);
    await followRedirects(browser, await step.post("/mfa/verify", { code: await app.code(), remember_device: "1" }));
    const response = await present(party.request({ prompt: "login" }).url, { uv: false }, browser);
    expect(response.location).toContain("/mfa/verify");
  });

  test("takes a security key in the second step", async () => {
    const key = await giveKey(server, anna);
    const browser = server.browser();
    const request = party.request();
    const response = await present(request.url, { uv: false }, browser);
    const step = readStep(browser, await followRedirects(browser, response));
    const mfa_token = tokenOf(await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step))));
    const end = await followRedirects(browser, await step.post("/mfa/verify", { mfa_token }));
    expect(await claimsOf(end, request)).toMatchObject({ amr: ["hwk", "user", "mfa"], acr: ACR_MFA });
  });

  // Proves requirement 241.
  test("of a user without another factor leads to the password, not to the set-up of a factor", async () => {
    const browser = server.browser();
    const page = await present(party.request().url, { uv: false }, browser);
    expect(page.status).toBe(200);
    expect(stateOf(page)).not.toHaveProperty("error");
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    expect(page.page().text).toContain("Your passkey did not check your fingerprint, face or PIN.");
    expect(codeOf(await typePassword(browser, page, anna))).not.toBe("");
    expect(await eventsOf(anna)).toEqual(["sign-in.refused: passkey: no user verification", "sign-in.succeeded: pwd"]);
  });
});

describe("beside the password, a passkey", () => {
  // Proves requirement 242.
  test("adds no second step to a sign-in with the password", async () => {
    const request = party.request();
    const end = await signIn(server.browser(), request, anna);
    expect(await claimsOf(end, request)).toMatchObject({ amr: ["pwd"] });
  });

  // Proves requirement 242.
  test("is the second factor if one is required; no first factor can be set up instead", async () => {
    const browser = server.browser();
    const request = party.request({ acr_values: ACR_MFA });
    const step = readStep(browser, await signIn(browser, request, anna));
    expect(stateOf(step.page)).toMatchObject({ totpRegistered: false, fido2Registered: true });
    expect(step.page.page().text).toContain("Use your passkey or security key");
    expect((await step.call("/mfa/init-totp")).json()).toMatchObject({ error: "factor already registered" });
    const started = await startCeremony(step);
    const response = await step.call("/mfa/verify-fido2", passkey.answer(started, { be: true, bs: true }));
    const end = await followRedirects(browser, await step.post("/mfa/verify", { mfa_token: tokenOf(response) }));
    expect(await claimsOf(end, request)).toMatchObject({ amr: ["pwd", "swk", "mfa"], acr: ACR_MFA });
  });
});

describe("with MFA_POLICY=required and PASSKEYS=off", () => {
  // Proves requirement 249.
  test("passkeys are neither offered nor accepted, and are no second factor", async () => {
    const off = await startServer({ env: { PASSKEYS: "off", MFA_POLICY: "required" } });
    try {
      const berta = await off.users.create();
      await givePasskey(off, berta);
      const request = (await off.parties.create({ firstParty: true })).request();
      const browser = off.browser();
      const page = await open(browser, request.url);
      expect(page.page().all("passkey-sign-in")).toEqual([]);
      expect(page.page().one("input", { name: "username" }).attributes.autocomplete).toBe("username");
      expect((await browser.post("/login/passkey", { assertion: "{}" })).status).toBe(404);
      const step = await typePassword(browser, page, berta);
      expect(stateOf(step)).toMatchObject({ totpRegistered: false, fido2Registered: false });
      expect((await readStep(browser, step).call("/mfa/init-totp")).status).toBe(200);
    } finally {
      await off.close();
    }
  });
});

test("an open page keeps its challenge after the language was changed", async () => {
  const browser = server.browser();
  const page = await openPasskeyPage(browser, party.request().url);
  const other = await browser.post("/login/native?lng=de", {
    ...{ _xsrf: String(stateOf(page.page).xsrf_token), login_challenge: page.loginChallenge, username: "" },
  });
  const again = passkeyPageOf(browser, other);
  expect((await again.post(passkey.answer(again.asked))).status).toBe(303);
});
