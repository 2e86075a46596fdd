import type { User } from "#app/db/schema.server.ts";
import { type GrantedRole, rankOf } from "#app/domain/role/role.ts";

/** A user with a role, who is signed in with two factors. */
export type Administrator = GrantedRole & { userId: string; username: string; generation: number };

/** Actions of the administration that not every role has. */
export type Permission =
  | "see people"
  | "export people"
  | "invite people"
  | "help people"
  | "block people"
  | "edit people"
  | "remove people"
  | "import people"
  | "manage groups"
  | "manage roles"
  | "read activity";

/** Permissions of a help desk; an administrator has all. */
const HELP_DESK: ReadonlySet<Permission> = new Set([
  "see people",
  "export people",
  "invite people",
  "help people",
  "block people",
]);

/** Returns true if the role allows the action, for the people whom it covers (`covers`). */
export function allows({ role }: GrantedRole, permission: Permission): boolean {
  return role === "administrator" || HELP_DESK.has(permission);
}

/** Returns true if the role covers the person: a help desk of one office covers those whose home group it is. */
export function covers({ officeId }: GrantedRole, person: Pick<User, "groupId">): boolean {
  return officeId === null || person.groupId === officeId;
}

/**
 * Returns true if the administrator may change the access of the person, whose role is `granted`: not of oneself, and
 * not of a person of a higher rank.
 */
export function mayChange(
  administrator: Pick<Administrator, "userId"> & GrantedRole,
  person: Pick<User, "id" | "groupId">,
  granted: GrantedRole | null,
): boolean {
  return (
    person.id !== administrator.userId && covers(administrator, person) && rankOf(granted) <= rankOf(administrator)
  );
}
