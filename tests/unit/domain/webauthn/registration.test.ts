import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyRegistration } from "#app/domain/webauthn/registration.server.ts";
import { readRegistration } from "#app/domain/webauthn/responses.server.ts";
import { androidKeyDescription, certificate, revocationListAt } from "#tests/support/attestation-certificate.ts";
import type { RegistrationTampering } from "#tests/support/authenticator.ts";
import { authenticator, CHALLENGE, GARBAGE, invalidResponses, RELYING_PARTY, STARTED } from "./invalid-responses.ts";

/** Parses and verifies a browser's response. */
async function verify(sent: unknown) {
  const response = readRegistration(JSON.stringify(sent));
  return response && verifyRegistration({ response, expectedChallenge: CHALLENGE, relyingParty: RELYING_PARTY });
}

async function registerBent(bend: RegistrationTampering, deps: Parameters<typeof authenticator>[0] = {}) {
  return verify(authenticator(deps).register(STARTED, bend));
}

describe("a new security key", () => {
  it.each([-7, -35, -36] as const)("signing with algorithm %i is accepted", async (algorithm) => {
    const key = authenticator({ algorithm });
    expect(await verify(key.register(STARTED))).toMatchObject({
      id: key.id,
      rpId: "login.office.example",
      algorithm,
      counter: 1,
      transports: ["usb"],
      attestationFormat: "packed",
      backupEligible: false,
      backedUp: false,
    });
  });

  it.each(["packed", "fido-u2f", "none"] as const)("with an attestation of format %s is accepted", async (format) => {
    expect(await registerBent({ format })).toMatchObject({ attestationFormat: format });
  });

  // Proves requirement 43.
  it("is accepted with a PIN and without, from browsers that send no crossOrigin, and with a backup", async () => {
    expect(await registerBent({ uv: true })).not.toBeNull();
    expect(await registerBent({ clientData: { crossOrigin: undefined } })).not.toBeNull();
    expect(await registerBent({ be: true })).toMatchObject({ backupEligible: true, backedUp: false });
    expect(await registerBent({ be: true, bs: true })).toMatchObject({ backupEligible: true, backedUp: true });
  });

  it("may have unknown transports, which are dropped", async () => {
    expect(await registerBent({ transports: ["usb", "pigeon", "usb"] })).toMatchObject({ transports: ["usb"] });
  });

  it.each([1, 16, 1023])("with an id of %i bytes is accepted", async (length) => {
    const key = authenticator({ credentialId: Buffer.alloc(length, 9) });
    expect(await verify(key.register(STARTED))).toMatchObject({ id: key.id });
  });
});

describe("a registration is refused", () => {
  it.each(invalidResponses("webauthn.get"))("%s", async (_what, bend) => {
    expect(await registerBent(bend)).toBeNull();
  });

  it.each(invalidResponses("webauthn.get").filter(([, bend]) => !bend.signature && !bend.afterSigning))(
    "%s, also without an attestation signature",
    async (_what, bend) => {
      expect(await registerBent({ format: "none", ...bend })).toBeNull();
    },
  );

  // Proves requirement 45.
  it("with a credential id over 1,023 bytes", async () => {
    expect(await registerBent({ format: "none" }, { credentialId: Buffer.alloc(1024, 9) })).toBeNull();
  });

  it("with another id than that of the key", async () => {
    expect(await registerBent({ format: "none", id: Buffer.alloc(32, 9) })).toBeNull();
  });

  it.each([
    [
      "EdDSA, which we never asked for",
      [
        [1, 1],
        [3, -8],
        [-1, 6],
      ],
    ],
    // Proves requirement 44.
    ["RS256, which we never asked for", [[3, -257]]],
    ["ES256 under another number", [[3, -9]]],
    ["another curve than the algorithm's", [[-1, 2]]],
    ["another algorithm than the curve's", [[3, -35]]],
    ["no kind of key", [[1, "EC2"]]],
    ["a point that is on no curve", [[-2, Buffer.alloc(32, 1)]]],
    ["half a point", [[-3, Buffer.alloc(0)]]],
    ["a number for a point", [[-2, 7]]],
  ] as const)("of a key with %s", async (_what, publicKey) => {
    expect(await registerBent({ format: "none", publicKey })).toBeNull();
  });

  it.each([
    ["an attestation that is no map", () => ({ format: "packed", statement: [] })],
    ["something attested by nobody", () => ({ format: "none", statement: new Map([["sig", "x"]]) })],
    ["a format nobody knows", () => ({ format: "own", statement: new Map() })],
    [
      "a certificate that is none",
      () => ({
        format: "fido-u2f",
        statement: new Map([
          ["sig", "x"],
          ["x5c", "x"],
        ]),
      }),
    ],
  ])("with %s", async (_what, attestation) => {
    expect(await registerBent({ attestation })).toBeNull();
  });

  it("with an attestation of another kind of device, without fetching URLs in it", async () => {
    const fetchedUrls: string[] = [];
    const server = createServer((request, reply) => {
      fetchedUrls.push(request.url ?? "");
      reply.end();
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;

    const key = authenticator();
    const root = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const sent = key.register(STARTED, {
      attestation({ clientDataJSON }) {
        const list = revocationListAt(`http://127.0.0.1:${port}/list`);
        const extensions = [androidKeyDescription(clientDataJSON), list];
        const signedBy = { issuer: "Root", issuerKey: root.privateKey };
        const leaf = certificate({ ...signedBy, name: "Key", publicKey: key.publicKey, extensions });
        const top = certificate({ ...signedBy, name: "Root", publicKey: root.publicKey, extensions: [list] });
        const statement = new Map<string, number | Buffer | Buffer[]>([
          ["alg", -7],
          ["sig", Buffer.alloc(8)],
          ["x5c", [leaf, top]],
        ]);
        return { format: "android-key", statement };
      },
    });
    expect(await verify(sent)).toBeNull();
    expect(fetchedUrls).toEqual([]);
  });

  it.each(GARBAGE)("that is %j", (garbage) => {
    expect(readRegistration(garbage)).toBeNull();
    expect(readRegistration(JSON.stringify(garbage))).toBeNull();
  });

  it("with client data or an attestation that cannot be decoded", async () => {
    const sent = authenticator().register(STARTED);
    for (const bad of ["AAAA", "bnVsbA", "W10", "ew", "n".repeat(8_000)]) {
      expect(await verify({ ...sent, response: { ...sent.response, clientDataJSON: bad } })).toBeNull();
      expect(await verify({ ...sent, response: { ...sent.response, attestationObject: bad } })).toBeNull();
    }
  });

  it.each([
    ["an id of another spelling", { rawId: "AAAA" }],
    ["padding", { id: "AAAA====", rawId: "AAAA====" }],
    ["another type", { type: "password" }],
    ["no type", { type: undefined }],
  ])("with %s", async (_what, change) => {
    expect(await verify({ ...authenticator().register(STARTED), ...change })).toBeNull();
  });

  it("that is too large", async () => {
    const sent = authenticator().register(STARTED);
    expect(readRegistration(JSON.stringify(sent))).not.toBeNull();
    for (const [member, length] of [
      ["clientDataJSON", 8_193],
      ["attestationObject", 32_769],
    ] as const) {
      const response = { ...sent.response, [member]: "a".repeat(length) };
      expect(readRegistration(JSON.stringify({ ...sent, response }))).toBeNull();
    }
  });
});
