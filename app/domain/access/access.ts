import type { SettingsHolder } from "#app/db/repositories/manage-generation.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";

/**
 * Validated access to the settings: the user is active and of the generation that opened them. `authTime`: last proof
 * of identity, null for an administrator's link. `sessionUid`: the engine session behind the settings, null for an
 * administrator's link. `clientId` and `returnToUrl`: the client that opened the settings.
 */
export type SettingsAccess = {
  userId: string;
  generation: number;
  authTime: Date | null;
  sessionUid: string | null;
  clientId: string | null;
  returnToUrl: string | null;
  holder: SettingsHolder;
};

/** Maximum age of the proof of identity for sensitive changes. */
export const FRESH_PROOF_SECONDS = 10 * MINUTE_SECONDS;

/** Returns true if the proof of identity is recent enough for a sensitive change. */
export function isFresh({ authTime }: Pick<SettingsAccess, "authTime">, now: Date): boolean {
  return authTime !== null && now.getTime() - authTime.getTime() <= FRESH_PROOF_SECONDS * 1000;
}

/** The access ended meanwhile, by another change, a block or a reset. Nothing was changed. */
export type Unauthorized = { kind: "unauthorized" };

/** The proof of identity is too old for this change. Nothing was changed. */
export type ReauthenticationRequired = { kind: "reauthentication_required" };

/** Refusals of every sensitive change. */
export type NotAllowed = Unauthorized | ReauthenticationRequired;

/** The change was made. */
export type Done = { kind: "done" };
