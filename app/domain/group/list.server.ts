import { countClientsOfGroups, listClientsOfGroup } from "#app/db/repositories/client-access.server.ts";
import {
  countGroupMembers,
  countMembersWithoutFactor,
  type ListedMember,
  listMembersOfGroup,
  pageOfMembers,
} from "#app/db/repositories/group-members.server.ts";
import { listGroups as listGroupRows } from "#app/db/repositories/groups.server.ts";
import type { Client, Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type GroupReference, getGroup, getReferenced } from "./find.server.ts";

/**
 * A group with the number of users whose home group it is, of its further members, and of the applications that are open
 * to it.
 */
export type GroupView = Group & { homeMembers: number; furtherMembers: number; applications: number };

/** Lists all groups, sorted by name. */
export async function listGroups({ store }: { store: Store }): Promise<GroupView[]> {
  const groups = await listGroupRows(store);
  const ids = groups.map(({ id }) => id);
  const [members, clients] = [await countGroupMembers(store, ids), await countClientsOfGroups(store)];
  return groups.map((group) => {
    const { home, further } = members.get(group.id) ?? { home: 0, further: 0 };
    return { ...group, homeMembers: home, furtherMembers: further, applications: clients.get(group.id) ?? 0 };
  });
}

/** A group with the names of its users, and the ids of the applications that are open to it. */
export type GroupDetails = Group & { homeMembers: string[]; furtherMembers: string[]; applications: string[] };

/** Returns the group of this name with its members and applications. Throws DomainError "group not found". */
export async function showGroup({ store }: { store: Store }, name: string): Promise<GroupDetails> {
  const group = await getGroup(store, name);
  const members = await listMembersOfGroup(store, group.id);
  const namesOf = (wantsHome: boolean) =>
    members.filter(({ isHome }) => isHome === wantsHome).map(({ username }) => username);
  const clients = await listClientsOfGroup(store, group.id);
  return {
    ...group,
    homeMembers: namesOf(true),
    furtherMembers: namesOf(false),
    applications: clients.map(({ id }) => id),
  };
}

/** Members on a page of a group. */
export const MEMBERS_PER_PAGE = 50;

/**
 * A group with a page of its members, sorted by name, and the applications that are open to it. `page` counts from 1;
 * `withoutFactor`: members without a second factor.
 */
export type GroupPage = {
  group: Group;
  homeMembers: number;
  furtherMembers: number;
  withoutFactor: number;
  applications: Client[];
  members: ListedMember[];
  page: number;
  pages: number;
};

/** Returns the group with the wanted page of its members, or the last one. Throws DomainError "group not found". */
export async function viewGroup(
  { store }: { store: Store },
  reference: GroupReference,
  wanted: number,
): Promise<GroupPage> {
  const group = await getReferenced(store, reference);
  const { home, further } = (await countGroupMembers(store, [group.id])).get(group.id) ?? { home: 0, further: 0 };
  const pages = Math.max(1, Math.ceil((home + further) / MEMBERS_PER_PAGE));
  const page = Math.min(wanted, pages);
  const offset = (page - 1) * MEMBERS_PER_PAGE;
  return {
    ...{ group, homeMembers: home, furtherMembers: further, page, pages },
    withoutFactor: await countMembersWithoutFactor(store, group.id),
    applications: await listClientsOfGroup(store, group.id),
    members: await pageOfMembers(store, group.id, { limit: MEMBERS_PER_PAGE, offset }),
  };
}
