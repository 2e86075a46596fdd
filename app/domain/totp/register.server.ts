import { generateURI, ScureBase32Plugin } from "otplib";
import type { Random } from "#app/ports.ts";

/** 160 bits, as recommended by RFC 4226 §4. */
const SECRET_BYTES = 20;

const base32 = new ScureBase32Plugin();

/** Generates a secret for an authenticator app: 32 characters of Base32. */
export function newSecret(random: Random): string {
  return base32.encode(random.bytes(SECRET_BYTES));
}

/** A secret to type, and its otpauth URI for a link or QR code. */
export type ShownSecret = { secretBase32: string; otpauthUri: string };

/** Returns a secret with its otpauth URI. */
export function showSecret(
  { productName }: { productName: string },
  { username }: { username: string },
  secretBase32: string,
): ShownSecret {
  return { secretBase32, otpauthUri: otpauthUri({ productName, username, secretBase32 }) };
}

/** Returns the otpauth URI, with the defaults SHA-1, 6 digits, 30 s. It contains the secret; never log it. */
export function otpauthUri(input: { productName: string; username: string; secretBase32: string }): string {
  // A colon separates issuer and account in the label.
  const issuer = input.productName.replaceAll(":", " ");
  return generateURI({ issuer, label: input.username, secret: input.secretBase32 });
}
