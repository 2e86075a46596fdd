import { isDeepStrictEqual } from "node:util";
import type { Group, User, UserStatus } from "#app/db/schema.server.ts";
import type { UserChanges } from "#app/domain/user/set.server.ts";
import type { ImportRow } from "./row.server.ts";

/** Changes of a row by the field of `setUser`, and the stored value with which each is compared. */
type Field = { name: keyof UserChanges; column: keyof User };

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["display_name", { name: "displayName", column: "displayName" }],
  ["given_name", { name: "givenName", column: "givenName" }],
  ["family_name", { name: "familyName", column: "familyName" }],
  ["email", { name: "email", column: "email" }],
  ["email_verified", { name: "emailVerified", column: "emailVerified" }],
  ["phone", { name: "phone", column: "phone" }],
  ["picture", { name: "picture", column: "picture" }],
  ["address", { name: "address", column: "address" }],
  ["group", { name: "groupName", column: "groupId" }],
  ["permissions", { name: "permissions", column: "permissions" }],
  ["locale", { name: "locale", column: "locale" }],
]);

/** A row with the groups of its names: the home group, and the further groups. */
type RowWithGroups = ImportRow & { groupId: string | null; furtherGroups: readonly Group[] };

/**
 * The changes that a row makes to a user. `fields` are those of the file; `addGroups` and `removeGroups` are names of
 * further groups; null for a status or hash that does not change.
 */
export type Differences = {
  fields: string[];
  addGroups: string[];
  removeGroups: string[];
  status: UserStatus | null;
  passwordHash: string | null;
};

/**
 * Compares the fields of a row that are present in the file with the stored user, whose further groups are `current`, so
 * that an update neither stores nor records what is the same. A password hash is used only if the user has no password.
 */
export function differencesOf(row: RowWithGroups, user: User, current: readonly Group[]): Differences {
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
    ...groupDifferences(row, user, current),
    status: presentFields.has("status") && row.status !== user.status ? row.status : null,
    passwordHash: user.passwordHash === null ? row.password_hash : null,
  };
}

/** Returns true if an update with these differences would change nothing. */
export function isUnchanged({ fields, addGroups, removeGroups, status, passwordHash }: Differences): boolean {
  return fields.length + addGroups.length + removeGroups.length === 0 && status === null && passwordHash === null;
}

/**
 * The groups of the row replace the further groups, except default groups, which users have without being named in a
 * file: otherwise the second import of the same file would take them away.
 */
function groupDifferences(
  { presentFields, furtherGroups, groupId }: RowWithGroups,
  user: User,
  current: readonly Group[],
): Pick<Differences, "addGroups" | "removeGroups"> {
  if (!presentFields.has("groups")) return { addGroups: [], removeGroups: [] };
  const homeId = presentFields.has("group") ? groupId : user.groupId;
  const missingIn = (groups: readonly Group[]) => (group: Group) =>
    group.id !== homeId && !groups.some(({ id }) => id === group.id);
  const ended = current.filter(missingIn(furtherGroups)).filter(({ isDefault }) => !isDefault);
  const namesOf = (groups: readonly Group[]) => groups.map(({ name }) => name);
  return { addGroups: namesOf(furtherGroups.filter(missingIn(current))), removeGroups: namesOf(ended) };
}

/** Returns these fields of a row as changes of `setUser`. */
export function changesOf(row: ImportRow, fields: readonly string[]): UserChanges {
  const values: Readonly<Record<string, unknown>> = row;
  return Object.fromEntries(fields.map((field) => [FIELDS.get(field)?.name ?? field, values[field]]));
}
