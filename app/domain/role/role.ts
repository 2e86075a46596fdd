import type { Role } from "#app/db/schema.server.ts";

export type { Role };

/** The roles, from the most powerful to the least. */
export const ROLES = ["administrator", "help-desk"] as const satisfies readonly Role[];

/** A role and its limit. `officeId`: the home group to whose members a help desk is limited; null: all users. */
export type GrantedRole = { role: Role; officeId: string | null };

/**
 * Returns the rank of a role: 0 for a user without one, 1 for a help desk of one office, 2 for a help desk of all
 * offices, 3 for an administrator. A user changes nothing of users of a higher rank.
 */
export function rankOf(granted: GrantedRole | null): number {
  if (granted === null) return 0;
  if (granted.role === "administrator") return 3;
  return granted.officeId === null ? 2 : 1;
}
