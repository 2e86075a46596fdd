import { actingAs } from "#app/db/acting-store.server.ts";
import { findUserRole } from "#app/db/repositories/user-roles.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { findSessionMethods } from "#app/domain/engine-session/engine-session.server.ts";
import type { GrantedRole } from "#app/domain/role/role.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import type { Administrator } from "./administrator.ts";

/** Maximum age of the last proof of identity for the administration. */
export const ADMINISTRATION_PROOF_HOURS = 8;

/**
 * The access of a user to the administration. `none`: the user has no role. `one factor`: the session was opened with
 * one factor, or by an administrator's link. `old proof`: the last proof of identity is older than eight hours.
 */
export type AdministrationAccess =
  | { kind: "allowed"; administrator: Administrator }
  | { kind: "none" }
  | { kind: "one factor" }
  | { kind: "old proof" };

/** Returns the access to the administration of a user with access to the settings. */
export async function findAdministration(
  { store, clock }: { store: Store; clock: Clock },
  { userId, generation, authTime, sessionUid }: SettingsAccess,
): Promise<AdministrationAccess> {
  const granted = await findUserRole(store, userId);
  const user = granted && (await findUser(store, userId));
  if (!user) return { kind: "none" };
  const methods = sessionUid === null ? [] : await findSessionMethods(store, sessionUid);
  if (!methods.includes("mfa")) return { kind: "one factor" };
  const ageMs = authTime === null ? Number.POSITIVE_INFINITY : clock.now().getTime() - authTime.getTime();
  if (ageMs > ADMINISTRATION_PROOF_HOURS * HOUR_MS) return { kind: "old proof" };
  const { role, officeId } = granted;
  return { kind: "allowed", administrator: { userId, username: user.username, generation, role, officeId } };
}

/**
 * Returns the store through which an administrator changes others: audit events name the administrator, and each
 * transaction begins with a check that the user still has the role. Otherwise it calls `onEnd`, which throws, and the
 * transaction changes nothing.
 */
export function storeOf(store: Store, administrator: Administrator, onEnd: () => never): Store {
  return actingAs(store, administrator, async (tx) => {
    if (!(await isStillAdministrator(tx, administrator))) onEnd();
  });
}

/** Returns the role of a user; null without one. */
export async function findRole({ store }: { store: Store }, userId: string): Promise<GrantedRole | null> {
  const granted = await findUserRole(store, userId);
  return granted && { role: granted.role, officeId: granted.officeId };
}

/** Returns true if the user is still active, of the same generation, and has the same role. */
export async function isStillAdministrator(
  store: Store,
  { userId, generation, role, officeId }: Administrator,
): Promise<boolean> {
  const user = await findUser(store, userId);
  if (user?.status !== "active" || user.generation !== generation) return false;
  const granted = await findUserRole(store, userId);
  return granted?.role === role && granted.officeId === officeId;
}
