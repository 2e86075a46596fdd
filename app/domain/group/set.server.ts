import type { Logger } from "pino";
import { z } from "zod";
import { findGroupByName, updateGroup } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { printable } from "#app/domain/base/printable.ts";
import type { Clock } from "#app/ports.ts";

/** Changes to a group; omitted fields are kept. */
const groupChangesSchema = z
  .strictObject({ name: lineSchema(100).optional(), requireMfa: z.boolean().optional() })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), { message: "nothing to change" });

/** Input of `setGroup`; at least one field is required. */
type GroupChanges = z.input<typeof groupChangesSchema>;

/**
 * Changes the group of this name. A new `requireMfa` also applies to live sessions and refresh tokens of members.
 * Throws DomainError "group not found", "group is invalid", or "group not available" if the new name is taken.
 */
export async function setGroup(
  context: { store: Store; clock: Clock; log: Logger },
  name: string,
  input: GroupChanges,
): Promise<Group> {
  const changes = parseInput(groupChangesSchema, input, "group is invalid");
  try {
    return await context.store.tx(async (tx) => {
      const found = await findGroupByName(tx, name);
      const changed = found && (await updateGroup(tx, found.id, changes));
      if (!changed) throw new DomainError("group not found", { detail: printable(name) });
      const reason = describe(found, changed);
      await recordEvent({ ...context, store: tx }, { type: "group.changed", outcome: "ok", reason });
      return changed;
    });
  } catch (error) {
    if (context.store.isUnique(error)) throw new DomainError("group not available", { detail: input.name ?? name });
    throw error;
  }
}

/** Describes a change for the audit event: old and new name, and the second-factor requirement. */
function describe(before: Group, after: Group): string {
  const name = before.name === after.name ? after.name : `${before.name} -> ${after.name}`;
  return `${name}: second factor ${after.requireMfa ? "required" : "as configured"}`;
}
