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
import { type GroupReference, getReferenced } from "./find.server.ts";
import { groupContactSchema, groupDescriptionSchema, groupNameSchema } from "./group-schema.ts";
import { lockMemberships, requireFewDefaults } from "./membership.server.ts";
import { versionOf } from "./version.server.ts";

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
 * Changes a group; values that are stored already are no change, and not recorded. With `seen`, the `versionOf` the group
 * that a page showed, it changes nothing and throws DomainError "group changed" if another administrator has changed the
 * group since. A new `requireMfa` also applies to live sessions and refresh tokens of members; `isDefault` only to users who
 * are added later. Throws DomainError "group not found", "group is invalid", "too many groups" (that new users get), or
 * "group not available" if the new name is taken. `isChanged`: false if all values were stored already.
 */
export async function setGroup(
  context: { store: Store; clock: Clock; log: Logger },
  reference: GroupReference,
  input: GroupChanges,
  { seen }: { seen?: string } = {},
): Promise<Group & { isChanged: boolean }> {
  const changes = parseInput(groupChangesSchema, input, "group is invalid");
  try {
    return await context.store.tx(async (tx) => {
      // Of two concurrent changes, the second one waits and then compares what it has seen.
      await lockMemberships(tx);
      const found = await getReferenced(tx, reference);
      if (seen !== undefined && seen !== versionOf(found)) {
        throw new DomainError("group changed", { detail: found.name });
      }
      const changed = await updateGroup(tx, found.id, changes);
      if (!changed) throw new DomainError("group not found", { detail: printable(found.name) });
      if (changed.isDefault && !found.isDefault) await requireFewDefaults(tx);
      if (versionOf(changed) === versionOf(found)) return { ...changed, isChanged: false };
      const reason = describe(found, changed);
      await recordEvent({ ...context, store: tx }, { type: "group.changed", outcome: "ok", reason });
      return { ...changed, isChanged: true };
    });
  } catch (error) {
    if (context.store.isUnique(error)) throw new DomainError("group not available", { detail: input.name ?? "" });
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
