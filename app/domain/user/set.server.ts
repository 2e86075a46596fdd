import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { moveExternalAccounts } from "#app/db/repositories/external-accounts.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { lockUser, updateUserProfile } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { endLostAccess } from "#app/domain/application-access/end-lost-access.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { dayOf, daySchema } from "#app/domain/base/day.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { printable } from "#app/domain/base/printable.ts";
import { getGroup, getGroups } from "#app/domain/group/find.server.ts";
import { changeMemberships, lockMemberships } from "#app/domain/group/membership.server.ts";
import { isUnconfirmedRegistration, type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { ADDRESS_LINK_KINDS } from "#app/domain/secret/token-kinds.ts";
import { requireVerifiable } from "#app/domain/username/require-free.server.ts";
import { isSameAddress } from "#app/mail-address.server.ts";
import { newUserSchema } from "./add.server.ts";
import { getUserById, getUserByName } from "./get.server.ts";
import { showUser } from "./show.server.ts";
import type { UserView } from "./view.server.ts";

const { displayName, givenName, familyName, email, phone, picture, address, groupName, permissions, locale } =
  newUserSchema.shape;

/**
 * Changes of a user. Absent fields are unchanged, null clears. `permissions` and `address` are replaced. `addGroups` and
 * `removeGroups` are names of further groups; `groupName` is the home group. `lastDay`: YYYY-MM-DD in TIME_ZONE.
 */
const userChangesSchema = z.strictObject({
  displayName: displayName.optional(),
  givenName: givenName.unwrap().optional(),
  familyName: familyName.unwrap().optional(),
  email: email.unwrap().optional(),
  emailVerified: z.boolean().optional(),
  phone: phone.unwrap().optional(),
  picture: picture.unwrap().optional(),
  address: address.unwrap().optional(),
  groupName: groupName.unwrap().optional(),
  addGroups: z.array(z.string()).default([]),
  removeGroups: z.array(z.string()).default([]),
  permissions: permissions.unwrap().optional(),
  locale: locale.unwrap().optional(),
  lastDay: daySchema.nullable().optional(),
});

/** Input of `setUser`. */
export type UserChanges = z.input<typeof userChangesSchema>;

/** Dependencies of `setUser`. */
type SetDeps = AuditDeps & MailDeps & { config: Pick<Config, "timeZone"> };

type Changes = z.output<typeof userChangesSchema>;

/** Links, besides `not-me`, that a new e-mail address invalidates. The administrator's address is not undone by mail. */
const MAILED_LINKS = [...ADDRESS_LINK_KINDS, "email-change-undo"] as const;

/**
 * Changes a user's profile on behalf of an administrator. Clients receive the new claims at their next request; the
 * sign-in policy uses the new groups, and access to applications that they do not give ends. A group that the user has
 * or lacks already is no error; values that are stored already are no change, and not recorded. A new e-mail address invalidates links mailed to the old one, ends the user's own
 * pending change of the address, and the links that undo earlier ones; the old one gets a notice. Another spelling of the
 * same address is no new one. Throws DomainError
 * "user not found", "user has no e-mail" (to verify), "user is invalid" (also if the address to verify is another
 * user's name), "group not found", "home group" (to remove from as a further group), "too many groups", "last day is
 * past", or "account in use" when an external account of the user is linked to another user of the new group.
 * `isChanged`: false if all values were stored already.
 */
export async function setUser(
  context: SetDeps,
  username: string,
  input: UserChanges,
): Promise<{ user: UserView; isChanged: boolean }> {
  const isChanged = await context.store.tx((store) => changeUser({ ...context, store }, username, input));
  return { user: await showUser(context, username), isChanged };
}

/** Changes a user's profile like `setUser`, in the transaction of the store. Returns false if nothing changed. */
export async function changeUser(context: SetDeps, username: string, input: UserChanges): Promise<boolean> {
  return changeFound(context, () => getUserByName(context.store, username), input);
}

/** Changes the profile of the user with this id like `changeUser`. */
export async function changeUserById(context: SetDeps, id: string, input: UserChanges): Promise<boolean> {
  return changeFound(context, () => getUserById(context.store, id), input);
}

/** Finds the user. Throws DomainError "user not found". */
type FindUser = () => Promise<User>;

async function changeFound(context: SetDeps, find: FindUser, input: UserChanges): Promise<boolean> {
  const changes = parseInput(userChangesSchema, input, "user is invalid");
  try {
    return await change(context, find, changes);
  } catch (error) {
    if (!context.store.isUnique(error)) throw error;
    throw new DomainError("account in use", { detail: printable(changes.groupName ?? "-"), cause: error });
  }
}

async function change(context: SetDeps, find: FindUser, changes: Changes): Promise<boolean> {
  const { store, clock, config } = context;
  const today = dayOf(clock.now(), config.timeZone);
  const { lastDay } = changes;
  if (lastDay && lastDay < today) throw new DomainError("last day is past", { detail: lastDay });
  const { groupName, addGroups, removeGroups, emailVerified: isVerified, ...profile } = changes;
  const changesGroups = groupName !== undefined || addGroups.length + removeGroups.length > 0;
  if (changesGroups) await lockMemberships(store);
  const found = await find();
  const groupId = groupName === undefined ? undefined : await idOfGroup(store, groupName);
  const memberships = { add: await getGroups(store, addGroups), remove: await getGroups(store, removeGroups) };
  const isNewAddress = ({ email: present }: User) =>
    profile.email !== undefined && !isSameAddress(profile.email, present);
  // Before the user's row: a link locks itself first and its user second; another order could deadlock.
  if (isNewAddress(found)) await removeMailedLinks(store, found);
  // As it is after a change at the same moment: the event and the state of the address depend on it.
  const before = await lockUser(store, found.id);
  if (before === null) throw new DomainError("user not found", { detail: found.username });
  if (isNewAddress(before) && !isNewAddress(found)) await removeMailedLinks(store, before);
  // Otherwise it stays as it is: a mailed link may verify the address at the same moment.
  const emailVerified = isVerified ?? (isNewAddress(before) ? false : undefined);
  const after = await updateUserProfile(store, before.id, { ...profile, groupId, emailVerified }, clock.now());
  if (after === null) throw new DomainError("user not found", { detail: before.username });
  if (after.emailCanonical !== before.emailCanonical) await notifyOldAddress(context, before);
  if (isVerified) {
    if (after.email === null) throw new DomainError("user has no e-mail", { detail: before.username });
    await requireVerifiable(store, after.email, before.id);
  }
  if (after.groupId !== before.groupId) await moveExternalAccounts(store, before.id, after.groupId);
  let isMoved = false;
  if (changesGroups) {
    isMoved = await changeMemberships(context, after, memberships);
    await endLostAccess(context, { userId: before.id });
  }
  // Field names only, no values: the audit trail is kept longer than the user.
  const reason = changedFields(changes, before, after);
  if (reason.length === 0) return isMoved;
  const { id: userId, username: name } = before;
  await recordEvent(context, {
    type: "user.changed",
    outcome: "ok",
    userId,
    username: name,
    reason: reason.join(", "),
  });
  return true;
}

async function removeMailedLinks(store: Store, { id }: User): Promise<void> {
  // A report locks its own link first and the others second.
  await removeOneTimeTokensOfUser(store, id, ["not-me"]);
  await removeOneTimeTokensOfUser(store, id, MAILED_LINKS);
}

/** Returns the given fields whose stored value is another one now. Memberships, which have their own events, are none. */
function changedFields(changes: Changes, before: User, after: User): string[] {
  const [old, stored] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return Object.keys(changes).filter((field) => {
    const column = field === "groupName" ? "groupId" : field;
    return !isDeepStrictEqual(old.get(column), stored.get(column));
  });
}

/**
 * Mails a notice to the address before the change, if the user has one. It has no link to undo the change: an
 * administrator may replace an address because a stranger reads its mails. A registered address whose mailed link was
 * never used gets none, as in the settings.
 */
async function notifyOldAddress(context: SetDeps, before: User): Promise<void> {
  if (before.email === null || (await isUnconfirmedRegistration(context.store, before))) return;
  await queueMail(context, { to: before, template: { name: "email-replaced" } });
}

async function idOfGroup(store: Store, name: string | null): Promise<string | null> {
  return name === null ? null : (await getGroup(store, name)).id;
}
