import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { giveKey, givePasskey, type TestKey } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { startCeremony, statusAndBody } from "./calls.ts";
import { finish, type OpenStep, openStep } from "./steps.ts";

const REFUSED = [400, { error: "security key refused", reason: "verification" }];
const UNKNOWN = [400, { error: "security key not found", reason: "unknown key" }];
const COPIED = [400, { error: "security key refused", reason: "counter" }];
let anna: TestUser;
let key: TestKey;
let step: OpenStep;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  key = await giveKey(server, anna);
  step = await openHere();
});

const openHere = (user = anna, browser = server.browser()) => openStep(browser, party.request().url, user);

async function verifyKey(assertion: unknown, from = step) {
  return statusAndBody(await from.call("/mfa/verify-fido2", assertion));
}

/** Expects that the refusal changed nothing: there is no session, and token and key are still valid. */
async function expectStepUnchanged() {
  expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  expect(await rowOf(key)).toMatchObject({ flaggedAt: null });
  codeOf(await finish(step, await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step)))));
}

async function rowOf({ id }: Pick<TestKey, "id">) {
  const { t, q } = server.context.store;
  const [row] = await q.select().from(t.webauthnCredentials).where(eq(t.webauthnCredentials.id, id));
  return row;
}

describe("the assertion of a security key is refused", () => {
  // Proves requirement 40.
  test("from another site: token and key stay valid", async () => {
    const bend = { clientData: { origin: "https://evil.example" } };
    expect(await verifyKey(key.assert(await startCeremony(step), bend))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  // Proves requirement 47.
  test("of another user's key, even if valid, also with the id of an own key", async () => {
    const berta = await server.users.create();
    const hers = await giveKey(server, berta);
    expect(await verifyKey(hers.assert(await startCeremony(step)))).toEqual(UNKNOWN);
    expect(await verifyKey(hers.assert(await startCeremony(step), { id: key.credentialId }))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("that is garbage", async () => {
    for (const garbage of [{}, { id: "a" }, { ...key.assert(await startCeremony(step)), response: null }]) {
      await startCeremony(step);
      expect(await verifyKey(garbage)).toEqual(REFUSED);
    }
    await expectStepUnchanged();
  });
});

describe("a security key whose counter does not rise", () => {
  // Proves requirement 49.
  test.each([
    ["stays", 1],
    ["goes back to zero", 0],
  ])("and %s is refused and flagged, and logged", async (_how, counter) => {
    expect(await verifyKey(key.assert(await startCeremony(step), { counter }))).toEqual(COPIED);
    expect(await rowOf(key)).toMatchObject({ counter: 1, flaggedAt: server.clock.now() });
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
    const line = server.lines().findLast(({ event }) => event === "security-key.flagged");
    expect(line).toMatchObject({ userId: anna.id, outcome: "refused" });
  });

  // Proves requirement 49.
  test("may have been copied: the page contains the text", () => {
    expect(step.page.body).toContain("This security key may have been copied.");
  });
});

describe.each([
  ["en", /security key/i],
  ["de", /Sicherheitsschlüssel/],
])("the errors of the page in the language %s", (language, word) => {
  /** Returns the texts of the page's script that name a security key. */
  async function errorsOf(): Promise<string[]> {
    const { page } = await openHere(anna, server.browser(language));
    const texts = JSON.parse(page.page().one("security-key").attributes["texts"] ?? "{}");
    return Object.values<string>(texts).filter((text) => word.test(text));
  }

  test("name passkeys, too, for a user who can give one", async () => {
    await givePasskey(server, anna);
    const errors = await errorsOf();
    expect(errors.length).toBeGreaterThan(5);
    expect(errors.filter((text) => !/passkey/i.test(text))).toEqual([]);
  });

  test("name security keys alone for a user who has nothing else", async () => {
    const errors = await errorsOf();
    expect(errors.length).toBeGreaterThan(5);
    expect(errors.filter((text) => /passkey/i.test(text))).toEqual([]);
  });
});
