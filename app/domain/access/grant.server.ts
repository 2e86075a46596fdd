import { z } from "zod";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { JsonObject, OneTimeToken, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isSessionAlive } from "#app/domain/engine-session/engine-session.server.ts";
import type { Clock } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";

/** Dependencies of checks on access to the settings. */
export type SettingsDeps = { store: Store; clock: Clock };

/** The right to open the settings, before a page session or chain holds it. */
export type SettingsGrant = Omit<SettingsAccess, "holder">;

/** Returns true if the user is active and unchanged and the engine session behind the settings, if any, is alive. */
export async function isStillGranted(
  deps: SettingsDeps,
  { userId, generation, sessionUid }: Pick<SettingsGrant, "userId" | "generation" | "sessionUid">,
): Promise<boolean> {
  const user = await findUser(deps.store, userId);
  if (user?.status !== "active" || user.generation !== generation) return false;
  return sessionUid === null || isSessionAlive(deps, sessionUid, { userId, generation });
}

const payloadSchema = z.object({
  authTime: z.coerce.date().nullable(),
  sessionUid: z.string().nullable(),
  returnToUrl: z.string().nullable(),
});

/** Returns the members of a grant that one-time tokens have no column for. */
export function grantPayload({ authTime, sessionUid, returnToUrl }: SettingsGrant): JsonObject {
  return { authTime: authTime?.toISOString() ?? null, sessionUid, returnToUrl };
}

/** Returns the grant of a one-time token, or null. */
export function grantOf({ userId, generation, clientId, payload }: OneTimeToken): SettingsGrant | null {
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success || userId === null || generation === null) return null;
  return { userId, generation, clientId, ...parsed.data };
}

/** Returns the current row of the user in the settings; null if the access ended meanwhile. */
export async function findSettingsUser(
  store: Store,
  { userId, generation }: Pick<SettingsAccess, "userId" | "generation">,
): Promise<User | null> {
  const user = await findUser(store, userId);
  return user?.status === "active" && user.generation === generation ? user : null;
}
