import type { Logger } from "pino";
import { isMissingReference } from "#app/db/errors.server.ts";
import { listClientsOfGroup } from "#app/db/repositories/client-access.server.ts";
import {
  type AccessByGroup,
  countGroupMembers,
  listAccessByGroup,
  listMembersOfGroup,
} from "#app/db/repositories/group-members.server.ts";
import { removeGroupWithoutHomes } from "#app/db/repositories/groups.server.ts";
import { listRolesOfOffice } from "#app/db/repositories/user-roles.server.ts";
import type { Client, Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { endLostAccess } from "#app/domain/application-access/end-lost-access.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { lockRoles, revokeRole } from "#app/domain/role/grant.server.ts";
import type { Clock } from "#app/ports.ts";
import { type GroupReference, getReferenced } from "./find.server.ts";
import { lockMemberships, membershipEvent } from "./membership.server.ts";
import { fingerprintOf, versionOf } from "./version.server.ts";

/** A removed group. `memberships`: users who were further members; `applications`: those that were open to the group. */
export type RemovedGroup = { id: string; name: string; memberships: number; applications: number };

/** The consequences of the removal of a group. `homeMembers`: users whose home group it is; the group is kept while there are any. */
export type Removal = {
  group: Group;
  homeMembers: number;
  furtherMembers: number;
  applications: Client[];
  /** The applications that members may use by this group alone. */
  losses: AccessByGroup[];
  /** Users of a help desk for this group alone, who lose their role. */
  helpDesks: { id: string; username: string; displayName: string }[];
  /** Fingerprint of all of it: the removal of a page ends nothing that the page did not name. */
  seen: string;
};

/** Returns what the removal of the group would end, without changing anything. Throws DomainError "group not found". */
export async function previewRemoval({ store }: { store: Store }, reference: GroupReference): Promise<Removal> {
  const group = await getReferenced(store, reference);
  const counts = (await countGroupMembers(store, [group.id])).get(group.id) ?? { home: 0, further: 0 };
  const applications = await listClientsOfGroup(store, group.id);
  const losses = await listAccessByGroup(store, group.id);
  const helpDesks = await listRolesOfOffice(store, group.id);
  const seen = fingerprintOf([
    ...[versionOf(group), counts.home, counts.further, applications.map(({ id }) => id)],
    ...[losses.map(({ clientId, userId }) => [clientId, userId]), helpDesks.map(({ id }) => id)],
  ]);
  return {
    ...{ group, homeMembers: counts.home, furtherMembers: counts.further },
    ...{ applications, losses, helpDesks, seen },
  };
}

/**
 * Removes a group. Its members would lose its rule about second factors without a word, so a group that is
 * a home group is kept. So is one with further members, or to which an application is open, unless `endMemberships`: then
 * these end too, with the access that they gave. With `seen`, the `previewRemoval` that a page showed, it removes nothing if
 * that has changed. A help desk for this group loses its role. Throws DomainError "group changed", "group not found", "group has members" (home),
 * "group is in use" (further members and applications).
 */
export async function removeGroup(
  context: { store: Store; clock: Clock; log: Logger },
  reference: GroupReference,
  options: { endMemberships?: boolean; seen?: string } = {},
): Promise<RemovedGroup> {
  try {
    return await context.store.tx((store) => remove({ ...context, store }, reference, options));
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    // It has become the home group of a user at the same moment.
    throw new DomainError("group has members", { detail: printable(nameOf(reference)), cause: error });
  }
}

async function remove(
  context: { store: Store; clock: Clock; log: Logger },
  reference: GroupReference,
  { endMemberships = false, seen }: { endMemberships?: boolean; seen?: string },
): Promise<RemovedGroup> {
  const { store } = context;
  await lockMemberships(store);
  // A help desk that gets this office at the same moment loses its role by an event, and not by the row of the group alone.
  await lockRoles(store);
  const removal = await previewRemoval(context, reference);
  const { group, applications: clients } = removal;
  if (seen !== undefined && seen !== removal.seen) throw new DomainError("group changed", { detail: group.name });
  if (removal.homeMembers > 0) {
    throw new DomainError("group has members", { detail: `${group.name}: ${removal.homeMembers}` });
  }
  if (!endMemberships && removal.furtherMembers + clients.length > 0) {
    const detail = `${group.name}: ${removal.furtherMembers} further members, ${clients.length} applications`;
    throw new DomainError("group is in use", { detail });
  }
  const members = await listMembersOfGroup(store, group.id);
  for (const helpDesk of removal.helpDesks) await revokeRole(context, helpDesk);
  if (!(await removeGroupWithoutHomes(store, group.id))) {
    throw new DomainError("group has members", { detail: group.name });
  }
  for (const { id: clientId } of clients) await endLostAccess(context, { clientId });
  for (const member of members) await recordEvent(context, membershipEvent("group.member-removed", member, group));
  await recordEvent(context, { type: "group.removed", outcome: "ok", reason: `${group.name}: removed` });
  return { id: group.id, name: group.name, memberships: members.length, applications: clients.length };
}

function nameOf(reference: GroupReference): string {
  return typeof reference === "string" ? reference : reference.id;
}
