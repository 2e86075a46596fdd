import { createHash } from "node:crypto";
import type { Group } from "#app/db/schema.server.ts";

/** Returns a fingerprint of everything that an administrator can change of a group: another one means that it changed. */
export function versionOf({ id, name, requireMfa, isDefault, description, contact }: Group): string {
  return fingerprintOf([id, name, requireMfa, isDefault, description, contact]);
}

/** Returns the SHA-256 of the JSON of a value, base64url. */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
