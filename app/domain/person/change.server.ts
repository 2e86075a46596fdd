import type { Config } from "#app/config/config.ts";
import { findGroup } from "#app/db/repositories/groups.server.ts";
import type { Group, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type Administrator, allows, type Permission } from "#app/domain/administration/administrator.ts";
import { requirePerson } from "#app/domain/administration/person.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { DomainError, type ErrorCode } from "#app/domain/base/errors.ts";
import { lockMemberships } from "#app/domain/group/membership.server.ts";
import { fingerprintOf } from "#app/domain/group/version.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import type { ThrottleDeps } from "#app/domain/password/throttle.server.ts";
import { grantRole, revokeRole } from "#app/domain/role/grant.server.ts";
import type { GrantedRole, Role } from "#app/domain/role/role.ts";
import { changeStatus } from "#app/domain/user/block.server.ts";
import { endAllSessions } from "#app/domain/user/end-sessions.server.ts";
import { removeFoundUser } from "#app/domain/user/remove.server.ts";
import { changeUserById, type UserChanges } from "#app/domain/user/set.server.ts";

/** Dependencies of changes of a person. `store`: that of the administrator (administration/find.server.ts `storeOf`). */
export type PersonDeps = AuditDeps & MailDeps & { config: Pick<Config, "timeZone"> };

/** An administrator, and the id of the person to change. */
export type PersonRef = { administrator: Administrator; id: string };

/**
 * Result of a change. "refused" changed nothing, for the reason `code`; so did "not found" and "not allowed". `fields`: the
 * invalid fields.
 */
export type PersonChange =
  | { kind: "done" }
  | { kind: "not found" }
  | { kind: "not allowed" }
  | { kind: "refused"; code: ErrorCode; detail: string; fields?: readonly string[] };

/** A person in the transaction of a change. */
type FoundPerson = { user: User; granted: GrantedRole | null };

/** `permission`: of the role; `locksMemberships`: the change begins or ends memberships of groups. */
type ChangeRule = { permission: Permission; locksMemberships?: boolean };

/**
 * Changes a person in one transaction, after it has checked there that the administrator still has the role, that the
 * role has the permission, and that it covers the person (`requirePerson`). A DomainError rolls back, and is the result.
 */
export async function changePerson<Deps extends PersonDeps>(
  context: Deps,
  { administrator, id }: PersonRef,
  { permission, locksMemberships = false }: ChangeRule,
  change: (deps: Deps, person: FoundPerson) => Promise<void>,
): Promise<PersonChange> {
  if (!allows(administrator, permission)) return { kind: "not allowed" };
  try {
    return await context.store.tx<PersonChange>(async (store) => {
      if (locksMemberships) await lockMemberships(store);
      const person = await requirePerson(store, administrator, id);
      if (person.kind !== "found") return rollback(person);
      await change({ ...context, store }, person);
      return { kind: "done" };
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { kind: "refused", code: error.code, detail: error.detail, fields: error.fields };
  }
}

/** Returns a fingerprint of the data that `editPerson` changes: another one means that it has changed. */
export function dataVersionOf({ displayName, givenName, familyName, email, phone }: User): string {
  return fingerprintOf([displayName, givenName, familyName, email, phone]);
}

/**
 * Changes names, e-mail address and phone. A new address is not verified. Links to the old one become invalid, and it
 * gets a notice. `seen`: the `dataVersionOf` the person that a page showed; refuses with "person changed" if it is another
 * one now, so that the form restores no value that the person or another administrator has replaced.
 */
export async function editPerson(
  context: PersonDeps,
  ref: PersonRef,
  changes: Pick<UserChanges, "displayName" | "givenName" | "familyName" | "email" | "phone">,
  { seen }: { seen: string },
): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "edit people" }, async (deps, { user }) => {
    if (seen !== dataVersionOf(user)) throw new DomainError("person changed", { detail: user.username });
    const { displayName, givenName, familyName, email, phone } = user;
    const present: Record<string, string | null> = { displayName, givenName, familyName, email, phone };
    const changed = Object.entries(changes).filter(([field, value]) => present[field] !== value);
    if (changed.length > 0) await changeUserById(deps, user.id, Object.fromEntries(changed));
  });
}

/** Changes the home group; null: none. */
export async function moveToOffice(
  context: PersonDeps,
  ref: PersonRef,
  officeId: string | null,
): Promise<PersonChange> {
  return changePerson(context, ref, MEMBERSHIPS, async (deps, { user }) => {
    if (user.groupId === officeId) return;
    const office = officeId === null ? null : await getGroupById(deps.store, officeId);
    await changeUserById(deps, user.id, { groupName: office?.name ?? null });
  });
}

/** Begins and ends memberships of further groups, by the ids of the groups. */
export async function changeFurtherGroups(
  context: PersonDeps,
  ref: PersonRef,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<PersonChange> {
  return changePerson(context, ref, MEMBERSHIPS, async (deps, { user }) => {
    const addGroups = await namesOf(deps.store, add);
    const removeGroups = await namesOf(deps.store, remove);
    await changeUserById(deps, user.id, { addGroups, removeGroups });
  });
}

const MEMBERSHIPS = { permission: "edit people", locksMemberships: true } as const satisfies ChangeRule;

async function namesOf(store: Store, ids: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const id of ids) names.push((await getGroupById(store, id)).name);
  return names;
}

async function getGroupById(store: Store, id: string): Promise<Group> {
  const group = await findGroup(store, id);
  if (!group) throw new DomainError("group not found");
  return group;
}

/** Gives the person this role in place of another one; null takes the role away. `officeId`: limit of a help desk. */
export async function changeRole(
  context: PersonDeps,
  ref: PersonRef,
  { role, officeId }: { role: Role | null; officeId: string | null },
): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "manage roles" }, async (deps, { user, granted }) => {
    if (role === null) {
      if (granted !== null) await revokeRole(deps, user);
      return;
    }
    const office = officeId === null ? null : await getGroupById(deps.store, officeId);
    await grantRole(deps, user, { role, office });
  });
}

/** Blocks the person, unless another request has. `reason`: for administrators; null without one. */
export async function blockPerson(
  context: PersonDeps,
  ref: PersonRef,
  { reason }: { reason: string | null },
): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "block people" }, async (deps, { user }) => {
    await changeStatus(deps, user, "blocked", { blockReason: reason });
  });
}

/** Unblocks the person, unless another request has. */
export async function unblockPerson(context: PersonDeps, ref: PersonRef): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "block people" }, async (deps, { user }) => {
    await changeStatus(deps, user, "active");
  });
}

/** Ends all sessions and tokens of the person, who can sign in again at once. */
export async function endPersonSessions(context: PersonDeps, ref: PersonRef): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "block people" }, async (deps, { user }) => {
    await endAllSessions(deps, user);
  });
}

/** Sets the last day, as YYYY-MM-DD in TIME_ZONE; null removes it. */
export async function changeLastDay(
  context: PersonDeps,
  ref: PersonRef,
  lastDay: string | null,
): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "block people" }, async (deps, { user }) => {
    if (user.lastDay !== lastDay) await changeUserById(deps, user.id, { lastDay });
  });
}

/** Removes the person's account. Refuses with "user not found" unless `username` is the person's user name. */
export async function removePerson(
  context: PersonDeps & ThrottleDeps,
  ref: PersonRef,
  { username }: { username: string },
): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "remove people" }, async (deps, { user }) => {
    if (username.trim() !== user.username) throw new DomainError("user not found", { detail: user.username });
    await removeFoundUser(deps, user);
  });
}
