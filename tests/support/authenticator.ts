import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { attest, type Format, type Made, type PublicPoint, signedText } from "./attestation.ts";
import { type Cbor, cbor } from "./cbor.ts";

const ALGORITHMS = {
  [-7]: { curve: "P-256", crv: 1, hash: "sha256" },
  [-35]: { curve: "P-384", crv: 2, hash: "sha384" },
  [-36]: { curve: "P-521", crv: 3, hash: "sha512" },
  /** RS256, without a curve. */
  [-257]: { curve: null, crv: 0, hash: "sha256" },
} as const;

export type Algorithm = keyof typeof ALGORITHMS;

/** Deviations from a correct response; everything omitted is correct. */
export type Tampering = {
  /** Members of the client data that replace or extend the correct ones. */
  clientData?: Record<string, unknown>;
  /** Relying party id in the authenticator data. */
  rpId?: string;
  up?: boolean;
  uv?: boolean;
  /** Backup eligible; backed up. */
  be?: boolean;
  bs?: boolean;
  counter?: number;
  /** Credential id outside the signed data. */
  id?: Buffer;
  /** Changes signed data after signing. */
  afterSigning?: { authenticatorData?: (data: Buffer) => Buffer; clientDataJSON?: (data: Buffer) => Buffer };
  signature?: (signature: Buffer) => Buffer;
};

export type RegistrationTampering = Tampering & {
  format?: Format;
  transports?: unknown;
  /** AAGUID as hexadecimal digits, with or without hyphens. */
  aaguid?: string;
  /** Members of the public key by COSE label, in place of the correct ones. */
  publicKey?: readonly (readonly [number, Cbor])[];
  /** The attestation, in place of the correct one. */
  attestation?: (made: { authenticatorData: Buffer; clientDataJSON: Buffer }) => { format: string; statement: Cbor };
};

export type AssertionTampering = Tampering & { userHandle?: string | null };

/** Creates a security key with one credential, in a browser on a page of `origin`. Each use increments its counter. */
export function createAuthenticator({
  origin,
  algorithm = -7,
  credentialId = randomBytes(32),
}: {
  origin: string;
  algorithm?: Algorithm;
  credentialId?: Buffer;
}) {
  const { curve, hash } = ALGORITHMS[algorithm];
  const keys =
    curve === null
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: curve });
  const counter = { value: 0 };

  function createResponse(
    type: string,
    options: { relyingPartyId: string; challenge: string },
    tampering: Tampering,
    attested?: Buffer,
  ) {
    counter.value += 1;
    const clientData = { type, challenge: options.challenge, origin, crossOrigin: false, ...tampering.clientData };
    return {
      clientDataJSON: Buffer.from(JSON.stringify(clientData)),
      authenticatorData: authenticatorData(options.relyingPartyId, { counter: counter.value, ...tampering }, attested),
    };
  }

  return {
    id: credentialId.toString("base64url"),
    credentialId,
    privateKey: keys.privateKey,
    publicKey: keys.publicKey,

    /** Returns a registration response, ready for JSON. */
    register(options: { relyingPartyId: string; challenge: string }, tampering: RegistrationTampering = {}) {
      const point = coordinates(keys.publicKey);
      const members = curve === null ? rsaMembers(keys.publicKey) : ecMembers(ALGORITHMS[algorithm].crv, point);
      const cose = cbor(new Map<number, Cbor>([[3, algorithm], ...members, ...(tampering.publicKey ?? [])]));
      const format = tampering.format ?? "packed";
      const made = createResponse(
        "webauthn.create",
        options,
        tampering,
        attestedCredential(tampering.aaguid ?? (format === "packed" ? "07".repeat(16) : "00".repeat(16)), {
          credentialId,
          cose,
        }),
      );
      const signed = { ...made, credentialId, point, algorithm, hash, privateKey: keys.privateKey };
      const { format: fmt, statement } = tampering.attestation?.(made) ?? attest(format, signed, tampering.signature);
      const sent = afterSigning(made, tampering);
      const authData = sent.authenticatorData;
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ["fmt", fmt],
          ["attStmt", statement],
          ["authData", authData],
        ]),
      );
      const transports = tampering.transports ?? ["usb"];
      return credential(tampering.id ?? credentialId, {
        clientDataJSON: sent.clientDataJSON,
        attestationObject: attestationObject.toString("base64url"),
        transports,
      });
    },

    /** Returns an assertion response, ready for JSON. */
    assert(options: { relyingPartyId: string; challenge: string }, tampering: AssertionTampering = {}) {
      const made = createResponse("webauthn.get", options, tampering);
      const signature = sign(hash, signedText(made), keys.privateKey);
      const sent = afterSigning(made, tampering);
      return credential(tampering.id ?? credentialId, {
        clientDataJSON: sent.clientDataJSON,
        authenticatorData: sent.authenticatorData.toString("base64url"),
        signature: (tampering.signature?.(signature) ?? signature).toString("base64url"),
        ...(tampering.userHandle === undefined ? {} : { userHandle: tampering.userHandle }),
      });
    },
  };
}

function credential<Response extends { clientDataJSON: Buffer }>(credentialId: Buffer, response: Response) {
  const id = credentialId.toString("base64url");
  const clientDataJSON = response.clientDataJSON.toString("base64url");
  return {
    id,
    rawId: id,
    type: "public-key",
    response: { ...response, clientDataJSON },
    clientExtensionResults: {},
    authenticatorAttachment: "cross-platform",
  };
}

/** https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data */
function authenticatorData(relyingPartyId: string, tampering: Tampering, attested: Buffer = Buffer.alloc(0)): Buffer {
  const { rpId = relyingPartyId, up = true, uv = false, be = false, bs = false, counter = 0 } = tampering;
  const bits = [up, false, uv, be, bs, false, attested.length > 0];
  const flags = bits.reduce((sum, isSet, bit) => (isSet ? sum | (1 << bit) : sum), 0);
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash("sha256").update(rpId).digest(), head, attested]);
}

function attestedCredential(aaguid: string, { credentialId, cose }: { credentialId: Buffer; cose: Buffer }): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  return Buffer.concat([Buffer.from(aaguid.replaceAll("-", ""), "hex"), length, credentialId, cose]);
}

function coordinates(publicKey: KeyObject): PublicPoint {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  return { x: Buffer.from(x, "base64url"), y: Buffer.from(y, "base64url") };
}

type CoseMember = readonly [number, Cbor];

function ecMembers(crv: number, { x, y }: PublicPoint): CoseMember[] {
  return [
    [1, 2],
    [-1, crv],
    [-2, x],
    [-3, y],
  ];
}

function rsaMembers(publicKey: KeyObject): CoseMember[] {
  const { n = "", e = "" } = publicKey.export({ format: "jwk" });
  return [
    [1, 3],
    [-1, Buffer.from(n, "base64url")],
    [-2, Buffer.from(e, "base64url")],
  ];
}

function afterSigning(made: Made, { afterSigning: change }: Tampering): Made {
  return {
    authenticatorData: change?.authenticatorData?.(made.authenticatorData) ?? made.authenticatorData,
    clientDataJSON: change?.clientDataJSON?.(made.clientDataJSON) ?? made.clientDataJSON,
  };
}
