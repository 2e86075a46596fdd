import { findGroup, findGroupByName } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { composed } from "./group-schema.ts";

/** Returns the group of this name, in any Unicode form. Throws DomainError "group not found". */
export async function getGroup(store: Store, name: string): Promise<Group> {
  // The names of groups that earlier versions added are as they were typed.
  const group = (await findGroupByName(store, name)) ?? (await findGroupByName(store, composed(name)));
  if (!group) throw new DomainError("group not found", { detail: printable(name) });
  return group;
}

/** A group by its name, or by its id on pages: another administrator may rename it meanwhile. */
export type GroupReference = string | { id: string };

/** Returns the group. Throws DomainError "group not found". */
export async function getReferenced(store: Store, reference: GroupReference): Promise<Group> {
  if (typeof reference === "string") return getGroup(store, reference);
  const group = await findGroup(store, reference.id);
  if (!group) throw new DomainError("group not found", { detail: printable(reference.id) });
  return group;
}

/** Returns the groups of these names, each once. Throws DomainError "group not found". */
export async function getGroups(store: Store, names: readonly string[]): Promise<Group[]> {
  const found = new Map<string, Group>();
  for (const name of names) {
    const group = await getGroup(store, name);
    found.set(group.id, group);
  }
  return [...found.values()];
}
