import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { isMissingReference } from "#app/db/errors.server.ts";
import { findGroupByName } from "#app/db/repositories/groups.server.ts";
import { createUser } from "#app/db/repositories/users.server.ts";
import type { Group, NewUser } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { withoutInvisible } from "#app/domain/base/invisible.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { requirePassword } from "#app/domain/password/require.server.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";
import { requireFreeName } from "#app/domain/username/require-free.server.ts";
import { mailAddressSchema } from "#app/mail-address.server.ts";
import type { Random } from "#app/ports.ts";
import { addressSchema, localeSchema, pictureSchema } from "./profile.ts";
import { type UserView, userView } from "./view.server.ts";

/** Input for a new user. `password` can be set later. */
export const newUserSchema = z.strictObject({
  username: z.string(),
  displayName: lineSchema(200),
  email: z.string().overwrite(withoutInvisible).pipe(mailAddressSchema).nullable().default(null),
  phone: lineSchema(50).nullable().default(null),
  groupName: z.string().nullable().default(null),
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
 * "user is invalid", "group not found", "empty-password", "password-strength", "password-common".
 */
export async function addUser(context: AddUserDeps, input: NewUserInput): Promise<UserView> {
  const prepared = await prepareUser(context, input);
  return context.store.tx((store) => storeUser({ ...context, store }, prepared));
}

type PreparedUser = { row: NewUser; group: Group | null };

/** Checks the input of `addUser` and hashes the password; throws as `addUser`. */
export async function prepareUser(context: AddUserDeps, input: NewUserInput): Promise<PreparedUser> {
  const { username, groupName, password, ...profile } = parseInput(newUserSchema, input, "user is invalid");
  const name = requireUsername(username);
  const group = groupName === null ? null : await getGroupByName(context.store, groupName);
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
  return { row, group };
}

/** Adds a prepared user in the transaction of the store. Throws DomainError "username not available". */
export async function storeUser(context: AuditDeps, { row, group }: PreparedUser): Promise<UserView> {
  const { store } = context;
  await requireFreeName(store, row.usernameCanonical, null);
  try {
    const user = await createUser(store, row);
    await recordEvent(context, { type: "user.added", outcome: "ok", userId: user.id, username: user.username });
    return userView(user, group);
  } catch (error) {
    if (store.isUnique(error)) throw new DomainError("username not available", { cause: error });
    // Another process has removed the group since.
    if (isMissingReference(error)) {
      throw new DomainError("group not found", { detail: group?.name ?? "-", cause: error });
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

async function getGroupByName(store: Store, name: string): Promise<Group> {
  const group = await findGroupByName(store, name);
  if (!group) throw new DomainError("group not found", { detail: name });
  return group;
}
