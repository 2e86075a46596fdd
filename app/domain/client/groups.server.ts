import { isMissingReference } from "#app/db/errors.server.ts";
import { findGroupByName } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";

/** Returns the groups of these names, each once. Throws DomainError "group not found" for the first unknown name. */
export async function getGroups(store: Store, names: readonly string[]): Promise<Group[]> {
  const groups: Group[] = [];
  for (const name of new Set(names)) {
    const group = await findGroupByName(store, name);
    if (!group) throw groupNotFound(name);
    groups.push(group);
  }
  return groups;
}

/**
 * Runs a transaction that stores references to these groups. Throws DomainError "group not found" if a group is removed at
 * the same moment.
 */
export async function withKnownGroups<Value>(names: readonly string[], work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw isMissingReference(error) ? groupNotFound(names.join(", "), error) : error;
  }
}

function groupNotFound(name: string, cause?: unknown): DomainError {
  return new DomainError("group not found", { detail: printable(name), cause });
}
