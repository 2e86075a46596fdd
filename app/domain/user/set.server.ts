import { z } from "zod";
import { moveExternalAccounts } from "#app/db/repositories/external-accounts.server.ts";
import { findGroupByName } from "#app/db/repositories/groups.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { printable } from "#app/domain/base/printable.ts";
import { LINK_KINDS } from "#app/domain/secret/token-kinds.ts";
import { requireVerifiable } from "#app/domain/username/require-free.server.ts";
import { newUserSchema } from "./add.server.ts";
import { getUserByName } from "./get.server.ts";
import { showUser } from "./show.server.ts";
import type { UserView } from "./view.server.ts";

const { displayName, email, phone, picture, address, groupName, permissions, locale } = newUserSchema.shape;

/** Changes of a user. Absent fields are unchanged, null clears. `permissions` and `address` are replaced. */
const userChangesSchema = z.strictObject({
  displayName: displayName.optional(),
  email: email.unwrap().optional(),
  emailVerified: z.boolean().optional(),
  phone: phone.unwrap().optional(),
  picture: picture.unwrap().optional(),
  address: address.unwrap().optional(),
  groupName: groupName.unwrap().optional(),
  permissions: permissions.unwrap().optional(),
  locale: locale.unwrap().optional(),
});

/** Input of `setUser`. */
export type UserChanges = z.input<typeof userChangesSchema>;

type Changes = z.output<typeof userChangesSchema>;

/** Links, besides `not-me`, that are invalidated when the e-mail address changes: they were sent to the old one. */
const MAILED_LINKS = [...LINK_KINDS, "not-me-reset"] as const;

/**
 * Changes a user's profile on behalf of an administrator. Clients receive the new claims at their next request; the
 * sign-in policy uses the new group. A new e-mail address invalidates links mailed to the old one. Throws DomainError
 * "user not found", "user has no e-mail" (to verify), "user is invalid" (also if the address to verify is another user's
 * name), "group not found", or
 * "account in use" when an external account of the user is linked to another user of the new group.
 */
export async function setUser(context: AuditDeps, username: string, input: UserChanges): Promise<UserView> {
  await context.store.tx((store) => changeUser({ ...context, store }, username, input));
  return showUser(context, username);
}

/** Changes a user's profile like `setUser`, in the transaction of the store. */
export async function changeUser(context: AuditDeps, username: string, input: UserChanges): Promise<void> {
  const changes = parseInput(userChangesSchema, input, "user is invalid");
  try {
    await change(context, username, changes);
  } catch (error) {
    if (!context.store.isUnique(error)) throw error;
    throw new DomainError("account in use", { detail: printable(changes.groupName ?? "-"), cause: error });
  }
}

async function change(context: AuditDeps, username: string, changes: Changes): Promise<void> {
  const { store, clock } = context;
  const { groupName, emailVerified: isVerified, ...profile } = changes;
  const before = await getUserByName(store, username);
  const groupId = groupName === undefined ? before.groupId : await idOfGroup(store, groupName);
  const isNewAddress = profile.email !== undefined && profile.email !== before.email;
  // Otherwise it stays as it is: a mailed link may verify the address at the same moment.
  const emailVerified = isVerified ?? (isNewAddress ? false : undefined);
  // Before the user's row: a link locks itself first and its user second; another order could deadlock.
  if (isNewAddress) {
    // A report locks its own link first and the others second.
    await removeOneTimeTokensOfUser(store, before.id, ["not-me"]);
    await removeOneTimeTokensOfUser(store, before.id, MAILED_LINKS);
  }
  const after = await updateUserProfile(store, before.id, { ...profile, groupId, emailVerified }, clock.now());
  if (isVerified && after !== null) {
    if (after.email === null) throw new DomainError("user has no e-mail", { detail: before.username });
    await requireVerifiable(store, after.email, before.id);
  }
  if (groupId !== before.groupId) await moveExternalAccounts(store, before.id, groupId);
  // Field names only, no values: the audit trail is kept longer than the user.
  const reason = Object.keys(changes).join(", ");
  const { id: userId, username: name } = before;
  await recordEvent(context, { type: "user.changed", outcome: "ok", userId, username: name, reason });
}

async function idOfGroup(store: Store, name: string | null): Promise<string | null> {
  if (name === null) return null;
  const group = await findGroupByName(store, name);
  if (!group) throw new DomainError("group not found", { detail: printable(name) });
  return group.id;
}
