import { generateURI, ScureBase32Plugin } from "otplib";
import type { Random } from "#app/ports.ts";

/** 160 bits, as RFC 4226 section 4 advises. */
const SECRET_BYTES = 20;

const base32 = new ScureBase32Plugin();

/** A new secret for an authenticator app: 32 characters of Base32. */
export function newSecret(random: Random): string {
  return base32.encode(random.bytes(SECRET_BYTES));
}

/** What the person puts into the app: the secret, to type, and the address with it, as a link or QR code. */
export type ShownSecret = { secretBase32: string; otpauthUri: string };

/** A secret as this person is shown it. */
export function showSecret(
  { productName }: { productName: string },
  { username }: { username: string },
  secretBase32: string,
): ShownSecret {
  return { secretBase32, otpauthUri: otpauthUri({ productName, username, secretBase32 }) };
}

/**
 * The address that an authenticator app takes, as a link or as a QR code: SHA-1, 6 digits, 30 s, which is what every app
 * assumes. It holds the secret: never in a log.
 */
export function otpauthUri(facts: { productName: string; username: string; secretBase32: string }): string {
  // A colon separates the two names of the label and may stand in neither.
  const issuer = facts.productName.replaceAll(":", " ");
  return generateURI({ issuer, label: facts.username, secret: facts.secretBase32 });
}
