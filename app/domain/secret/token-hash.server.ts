import { hash } from "node:crypto";
import type { TokenHash } from "#app/ports.ts";

/**
 * Hashes a one-time token or browser cookie value: SHA-256, base64url, 43 characters. Only for values with at least 128
 * random bits, not for passwords.
 */
export function hashToken(token: string): TokenHash {
  const tokenHash = hash("sha256", token, "base64url");
  if (!isTokenHash(tokenHash)) throw new Error("SHA-256 did not return 43 characters");
  return tokenHash;
}

/** Returns true if the text has the format of a token hash. */
export function isTokenHash(value: string): value is TokenHash {
  return /^[\w-]{43}$/.test(value);
}
