import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { removeWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import { CEREMONY_MINUTES } from "#app/domain/webauthn/ceremony.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { AssertionTampering } from "#tests/support/authenticator.ts";
import { giveKey, newKey, type TestKey } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { type CeremonyOptions, startCeremony, statusAndBody, tokenOf } from "./calls.ts";
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

/** Invalid responses of browsers and keys. */
const BENT: [string, () => AssertionTampering][] = [
  ["of the other ceremony", () => ({ clientData: { type: "webauthn.create" } })],
  ["to an unknown challenge", () => ({ clientData: { challenge: Buffer.alloc(32, 6).toString("base64url") } })],
  ["from another site", () => ({ clientData: { origin: "https://evil.example" } })],
  ["from another port", () => ({ clientData: { origin: server.url.slice(0, -1) } })],
  ["from https in place of http", () => ({ clientData: { origin: server.url.replace("http:", "https:") } })],
  ["from a subdomain", () => ({ clientData: { origin: server.url.replace("localhost", "a.localhost") } })],
  ["from a frame", () => ({ clientData: { crossOrigin: true } })],
  ["that names an embedding page", () => ({ clientData: { topOrigin: "https://evil.example" } })],
  ["for another relying party", () => ({ rpId: "evil.example" })],
  ["of a key without user presence", () => ({ up: false })],
  ["that is backed up but cannot be", () => ({ be: false, bs: true })],
  ["that names another user", () => ({ userHandle: Buffer.from("somebody else").toString("base64url") })],
  ["with client data changed after signing", () => ({ afterSigning: { clientDataJSON: (data) => padded(data) } })],
  ["with authenticator data changed after signing", () => ({ afterSigning: { authenticatorData: withPin } })],
  ["with another signature", () => ({ signature: (signature) => withPin(signature) })],
];

const padded = (data: Buffer) => Buffer.concat([data, Buffer.from(" ")]);

/** Flips one bit, which in authenticator data is the user-verified flag. */
function withPin(data: Buffer) {
  const changed = Buffer.from(data);
  changed.writeUInt8(changed.readUInt8(32) ^ 0b100, 32);
  return changed;
}

describe("the assertion of a security key is refused", () => {
  test.each(BENT)("%s", async (_what, bend) => {
    expect(await verifyKey(key.assert(await startCeremony(step), bend()))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("without a challenge, and for a used challenge", async () => {
    const inventedChallenge = { relyingPartyId: "localhost", challenge: Buffer.alloc(32, 6).toString("base64url") };
    expect(await verifyKey(key.assert(inventedChallenge))).toEqual(REFUSED);
    const options = await startCeremony(step);
    expect(await verifyKey(key.assert(options, { rpId: "evil.example" }))).toEqual(REFUSED);
    expect(await verifyKey(key.assert(options))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("the second time, with the token of the first response, and at another sign-in", async () => {
    const assertion = key.assert(await startCeremony(step));
    const mfaToken = tokenOf(await step.call("/mfa/verify-fido2", assertion));
    expect(statusAndBody(await step.call("/mfa/verify-fido2", assertion, { mfaToken }))).toEqual(REFUSED);
    const other = await openHere();
    await startCeremony(other);
    expect(await verifyKey(assertion, other)).toEqual(REFUSED);
    expect(await findSignedInUser(party, other.browser)).toBe("login_required");
  });

  test("sent 20 times at once, but once", async () => {
    const assertion = key.assert(await startCeremony(step));
    const send = () => step.call("/mfa/verify-fido2", assertion);
    const responses = await Promise.all(Array.from({ length: 20 }, send));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
  });

  test("for the challenge of another sign-in of the same user", async () => {
    const other = await openHere();
    const options = await startCeremony(other);
    await startCeremony(step);
    expect(await verifyKey(key.assert(options))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("to a question that a newer one replaced", async () => {
    const options = await startCeremony(step);
    await startCeremony(step);
    expect(await verifyKey(key.assert(options))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("to a question of five minutes ago", async () => {
    const options = await startCeremony(step);
    server.clock.advance(CEREMONY_MINUTES * 60);
    expect(await verifyKey(key.assert(options))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("of another user's key, even if valid, also with the id of an own key", async () => {
    const berta = await server.users.create();
    const hers = await giveKey(server, berta);
    expect(await verifyKey(hers.assert(await startCeremony(step)))).toEqual(UNKNOWN);
    expect(await verifyKey(hers.assert(await startCeremony(step), { id: key.credentialId }))).toEqual(REFUSED);
    await expectStepUnchanged();
  });

  test("of another user's key for that user's challenge", async () => {
    const berta = await server.users.create();
    const hers = await giveKey(server, berta);
    const options: CeremonyOptions = await startCeremony(await openHere(berta));
    await startCeremony(step);
    expect(await verifyKey(hers.assert(options))).toEqual(UNKNOWN);
    await expectStepUnchanged();
  });

  test("of a key that is not registered anywhere", async () => {
    expect(await verifyKey(newKey(server).assert(await startCeremony(step)))).toEqual(UNKNOWN);
    await expectStepUnchanged();
  });

  test("of a key that was removed, also to a question that named it", async () => {
    await giveKey(server, anna);
    const options = await startCeremony(step);
    await removeWebauthnCredential(server.context.store, { id: key.id, userId: anna.id });
    expect(await verifyKey(key.assert(options))).toEqual(UNKNOWN);
    expect(await verifyKey(key.assert(await startCeremony(step)))).toEqual(UNKNOWN);
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
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

  test("may have been copied: the page contains the text", () => {
    expect(step.page.body).toContain("This security key may have been copied.");
  });

  test("is not flagged without a valid signature", async () => {
    const bend: AssertionTampering = { id: key.credentialId, counter: 0 };
    expect(await verifyKey(newKey(server).assert(await startCeremony(step), bend))).toEqual(REFUSED);
    await expectStepUnchanged();
  });
});
