import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { giveKey, giveTotp, newKey, type TestKey } from "#tests/support/factors.ts";
import { freePort } from "#tests/support/free-port.ts";
import { type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { startCeremony, statusAndBody, tokenOf } from "./calls.ts";
import { finish, type OpenStep, openStep } from "./steps.ts";

let server: TestServer;
let party: RelyingParty;
let anna: TestUser;

async function startWith(env: Record<string, string> = {}) {
  server = await startServer({ env });
  party = await server.parties.create({ firstParty: true });
}

beforeEach(async () => {
  anna = await server.users.create();
});

async function keysOf({ id }: TestUser) {
  const { t, q } = server.context.store;
  return q.select().from(t.webauthnCredentials).where(eq(t.webauthnCredentials.userId, id));
}

/** Signs in and returns the ID token's claims; `response` performs the second step. */
async function claimsAfter(response: (step: OpenStep) => Promise<string>) {
  const request = party.request();
  const step = await openStep(server.browser(), request.url, anna);
  const end = await followRedirects(step.browser, await step.post("/mfa/verify", { mfa_token: await response(step) }));
  const tokens = readTokens(await party.exchange(codeOf(end), request));
  return (await party.verifyIdToken(tokens.idToken)).payload;
}

const withKey = (key: TestKey) => async (step: OpenStep) =>
  tokenOf(await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step))));

describe("with MFA_POLICY=required", () => {
  beforeAll(() => startWith({ MFA_POLICY: "required" }));
  afterAll(() => server?.close());

  // Proves requirement 44.
  test.each([-7, -35, -36] as const)(
    "a security key of algorithm %i is registered during the sign-in, and signs in from then on",
    async (algorithm) => {
      const key = newKey(server, algorithm);
      const first = await claimsAfter(async (step) => {
        const { sessionId, ...options } = await startCeremony(step, "/mfa/init-fido2-registration");
        const body = { sessionId, credentialJson: JSON.stringify(key.register(options)), name: "Blue key" };
        return tokenOf(await step.call("/mfa/setup-fido2", body));
      });
      const proof = { sub: anna.id, amr: ["pwd", "hwk", "mfa"], acr: ACR_MFA };
      expect(first).toMatchObject(proof);
      const rpId = new URL(server.url).hostname;
      expect(await keysOf(anna)).toMatchObject([{ id: key.id, algorithm, rpId, name: "Blue key", counter: 1 }]);

      expect(await claimsAfter(withKey(key))).toMatchObject(proof);
      expect(await claimsAfter(withKey(key))).toMatchObject(proof);
      expect(await keysOf(anna)).toMatchObject([{ counter: 3, flaggedAt: null, lastUsedAt: server.clock.now() }]);
    },
  );

  test("the registration input of a new key has what the specification lists", async () => {
    const step = await openStep(server.browser(), party.request().url, anna);
    const started = (await step.call("/mfa/init-fido2-registration")).json();
    expect(started).toEqual({
      relyingPartyId: "localhost",
      userId: Buffer.from(anna.id).toString("base64"),
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      existingCredentialIds: [],
      sessionId: expect.stringMatching(/^[\w-]{43}$/),
      user: {
        username: anna.username,
        displayName: anna.displayName,
        base64EncodedUserId: Buffer.from(anna.id).toString("base64"),
        icon: `${server.url}/apple-touch-icon.png`,
      },
    });
  });

  test("the set-up page explains it before the browser's dialog", async () => {
    const step = await openStep(server.browser(), party.request().url, anna);
    const page = await followRedirects(step.browser, await step.post("/mfa/setup", { method: "fido2" }));
    expect([page.status, new URL(page.url).pathname]).toEqual([200, "/mfa/setup"]);
    expect(page.page().text).toContain("You have 60 seconds.");
    expect(stateOf(page)).toMatchObject({ fido2Registered: false, totpRegistered: false });
  });
});

describe("a user with a security key", () => {
  let key: TestKey;

  beforeAll(() => startWith());
  afterAll(() => server?.close());

  beforeEach(async () => {
    key = await giveKey(server, anna);
  });

  test("gets a page for it, and a challenge with its id", async () => {
    const step = await openStep(server.browser(), party.request().url, anna);
    expect(stateOf(step.page)).toMatchObject({ fido2Registered: true, totpRegistered: false });
    expect(step.page.page().text).toContain("Use your security key");
    expect((await step.call("/mfa/init-fido2")).json()).toEqual({
      relyingPartyId: "localhost",
      allowedCredentialIds: [key.id],
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      sessionId: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  test("can use any of several", async () => {
    const other = await giveKey(server, anna);
    expect(await claimsAfter(withKey(other))).toMatchObject({ sub: anna.id });
    expect(await claimsAfter(withKey(key))).toMatchObject({ sub: anna.id });
  });

  test("may choose the app instead, where both are there", async () => {
    const app = await giveTotp(server, anna);
    const step = await openStep(server.browser(), party.request().url, anna);
    expect(stateOf(step.page)).toMatchObject({ fido2Registered: true, totpRegistered: true });
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
  });

  // Proves requirement 52.
  test("gets no data of the keys before the password", async () => {
    const browser = server.browser();
    const page = await followRedirects(browser, await browser.get(party.request({ login_hint: anna.username }).url));
    expect(page.body).not.toContain(key.id);
    const headers = { "x-xsrf-token": String(stateOf(page).xsrf_token) };
    const response = await browser.postJson("/mfa/init-fido2", { username: anna.username }, { headers });
    expect(statusAndBody(response)).toEqual([401, { error: "unauthorized" }]);
  });

  // Proves requirement 51.
  test("gets a new challenge with each question, which is never logged", async () => {
    const step = await openStep(server.browser(), party.request().url, anna);
    const challenges = [(await startCeremony(step)).challenge, (await startCeremony(step)).challenge];
    expect(new Set(challenges).size).toBe(2);
    const log = JSON.stringify(server.lines());
    for (const challenge of challenges) expect(log).not.toContain(challenge);
  });

  // Proves requirement 48.
  test("signs in with a discoverable key, and with one without a counter", async () => {
    const userHandle = Buffer.from(anna.id).toString("base64url");
    expect(
      await claimsAfter(async (step) =>
        tokenOf(await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step), { userHandle }))),
      ),
    ).toMatchObject({ sub: anna.id });
    const { t, q } = server.context.store;
    await q.update(t.webauthnCredentials).set({ counter: 0 }).where(eq(t.webauthnCredentials.userId, anna.id));
    const uncounted = async (step: OpenStep) =>
      tokenOf(await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step), { counter: 0 })));
    expect(await claimsAfter(uncounted)).toMatchObject({ sub: anna.id });
    expect(await claimsAfter(uncounted)).toMatchObject({ sub: anna.id });
    expect(await keysOf(anna)).toMatchObject([{ flaggedAt: null }]);
  });

  // Proves requirement 46.
  test("signs in with a key whose backup eligibility differs from its registration", async () => {
    const claims = await claimsAfter(async (step) =>
      tokenOf(await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step), { be: true, bs: true }))),
    );
    expect(claims).toMatchObject({ sub: anna.id });
    expect(await keysOf(anna)).toMatchObject([{ backupEligible: true, backedUp: true }]);
    expect(server.lines().map(({ event }) => event)).toContain("security-key.backup-changed");
  });
});

describe("where the host is an address", () => {
  beforeAll(async () => {
    const port = String(await freePort());
    await startWith({ ISSUER: `http://127.0.0.1:${port}`, PORT: port, MFA_POLICY: "required" });
  });
  afterAll(() => server?.close());

  test("no security key can be set up, and none is offered", async () => {
    const step = await openStep(server.browser(), party.request().url, anna);
    expect(statusAndBody(await step.call("/mfa/init-fido2-registration"))).toEqual([
      400,
      { error: "security key refused", reason: "unavailable" },
    ]);
    expect(step.page.page().text).toContain("Set up an authenticator app");
    expect(step.page.page().text).not.toContain("security key");
  });
});
