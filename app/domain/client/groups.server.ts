import { isMissingReference } from "#app/db/errors.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";

/**
 * Runs a transaction that stores references to these groups. Throws DomainError "group not found" if a group is removed at
 * the same moment.
 */
export async function withKnownGroups<Value>(names: readonly string[], work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    throw new DomainError("group not found", { detail: printable(names.join(", ")), cause: error });
  }
}
