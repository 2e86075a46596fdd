import { consumeOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { grantOf, grantPayload, isStillGranted, type SettingsDeps, type SettingsGrant } from "./grant.server.ts";

/** How long the token is good that an application, or the browser's own door, gets for the settings. */
export const SETTINGS_TOKEN_SECONDS = 60;

/** How long the token is good that an administrator hands out. */
export const SETTINGS_LINK_SECONDS = 15 * 60;

const SECOND_MS = 1000;

/** Makes `t`: it opens the settings of this person once, within `lifeSeconds`. Only its hash is stored. */
export async function createSettingsToken(
  { store, clock, random }: { store: Store; clock: Clock; random: Random },
  { lifeSeconds, ...grant }: SettingsGrant & { lifeSeconds: number },
): Promise<string> {
  const token = random.token();
  const createdAt = clock.now();
  const { userId, generation, clientId } = grant;
  await issueOneTimeToken(store, {
    kind: "settings",
    tokenHash: hashToken(token),
    userId,
    generation,
    clientId,
    payload: grantPayload(grant),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifeSeconds * SECOND_MS),
  });
  return token;
}

/**
 * Spends `t`. One conditional statement: of many at once one wins.
 * @returns whose settings it opens; null when it was spent or never made, its time is over, its user changed or was
 *   blocked, or the session that asked for it has ended
 */
export async function spendSettingsToken(parts: SettingsDeps, token: string): Promise<SettingsGrant | null> {
  const { store, clock } = parts;
  const spent = await consumeOneTimeToken(store, { kind: "settings", tokenHash: hashToken(token), now: clock.now() });
  const grant = spent && grantOf(spent);
  return grant && (await isStillGranted(parts, grant)) ? grant : null;
}
