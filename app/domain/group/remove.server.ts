import type { Logger } from "pino";
import { isMissingReference } from "#app/db/errors.server.ts";
import { countMembers, findGroupByName, removeEmptyGroup } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Removes the group of this name. Its members would lose its rule about second factors without a word, so a group with
 * members is kept. Throws DomainError "group not found", "group has members".
 */
export async function removeGroup(
  context: { store: Store; clock: Clock; log: Logger },
  name: string,
): Promise<Pick<Group, "id">> {
  try {
    return await context.store.tx(async (tx) => {
      const group = await findGroupByName(tx, name);
      if (!group) throw new DomainError("group not found", { detail: printable(name) });
      const { id } = group;
      if (!(await removeEmptyGroup(tx, id))) throw await membersError(tx, group);
      const reason = `${group.name}: removed`;
      await recordEvent({ ...context, store: tx }, { type: "group.removed", outcome: "ok", reason });
      return { id };
    });
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    // A user has joined it at the same moment.
    throw new DomainError("group has members", { detail: printable(name), cause: error });
  }
}

async function membersError(store: Store, { id, name }: Group): Promise<DomainError> {
  return new DomainError("group has members", { detail: `${printable(name)}: ${await countMembers(store, id)}` });
}
