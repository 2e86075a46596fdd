import type { Logger } from "pino";
import { z } from "zod";
import { updateGroup } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { printable } from "#app/domain/base/printable.ts";
import type { Clock } from "#app/ports.ts";
import { getGroup } from "./find.server.ts";
import { groupContactSchema, groupDescriptionSchema, groupNameSchema } from "./group-schema.ts";
import { requireFewDefaults } from "./membership.server.ts";

/** Changes to a group; omitted fields are kept, null clears. */
const groupChangesSchema = z
  .strictObject({
    name: groupNameSchema.optional(),
    requireMfa: z.boolean().optional(),
    isDefault: z.boolean().optional(),
    description: groupDescriptionSchema.nullable().optional(),
    contact: groupContactSchema.nullable().optional(),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), { message: "nothing to change" });

/** Input of `setGroup`; at least one field is required. */
export type GroupChanges = z.input<typeof groupChangesSchema>;

/**
 * Changes the group of this name. A new `requireMfa` also applies to live sessions and refresh tokens of members;
 * `isDefault` only to users who are added later. Throws DomainError "group not found", "group is invalid", "too many
 * groups" (that new users get), or "group not available" if the new name is taken.
 */
export async function setGroup(
  context: { store: Store; clock: Clock; log: Logger },
  name: string,
  input: GroupChanges,
): Promise<Group> {
  const changes = parseInput(groupChangesSchema, input, "group is invalid");
  try {
    return await context.store.tx(async (tx) => {
      const found = await getGroup(tx, name);
      const changed = await updateGroup(tx, found.id, changes);
      if (!changed) throw new DomainError("group not found", { detail: printable(name) });
      if (changed.isDefault && !found.isDefault) await requireFewDefaults(tx);
      const reason = describe(found, changed);
      await recordEvent({ ...context, store: tx }, { type: "group.changed", outcome: "ok", reason });
      return changed;
    });
  } catch (error) {
    if (context.store.isUnique(error)) throw new DomainError("group not available", { detail: input.name ?? name });
    throw error;
  }
}

/** Describes a change for the audit event: old and new name, the second-factor requirement, and what else changed. */
function describe(before: Group, after: Group): string {
  const name = before.name === after.name ? after.name : `${before.name} -> ${after.name}`;
  const factor = `second factor ${after.requireMfa ? "required" : "as configured"}`;
  const isDefault = before.isDefault === after.isDefault ? [] : [after.isDefault ? "default" : "no longer default"];
  const texts = (["description", "contact"] as const).filter((field) => before[field] !== after[field]);
  return `${name}: ${[factor, ...isDefault, ...texts].join(", ")}`;
}
