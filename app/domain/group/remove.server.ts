import type { Logger } from "pino";
import { isMissingReference } from "#app/db/errors.server.ts";
import { listClientsOfGroup } from "#app/db/repositories/client-access.server.ts";
import { countGroupMembers, listMembersOfGroup } from "#app/db/repositories/group-members.server.ts";
import { removeGroupWithoutHomes } from "#app/db/repositories/groups.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { endLostAccess } from "#app/domain/application-access/end-lost-access.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import type { Clock } from "#app/ports.ts";
import { getGroup } from "./find.server.ts";
import { lockMemberships, membershipEvent } from "./membership.server.ts";

/** A removed group. `memberships`: users who were further members; `applications`: those that were open to the group. */
export type RemovedGroup = { id: string; name: string; memberships: number; applications: number };

/**
 * Removes the group of this name. Its members would lose its rule about second factors without a word, so a group that is
 * a home group is kept. So is one with further members, or to which an application is open, unless `endMemberships`: then
 * these end too, with the access that they gave. Throws DomainError "group not found", "group has members" (home),
 * "group is in use" (further members and applications).
 */
export async function removeGroup(
  context: { store: Store; clock: Clock; log: Logger },
  name: string,
  { endMemberships = false }: { endMemberships?: boolean } = {},
): Promise<RemovedGroup> {
  try {
    return await context.store.tx((store) => remove({ ...context, store }, name, endMemberships));
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    // It has become the home group of a user at the same moment.
    throw new DomainError("group has members", { detail: printable(name), cause: error });
  }
}

async function remove(
  context: { store: Store; clock: Clock; log: Logger },
  name: string,
  endMemberships: boolean,
): Promise<RemovedGroup> {
  const { store } = context;
  await lockMemberships(store);
  const group = await getGroup(store, name);
  const counts = (await countGroupMembers(store, [group.id])).get(group.id) ?? { home: 0, further: 0 };
  if (counts.home > 0) throw new DomainError("group has members", { detail: `${group.name}: ${counts.home}` });
  const clients = await listClientsOfGroup(store, group.id);
  if (!endMemberships && counts.further + clients.length > 0) {
    const detail = `${group.name}: ${counts.further} further members, ${clients.length} applications`;
    throw new DomainError("group is in use", { detail });
  }
  const members = await listMembersOfGroup(store, group.id);
  if (!(await removeGroupWithoutHomes(store, group.id))) {
    throw new DomainError("group has members", { detail: group.name });
  }
  for (const { id: clientId } of clients) await endLostAccess(context, { clientId });
  for (const member of members) await recordEvent(context, membershipEvent("group.member-removed", member, group));
  await recordEvent(context, { type: "group.removed", outcome: "ok", reason: `${group.name}: removed` });
  return { id: group.id, name: group.name, memberships: members.length, applications: clients.length };
}
