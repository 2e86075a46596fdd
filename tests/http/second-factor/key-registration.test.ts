import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { RegistrationTampering } from "#tests/support/authenticator.ts";
import { giveKey, giveTotp, newKey, type TestKey } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { type CeremonyOptions, startCeremony, statusAndBody, tokenOf } from "./calls.ts";
import { finish, type OpenStep, openStep, readStep } from "./steps.ts";

const REFUSED = [400, { error: "security key refused", reason: "verification" }];
const TAKEN = [400, { error: "security key refused", reason: "taken" }];
const HAS_FACTOR = [403, { error: "factor already registered" }];
/** Longer than any throttling of refusals. */
const FIVE_MINUTES = 5 * 60;
const NEW = "/mfa/init-fido2-registration";
let anna: TestUser;
let step: OpenStep;

const server = await serverOfFile({ env: { MFA_POLICY: "required" } });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  step = await openHere();
});

const openHere = (user = anna, browser = server.browser()) => openStep(browser, party.request().url, user);

/** Responds to a registration request with a new key; `from` is the sign-in that sends it. */
async function register(key: TestKey, options: CeremonyOptions, bend: RegistrationTampering = {}, from = step) {
  const credentialJson = JSON.stringify(key.register(options, bend));
  return from.call("/mfa/setup-fido2", { sessionId: options.sessionId, credentialJson });
}

async function countKeys({ id }: TestUser = anna): Promise<number> {
  const { t, q } = server.context.store;
  return q.$count(t.webauthnCredentials, eq(t.webauthnCredentials.userId, id));
}

/** Expects that the refusal changed nothing, and that the same sign-in can still register a key. */
async function expectNothingKept() {
  expect(await countKeys()).toBe(0);
  expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  codeOf(await finish(step, await register(newKey(server), await startCeremony(step, NEW))));
}

describe("the registration of a security key is refused", () => {
  // Proves requirement 40.
  test("from another site: the sign-in can still register a key", async () => {
    const bend = { clientData: { origin: "https://evil.example" } };
    expect(statusAndBody(await register(newKey(server), await startCeremony(step, NEW), bend))).toEqual(REFUSED);
    await expectNothingKept();
  });

  // Proves requirement 45.
  test("of a key that another account has: it stays with its owner", async () => {
    const key = newKey(server);
    const berta = await server.users.create();
    await giveKey(server, berta, key);
    expect(statusAndBody(await register(key, await startCeremony(step, NEW)))).toEqual(TAKEN);
    expect([await countKeys(), await countKeys(berta)]).toEqual([0, 1]);
    await expectNothingKept();
  });

  // Proves requirement 45.
  test("of one key for two accounts at once, for one of them", async () => {
    const key = newKey(server);
    const berta = await server.users.create();
    const hers = await openHere(berta);
    const [forAnna, forBerta] = [await startCeremony(step, NEW), await startCeremony(hers, NEW)];
    const responses = await Promise.all([register(key, forAnna), register(key, forBerta, {}, hers)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await countKeys()) + (await countKeys(berta))).toBe(1);
  });

  test("that is garbage", async () => {
    for (const credentialJson of ["", "{", "null", "[]", "7", '{"id":"a"}', '"\\u0000"', "[".repeat(9_000)]) {
      const { sessionId } = await startCeremony(step, NEW);
      expect(statusAndBody(await step.call("/mfa/setup-fido2", { sessionId, credentialJson }))).toEqual(REFUSED);
      server.clock.advance(FIVE_MINUTES);
      step = await openHere();
    }
    await expectNothingKept();
  });
});

describe("a user with a factor", () => {
  const factors: [string, () => Promise<unknown>][] = [
    ["an app", () => giveTotp(server, anna)],
    ["a security key", () => giveKey(server, anna)],
  ];

  test.each(factors)("registers no security key during a sign-in: %s", async (_what, give) => {
    const options = await startCeremony(step, NEW);
    await give();
    const before = await countKeys();
    expect(statusAndBody(await register(newKey(server), options))).toEqual(HAS_FACTOR);
    expect(statusAndBody(await step.call(NEW))).toEqual(HAS_FACTOR);
    expect(await countKeys()).toBe(before);
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  });
});

test.each([
  ["de", "Sicherheitsschlüssel"],
  ["en", "Security key"],
])("a key without a name of its owner's is called by the language of the page: %s", async (language, name) => {
  const visit = await openHere(anna, server.browser(language));
  tokenOf(await register(newKey(server), await startCeremony(visit, NEW), {}, visit));
  const keys = await listWebauthnCredentials(server.context.store, anna.id);
  expect(keys.map((key) => key.name)).toEqual([name]);
});

describe("the name of a key that was registered during the sign-in", () => {
  const namesOf = async () => (await listWebauthnCredentials(server.context.store, anna.id)).map(({ name }) => name);

  /** Registers a key and opens the page that asks for its name, as the page's script does. */
  async function openNaming(): Promise<OpenStep> {
    const mfa_token = tokenOf(await register(newKey(server), await startCeremony(step, NEW)));
    const posted = await step.post("/mfa/setup", { mfa_token });
    expect(posted.status).toBe(303);
    return readStep(step.browser, await step.browser.get(posted.location ?? ""));
  }

  test("is asked for after the key is stored, may be left as it is, and leads to the recovery codes", async () => {
    const naming = await openNaming();
    expect(await namesOf()).toEqual(["Security key"]);
    expect(naming.page.page().one("input", { name: "name" }).attributes.value).toBe("Security key");
    for (const [name, stored] of [
      ["  ", "Security key"],
      [" <b>Key ring</b> ", "<b>Key ring</b>"],
    ] as const) {
      const response = await naming.post("/mfa/setup", { method: "fido2", name });
      expect([response.status, response.location]).toEqual([
        303,
        `${server.url}/mfa/recovery-codes?${new URLSearchParams({ login_challenge: naming.challenge })}`,
      ]);
      expect(await namesOf()).toEqual([stored]);
    }
    codeOf(await followRedirects(step.browser, await naming.post("/mfa/verify")));
  });

  test("of more than 40 characters is refused, and with an old token the page asks again", async () => {
    const naming = await openNaming();
    expect((await naming.post("/mfa/setup", { method: "fido2", name: "x".repeat(41) })).status).toBe(400);
    const stale = await naming.post("/mfa/setup", { method: "fido2", name: "Key ring", mfa_token: step.mfaToken });
    expect([stale.status, stateOf(stale).error]).toEqual([403, "xsrf"]);
    expect(stale.page().one("input", { name: "name" }).attributes.value).toBe("Security key");
    expect(await namesOf()).toEqual(["Security key"]);
  });

  test("stays the default name if the sign-in ends before it is given; the key is asked for next time", async () => {
    const key = newKey(server);
    tokenOf(await register(key, await startCeremony(step, NEW)));
    // The page is closed here: its form is never sent.
    const next = await openHere();
    expect(await namesOf()).toEqual(["Security key"]);
    const naming = await next.browser.get(
      `/mfa/setup?${new URLSearchParams({ login_challenge: next.challenge, method: "fido2" })}`,
    );
    expect([naming.status, new URL(naming.location ?? "", server.url).pathname]).toEqual([303, "/mfa/verify"]);
    const again = readStep(next.browser, await next.browser.get(naming.location ?? ""));
    // Only the sign-in that registered the key may name it, not one with the password alone.
    await again.post("/mfa/setup", { method: "fido2", name: "Key ring" });
    expect(await namesOf()).toEqual(["Security key"]);
    const last = await openHere();
    codeOf(await finish(last, await last.call("/mfa/verify-fido2", key.assert(await startCeremony(last)))));
  });
});
