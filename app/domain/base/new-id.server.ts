import type { Random } from "#app/ports.ts";

/** Returns a new row id: 128 random bits in hexadecimal, because base64url could start with a hyphen. */
export function newId(random: Random): string {
  return Buffer.from(random.bytes(16)).toString("hex");
}
