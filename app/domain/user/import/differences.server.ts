import { isDeepStrictEqual } from "node:util";
import type { User, UserStatus } from "#app/db/schema.server.ts";
import type { UserChanges } from "#app/domain/user/set.server.ts";
import type { ImportRow } from "./row.server.ts";

/** Changes of a row by the field of `setUser`, and the stored value with which each is compared. */
type Field = { name: keyof UserChanges; column: keyof User };

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["display_name", { name: "displayName", column: "displayName" }],
  ["email", { name: "email", column: "email" }],
  ["email_verified", { name: "emailVerified", column: "emailVerified" }],
  ["phone", { name: "phone", column: "phone" }],
  ["picture", { name: "picture", column: "picture" }],
  ["address", { name: "address", column: "address" }],
  ["group", { name: "groupName", column: "groupId" }],
  ["permissions", { name: "permissions", column: "permissions" }],
  ["locale", { name: "locale", column: "locale" }],
]);

/** The changes that a row makes to a user. `fields` are those of the file; null for a status or hash that does not change. */
type Differences = { fields: string[]; status: UserStatus | null; passwordHash: string | null };

/**
 * Compares the fields of a row that are present in the file with the stored user, so that an update neither stores nor
 * records what is the same. A password hash is used only if the user has no password.
 */
export function differencesOf(row: ImportRow & { groupId: string | null }, user: User): Differences {
  const { presentFields } = row;
  const wanted: Readonly<Record<string, unknown>> = { ...row, group: row.groupId };
  const different = [...FIELDS]
    .filter(([field, { column }]) => presentFields.has(field) && !isDeepStrictEqual(wanted[field], user[column]))
    .map(([field]) => field);
  // A new address is unverified, unless the row verifies it.
  const isVerifiedAgain = different.includes("email") && presentFields.has("email_verified");
  const fields = isVerifiedAgain ? [...new Set([...different, "email_verified"])] : different;
  return {
    fields,
    status: presentFields.has("status") && row.status !== user.status ? row.status : null,
    passwordHash: user.passwordHash === null ? row.password_hash : null,
  };
}

/** Returns these fields of a row as changes of `setUser`. */
export function changesOf(row: ImportRow, fields: readonly string[]): UserChanges {
  const values: Readonly<Record<string, unknown>> = row;
  return Object.fromEntries(fields.map((field) => [FIELDS.get(field)?.name ?? field, values[field]]));
}
