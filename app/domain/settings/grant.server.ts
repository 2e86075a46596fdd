import { z } from "zod";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { JsonObject, OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isSessionAlive } from "#app/domain/session/alive.server.ts";
import type { Clock } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";

/** What asking about somebody in the settings touches. */
export type SettingsDeps = { store: Store; clock: Clock };

/** The right to open the settings, before it is known what opens them. */
export type SettingsGrant = Omit<SettingsAccess, "holder">;

/**
 * Whether this person may be in the settings now: active, unchanged since they were opened, and the engine's session
 * they came from, if they came from one, lives still.
 */
export async function isStillGranted(
  parts: SettingsDeps,
  { userId, generation, sessionUid }: Pick<SettingsGrant, "userId" | "generation" | "sessionUid">,
): Promise<boolean> {
  const user = await findUser(parts.store, userId);
  if (user?.status !== "active" || user.generation !== generation) return false;
  return sessionUid === null || isSessionAlive(parts, sessionUid, { userId, generation });
}

const payloadSchema = z.object({
  authTime: z.coerce.date().nullable(),
  sessionUid: z.string().nullable(),
  returnToUrl: z.string().nullable(),
});

/** The part of a grant that has no column of its own in a one-time token. */
export function grantPayload({ authTime, sessionUid, returnToUrl }: SettingsGrant): JsonObject {
  return { authTime: authTime?.toISOString() ?? null, sessionUid, returnToUrl };
}

/** The grant that a one-time token carries; null for a token that carries none. */
export function grantOf({ userId, generation, clientId, payload }: OneTimeToken): SettingsGrant | null {
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success || userId === null || generation === null) return null;
  return { userId, generation, clientId, ...parsed.data };
}
