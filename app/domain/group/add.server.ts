import type { Logger } from "pino";
import { z } from "zod";
import { createGroup } from "#app/db/repositories/groups.server.ts";
import type { Group } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import type { Clock, Random } from "#app/ports.ts";
import { groupContactSchema, groupDescriptionSchema, groupNameSchema } from "./group-schema.ts";
import { lockMemberships, requireFewDefaults } from "./membership.server.ts";

/**
 * A new group. `requireMfa`: its members always need a second factor. `isDefault`: users who are added later become
 * members. `contact`: whom members ask for access to an application.
 */
const newGroupSchema = z.strictObject({
  name: groupNameSchema,
  requireMfa: z.boolean().default(false),
  isDefault: z.boolean().default(false),
  description: groupDescriptionSchema.nullable().default(null),
  contact: groupContactSchema.nullable().default(null),
});

/** Input of `addGroup`. */
export type NewGroupInput = z.input<typeof newGroupSchema>;

/**
 * Adds a group. Throws DomainError "group is invalid", "too many groups" (that new users get), or "group not available" if
 * the name is taken.
 */
export async function addGroup(
  context: { store: Store; clock: Clock; random: Random; log: Logger },
  input: NewGroupInput,
): Promise<Group> {
  const group = parseInput(newGroupSchema, input, "group is invalid");
  try {
    return await context.store.tx(async (tx) => {
      // Of two concurrent additions, the second one waits and then counts both.
      if (group.isDefault) await lockMemberships(tx);
      const row = { id: newId(context.random), ...group, createdAt: context.clock.now() };
      const added = await createGroup(tx, row);
      if (added.isDefault) await requireFewDefaults(tx);
      await recordEvent({ ...context, store: tx }, { type: "group.added", outcome: "ok", reason: added.name });
      return added;
    });
  } catch (error) {
    if (context.store.isUnique(error)) throw new DomainError("group not available", { detail: group.name });
    throw error;
  }
}
