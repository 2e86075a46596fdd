import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { isMissingReference } from "#app/db/errors.server.ts";
import { createUser } from "#app/db/repositories/users.server.ts";
import type { Group, NewUser } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { withoutInvisible } from "#app/domain/base/invisible.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { getGroup, getGroups } from "#app/domain/group/find.server.ts";
import { addFirstMemberships, lockMemberships } from "#app/domain/group/membership.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { requirePassword } from "#app/domain/password/require.server.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";
import { requireFreeName } from "#app/domain/username/require-free.server.ts";
import { mailAddressSchema } from "#app/mail-address.server.ts";
import type { Random } from "#app/ports.ts";
import { addressSchema, localeSchema, pictureSchema } from "./profile.ts";
import { type UserView, userView } from "./view.server.ts";

/**
 * Input for a new user. `password` can be set later. `groupName` is the home group; `furtherGroups` are further groups,
 * besides the default groups.
 */
export const newUserSchema = z.strictObject({
  username: z.string(),
  displayName: lineSchema(200),
  givenName: lineSchema(100).nullable().default(null),
  familyName: lineSchema(100).nullable().default(null),
  email: z.string().overwrite(withoutInvisible).pipe(mailAddressSchema).nullable().default(null),
  phone: lineSchema(50).nullable().default(null),
  groupName: z.string().nullable().default(null),
  furtherGroups: z.array(z.string()).default([]),
  picture: pictureSchema.nullable().default(null),
  address: addressSchema.nullable().default(null),
  permissions: z.array(z.string().regex(/^[\x21-\x7e]{1,100}$/)).default([]),
  locale: localeSchema.nullable().default(null),
  password: z.string().nullable().default(null),
});

/** Input of `addUser`. */
export type NewUserInput = z.input<typeof newUserSchema>;

/** Dependencies of `addUser`. */
type AddUserDeps = AuditDeps & { random: Random; hasher: PasswordHasher; config: Pick<Config, "productName"> };

/**
 * Adds a user. Throws DomainError: "username is empty", "username is invalid", "username not available",
 * "user is invalid", "group not found", "too many groups", "empty-password", "password-strength", "password-common".
 */
export async function addUser(context: AddUserDeps, input: NewUserInput): Promise<UserView> {
  const prepared = await prepareUser(context, input);
  return context.store.tx((store) => storeUser({ ...context, store }, prepared));
}

type PreparedUser = { row: NewUser; group: Group | null; furtherGroups: Group[] };

/** Checks the input of `addUser` and hashes the password; throws as `addUser`. */
export async function prepareUser(context: AddUserDeps, input: NewUserInput): Promise<PreparedUser> {
  const { username, groupName, furtherGroups, password, ...profile } = parseInput(
    newUserSchema,
    input,
    "user is invalid",
  );
  const name = requireUsername(username);
  const group = groupName === null ? null : await getGroup(context.store, groupName);
  const passwordUser = { username: name.username, displayName: profile.displayName, email: profile.email };
  const passwordHash =
    password === null ? null : await context.hasher.hash(await requirePassword(context, password, passwordUser));
  const now = context.clock.now();
  const row = {
    id: newId(context.random),
    ...name,
    ...profile,
    groupId: group?.id ?? null,
    passwordHash,
    passwordSetAt: passwordHash === null ? null : now,
    passwordSetHow: passwordHash === null ? null : ("cli" as const),
    createdAt: now,
    updatedAt: now,
  };
  return { row, group, furtherGroups: await getGroups(context.store, furtherGroups) };
}

/**
 * Adds a prepared user in the transaction of the store, and makes the user a member of the default groups. Throws
 * DomainError "username not available", "too many groups".
 */
export async function storeUser(context: AuditDeps, { row, group, furtherGroups }: PreparedUser): Promise<UserView> {
  const { store } = context;
  await lockMemberships(store);
  try {
    const user = await createUser(store, row);
    await requireFreeName(store, row.usernameCanonical, user.id);
    const groups = await addFirstMemberships(store, user, furtherGroups);
    await recordEvent(context, { type: "user.added", outcome: "ok", userId: user.id, username: user.username });
    return userView(user, { group, furtherGroups: groups });
  } catch (error) {
    if (store.isUnique(error)) throw new DomainError("username not available", { cause: error });
    // Another process has removed a group since.
    if (isMissingReference(error)) {
      const detail = [group, ...furtherGroups].flatMap((one) => one?.name ?? []).join(", ");
      throw new DomainError("group not found", { detail, cause: error });
    }
    throw error;
  }
}

function requireUsername(input: string): { username: string; usernameCanonical: string } {
  if (input.trim() === "") throw new DomainError("username is empty");
  const name = parseUsername(input);
  if (!name.ok) throw new DomainError("username is invalid");
  return { username: name.username, usernameCanonical: name.canonical };
}
