import type { Random } from "#app/ports.ts";

/** A new id of a row: 128 random bits, 32 hexadecimal digits; never begins with a hyphen, as base64url may. */
export function newId(random: Random): string {
  return Buffer.from(random.bytes(16)).toString("hex");
}
