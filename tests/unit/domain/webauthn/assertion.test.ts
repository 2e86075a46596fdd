import { describe, expect, it } from "vitest";
import { verifyAssertion } from "#app/domain/webauthn/assertion.server.ts";
import { verifyRegistration } from "#app/domain/webauthn/registration.server.ts";
import { readAssertion, readRegistration } from "#app/domain/webauthn/responses.server.ts";
import type { AssertionTampering, RegistrationTampering } from "#tests/support/authenticator.ts";
import { authenticator, CHALLENGE, GARBAGE, invalidResponses, RELYING_PARTY, STARTED } from "./invalid-responses.ts";

const USER_ID = "0123456789abcdef0123456789abcdef";
const EXPECTED = { expectedChallenge: CHALLENGE, relyingParty: RELYING_PARTY };

/** Registers a key and returns its row. */
async function registered(deps: Parameters<typeof authenticator>[0] = {}, bend: RegistrationTampering = {}) {
  const key = authenticator(deps);
  const response = readRegistration(JSON.stringify(key.register(STARTED, bend)));
  const stored = response && (await verifyRegistration({ ...EXPECTED, response }));
  if (!stored) throw new Error("the registration was refused");
  const credential = {
    ...stored,
    userId: USER_ID,
    name: "Security key",
    transports: [],
    aaguid: null,
    createdAt: new Date(0),
    flaggedAt: null,
    isPasskey: false,
    lastUsedAt: null,
  };
  return {
    key,
    async verify(sent: unknown) {
      const reply = readAssertion(sent);
      return reply && verifyAssertion({ ...EXPECTED, response: reply, credential });
    },
  };
}

async function assertBent(bend: AssertionTampering) {
  const { key, verify } = await registered();
  return verify(key.assert(STARTED, bend));
}

describe("a registered security key", () => {
  it.each([-7, -35, -36] as const)("signing with algorithm %i is accepted", async (algorithm) => {
    const { key, verify } = await registered({ algorithm });
    const flags = { backupEligible: false, backedUp: false, isUserVerified: false };
    const expected = { credentialId: key.id, userId: USER_ID, counter: 2, ...flags };
    expect(await verify(key.assert(STARTED))).toEqual(expected);
  });

  it("is accepted with a PIN and without, and with the user handle or without", async () => {
    expect(await assertBent({ uv: true })).not.toBeNull();
    expect(await assertBent({ clientData: { crossOrigin: undefined } })).not.toBeNull();
    expect(await assertBent({ userHandle: Buffer.from(USER_ID).toString("base64url") })).not.toBeNull();
    expect(await assertBent({ userHandle: null })).not.toBeNull();
    expect(await assertBent({ userHandle: "" })).not.toBeNull();
  });

  it.each([
    [{ be: true }, { be: true, bs: true }],
    [{ be: false }, { be: true, bs: false }],
    [
      { be: true, bs: true },
      { be: false, bs: false },
    ],
  ])("registered with backup flags %j is accepted with %j", async (before, now) => {
    const { key, verify } = await registered({}, before);
    const expected = { backupEligible: now.be, backedUp: now.bs };
    expect(await verify(key.assert(STARTED, now))).toMatchObject(expected);
  });
});

describe("an assertion is refused", () => {
  it.each(invalidResponses("webauthn.create"))("%s", async (_what, bend) => {
    expect(await assertBent(bend)).toBeNull();
  });

  // Proves requirement 48.
  it("of a key with another user handle", async () => {
    for (const other of ["nobody", "0", USER_ID.toUpperCase(), `${USER_ID}0`]) {
      expect(await assertBent({ userHandle: Buffer.from(other).toString("base64url") })).toBeNull();
    }
  });

  it("with the signature of another key", async () => {
    const { key, verify } = await registered();
    const other = authenticator({ credentialId: key.credentialId });
    expect(await verify(other.assert(STARTED))).toBeNull();
  });

  it.each(GARBAGE)("that is %j", (garbage) => {
    expect(readAssertion(garbage)).toBeNull();
  });

  it("with parts that cannot be decoded", async () => {
    const { key, verify } = await registered();
    const sent = key.assert(STARTED);
    for (const bad of ["AAAA", "bnVsbA", "ew", "n".repeat(1_000)]) {
      for (const member of ["clientDataJSON", "authenticatorData", "signature"]) {
        expect(await verify({ ...sent, response: { ...sent.response, [member]: bad } })).toBeNull();
      }
    }
  });

  it("that is too large", async () => {
    const sent = authenticator().assert(STARTED);
    expect(readAssertion(sent)).not.toBeNull();
    for (const [member, length] of [
      ["clientDataJSON", 8_193],
      ["authenticatorData", 4_097],
      ["signature", 1_025],
      ["userHandle", 87],
    ] as const) {
      expect(readAssertion({ ...sent, response: { ...sent.response, [member]: "a".repeat(length) } })).toBeNull();
    }
  });
});
