import type { SettingsHolder } from "#app/db/repositories/manage-generation.server.ts";

/**
 * Somebody who is in the settings, checked for this request: active, and of the generation that opened them.
 * `authTime`: when the person last proved who they are; null when an administrator's link opened the settings.
 * `sessionUid`: the engine's session it came from, null for an administrator's link. `returnToUrl` and `clientId`: the
 * application that opened the settings.
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

/** Sensitive changes want a proof of identity that is not older than this. */
export const FRESH_PROOF_SECONDS = 10 * 60;

/** Whether a sensitive change may go on, or the person has to prove first who they are. */
export function isFresh({ authTime }: Pick<SettingsAccess, "authTime">, now: Date): boolean {
  return authTime !== null && now.getTime() - authTime.getTime() <= FRESH_PROOF_SECONDS * 1000;
}
