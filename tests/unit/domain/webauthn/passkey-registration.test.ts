import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verifyAssertion } from "#app/domain/webauthn/assertion.server.ts";
import { passkeyOptions } from "#app/domain/webauthn/passkey-options.ts";
import { verifyRegistration } from "#app/domain/webauthn/registration.server.ts";
import { readAssertion, readRegistration } from "#app/domain/webauthn/responses.server.ts";
import type { RegistrationTampering } from "#tests/support/authenticator.ts";
import { authenticator, CHALLENGE, invalidResponses, RELYING_PARTY, STARTED } from "./invalid-responses.ts";

async function verify(sent: unknown) {
  const response = readRegistration(JSON.stringify(sent));
  const input = { expectedChallenge: CHALLENGE, relyingParty: RELYING_PARTY, kind: "passkey" } as const;
  return response && verifyRegistration({ response, ...input });
}

function register(bend: RegistrationTampering = {}, options: Parameters<typeof authenticator>[0] = {}) {
  return verify(authenticator(options).register(STARTED, { format: "none", uv: true, ...bend }));
}

function rsaKey(modulusLength: number, publicExponent = 65_537): RegistrationTampering["publicKey"] {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength, publicExponent });
  const { n = "", e = "" } = publicKey.export({ format: "jwk" });
  return [
    [-1, Buffer.from(n, "base64url")],
    [-2, Buffer.from(e, "base64url")],
  ];
}

describe("a new passkey", () => {
  it.each([-7, -35, -36, -257] as const)("signing with algorithm %i is accepted, and signs in", async (algorithm) => {
    const key = authenticator({ algorithm });
    const registered = await verify(key.register(STARTED, { format: "none", uv: true, be: true, bs: true }));
    expect(registered).toMatchObject({ id: key.id, algorithm, isPasskey: true, backupEligible: true, backedUp: true });
    if (!registered) return;
    const response = readAssertion(key.assert(STARTED, { uv: true, be: true, bs: true }));
    if (!response) throw new Error("the assertion is malformed");
    const stored = {
      name: "",
      lastUsedAt: null,
      flaggedAt: null,
      createdAt: new Date(0),
      userId: "u",
      isPasskey: true,
    };
    const credential = { ...registered, ...stored, transports: [], aaguid: null };
    const input = { response, expectedChallenge: CHALLENGE, relyingParty: RELYING_PARTY, credential };
    expect(await verifyAssertion(input)).toMatchObject({ credentialId: key.id });
  });

  it("keeps the AAGUID of its provider", async () => {
    const aaguid = "08987058-cadc-4b81-b6e1-30de50dcbe96";
    expect(await register({ aaguid })).toMatchObject({ aaguid, isPasskey: true });
  });

  // Proves requirement 250.
  it("that did not verify its user is refused, which a security key may", async () => {
    expect(await register({ uv: false })).toBeNull();
    const response = readRegistration(JSON.stringify(authenticator().register(STARTED, { uv: false })));
    if (!response) throw new Error("the registration is malformed");
    const input = { response, expectedChallenge: CHALLENGE, relyingParty: RELYING_PARTY };
    expect(await verifyRegistration(input)).toMatchObject({ isPasskey: false });
  });

  it.each(invalidResponses("webauthn.get").filter(([, bend]) => !bend.signature && !bend.afterSigning))(
    "is refused %s",
    async (_what, bend) => {
      expect(await register({ ...bend, uv: true })).toBeNull();
    },
  );

  // Proves requirement 251.
  it.each([
    ["an RSA key of 1,024 bits", rsaKey(1024)],
    ["an RSA key of 8,192 bits", [[-1, Buffer.alloc(1024, 0xff)]]],
    ["an RSA key with another exponent", rsaKey(2048, 3)],
    ["an RSA key without a modulus", [[-1, Buffer.alloc(0)]]],
    ["PS256, which we never asked for", [[3, -37]]],
  ] as const)("is refused with %s", async (_what, publicKey) => {
    expect(await register({ publicKey: publicKey ?? [] }, { algorithm: -257 })).toBeNull();
  });
});

it("is created discoverable, with user verification, in this device or another one, and not twice", () => {
  const user = { username: "anna", displayName: "Anna Ott", base64EncodedUserId: "+/8=", icon: "https://a.example/" };
  const started = { relyingPartyId: "login.office.example", challenge: "Y2hhbGxlbmdl", sessionId: "s", userId: "+/8=" };
  expect(passkeyOptions({ ...started, existingCredentialIds: ["b2xk"], user }, "Gatehouse")).toEqual({
    rp: { id: "login.office.example", name: "Gatehouse" },
    user: { id: "-_8", name: "anna", displayName: "Anna Ott" },
    challenge: "Y2hhbGxlbmdl",
    pubKeyCredParams: [-7, -35, -36, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: 180_000,
    excludeCredentials: [{ type: "public-key", id: "b2xk" }],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    hints: ["client-device", "hybrid", "security-key"],
    attestation: "none",
  });
});
