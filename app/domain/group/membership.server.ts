import {
  addGroupMember,
  countFurtherGroups,
  listDefaultGroups,
  removeGroupMember,
} from "#app/db/repositories/group-members.server.ts";
import type { Group, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";

/**
 * Maximum number of further groups of a user. Applications can receive the names of all groups in one claim, which an
 * ID token may contain, and which has to fit in the headers of their requests.
 */
export const MAX_FURTHER_GROUPS = 100;

/** Maximum number of default groups, so that new users stay far below the limit of their groups. */
export const MAX_DEFAULT_GROUPS = 20;

type Member = Pick<User, "id" | "username" | "groupId">;

/**
 * Locks the memberships of all users until the transaction ends, so that no group is removed while a user gets it. Take
 * it before any other lock: login names, rows of users, sessions, the audit trail.
 */
export function lockMemberships(store: Store): Promise<void> {
  return store.lock("group memberships");
}

/**
 * Makes a new user a member of the default groups and of these further ones, except of the home group. The event of the
 * new user covers it. Call it in the transaction that adds the user, after `lockMemberships`. Throws DomainError "too
 * many groups". Returns the further groups, by name.
 */
export async function addFirstMemberships(store: Store, user: Member, groups: readonly Group[]): Promise<Group[]> {
  const all = new Map([...(await listDefaultGroups(store)), ...groups].map((group) => [group.id, group]));
  if (user.groupId !== null) all.delete(user.groupId);
  if (all.size > MAX_FURTHER_GROUPS) throw tooMany(user);
  for (const groupId of all.keys()) await addGroupMember(store, { userId: user.id, groupId });
  return [...all.values()].toSorted((one, other) => one.name.localeCompare(other.name));
}

/**
 * Ends and begins memberships of further groups, and records each change. Groups that the user has, or lacks already, are
 * left alone; so is the home group if it is to be added. A former further group that is the home group now is no further
 * group any more. Call it in the transaction that has locked memberships and the user's row, and then `endLostAccess`.
 * Throws DomainError "home group" if that is to be removed, "user is invalid" if one is in both lists, "too many groups".
 * Returns false if no membership has begun or ended.
 */
export async function changeMemberships(
  context: AuditDeps,
  user: Member,
  { add, remove }: { add: readonly Group[]; remove: readonly Group[] },
): Promise<boolean> {
  const { store } = context;
  let isChanged = false;
  const home = remove.find(({ id }) => id === user.groupId);
  if (home) throw new DomainError("home group", { detail: `${user.username}: ${home.name}` });
  const both = add.find(({ id }) => remove.some((group) => group.id === id));
  if (both) throw new DomainError("user is invalid", { detail: `removeGroups: ${both.name} is to be added, too` });
  for (const group of remove) {
    const isRemoved = await removeGroupMember(store, { userId: user.id, groupId: group.id });
    isChanged ||= isRemoved;
    if (isRemoved) await recordEvent(context, membershipEvent("group.member-removed", user, group));
  }
  for (const group of add) {
    if (group.id === user.groupId) continue;
    const isAdded = await addGroupMember(store, { userId: user.id, groupId: group.id });
    isChanged ||= isAdded;
    if (isAdded) await recordEvent(context, membershipEvent("group.member-added", user, group));
  }
  if (user.groupId !== null) await removeGroupMember(store, { userId: user.id, groupId: user.groupId });
  if (add.length > 0 && (await countFurtherGroups(store, user.id)) > MAX_FURTHER_GROUPS) throw tooMany(user);
  return isChanged;
}

/** Event of a membership that begins or ends. */
export function membershipEvent(
  type: "group.member-added" | "group.member-removed",
  { id: userId, username }: Pick<User, "id" | "username">,
  { id: groupId, name: reason }: Pick<Group, "id" | "name">,
) {
  return { type, outcome: "ok", userId, username, groupId, reason } as const;
}

/** Throws DomainError "too many groups" if there are more default groups than allowed. */
export async function requireFewDefaults(store: Store): Promise<void> {
  const { length } = await listDefaultGroups(store);
  if (length > MAX_DEFAULT_GROUPS) {
    throw new DomainError("too many groups", { detail: `at most ${MAX_DEFAULT_GROUPS} groups can be default groups` });
  }
}

function tooMany({ username }: Member): DomainError {
  const detail = `${username} would have more than ${MAX_FURTHER_GROUPS} groups besides the home group`;
  return new DomainError("too many groups", { detail });
}
