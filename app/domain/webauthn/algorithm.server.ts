import { createPublicKey } from "node:crypto";
import { cose, decodeCredentialPublicKey } from "@simplewebauthn/server/helpers";
import type { PASSKEY_ALGORITHMS } from "./passkey-options.ts";

type Algorithm = (typeof PASSKEY_ALGORITHMS)[number];

/** Each algorithm has one curve (https://www.w3.org/TR/webauthn-3/#sctn-alg-identifier). */
const CURVES: ReadonlyMap<unknown, { alg: Algorithm; crv: number; name: string }> = new Map([
  [-7, { alg: -7, crv: 1, name: "P-256" }],
  [-35, { alg: -35, crv: 2, name: "P-384" }],
  [-36, { alg: -36, crv: 3, name: "P-521" }],
]);

/**
 * Returns the COSE algorithm of a credential public key (COSE_Key, RFC 9052). Returns null if the algorithm is not
 * supported, the curve does not match it, the point is not on the curve, or an RSA key is weak. A registration without attestation contains
 * no signature, so that such a key would fail only at sign-in.
 */
export function algorithmOf(publicKey: Uint8Array<ArrayBuffer>): Algorithm | null {
  const key = decodeCredentialPublicKey(publicKey);
  if (cose.isCOSEPublicKeyRSA(key)) return rsaAlgorithmOf(key);
  if (!cose.isCOSEPublicKeyEC2(key)) return null;
  const curve = CURVES.get(key.get(cose.COSEKEYS.alg));
  const x = key.get(cose.COSEKEYS.x);
  const y = key.get(cose.COSEKEYS.y);
  if (!curve || key.get(cose.COSEKEYS.crv) !== curve.crv || !x || !y) return null;
  return isOnCurve(curve.name, x, y) ? curve.alg : null;
}

/** Shortest RSA modulus in bytes: 2,048 bits, as Windows Hello has. */
const RSA_MODULUS_BYTES = 256;

/** Longest RSA modulus in bytes: 4,096 bits. A longer one would make each check expensive. */
const RSA_MODULUS_MAX_BYTES = 512;

function rsaAlgorithmOf(key: cose.COSEPublicKeyRSA): Algorithm | null {
  const n = key.get(cose.COSEKEYS.n);
  const e = key.get(cose.COSEKEYS.e);
  if (key.get(cose.COSEKEYS.alg) !== -257 || !n || !e) return null;
  const isOfSize = n.length >= RSA_MODULUS_BYTES && n.length <= RSA_MODULUS_MAX_BYTES && n[0] !== 0;
  return isOfSize && RSA_EXPONENT.equals(e) ? -257 : null;
}

/** The public exponent 65,537, the only one in use. */
const RSA_EXPONENT = Buffer.from([1, 0, 1]);

function isOnCurve(crv: string, x: Uint8Array, y: Uint8Array): boolean {
  try {
    createPublicKey({ key: { kty: "EC", crv, x: base64url(x), y: base64url(y) }, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
