import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { certificate } from "./attestation-certificate.ts";
import type { Cbor } from "./cbor.ts";

export type Format = "packed" | "fido-u2f" | "none";
export type Made = { authenticatorData: Buffer; clientDataJSON: Buffer };
export type PublicPoint = { x: Buffer; y: Buffer };

type Signed = Made & {
  credentialId: Buffer;
  point: PublicPoint;
  algorithm: number;
  hash: string;
  privateKey: KeyObject;
};

/** Creates an attestation: `packed` is signed by the key itself, `fido-u2f` with a certificate, `none` is empty. */
export function attest(
  format: Format,
  signed: Signed,
  bent: (signature: Buffer) => Buffer = (signature) => signature,
): { format: string; statement: Cbor } {
  if (format === "none") return { format, statement: new Map() };
  if (format === "packed") {
    const sig = bent(sign(signed.hash, signedText(signed), signed.privateKey));
    const statement = new Map<string, Cbor>([
      ["alg", signed.algorithm],
      ["sig", sig],
    ]);
    return { format, statement };
  }
  const maker = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const x5c = [
    certificate({
      name: "A security key",
      issuer: "Its maker",
      publicKey: maker.publicKey,
      issuerKey: maker.privateKey,
    }),
  ];
  const sig = bent(sign("sha256", u2fText(signed), maker.privateKey));
  const statement = new Map<string, Cbor>([
    ["x5c", x5c],
    ["sig", sig],
  ]);
  return { format, statement };
}

/** https://www.w3.org/TR/webauthn-3/#sctn-fido-u2f-attestation */
function u2fText({ authenticatorData: data, clientDataJSON, credentialId, point }: Signed): Buffer {
  const publicKey = Buffer.concat([Buffer.from([4]), point.x, point.y]);
  const clientDataHash = createHash("sha256").update(clientDataJSON).digest();
  return Buffer.concat([Buffer.from([0]), data.subarray(0, 32), clientDataHash, credentialId, publicKey]);
}

/** Returns the bytes that a key signs. */
export function signedText({ authenticatorData: data, clientDataJSON }: Made): Buffer {
  return Buffer.concat([data, createHash("sha256").update(clientDataJSON).digest()]);
}
