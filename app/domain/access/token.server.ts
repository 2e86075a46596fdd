import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_SECONDS, SECOND_MS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";
import { grantOf, grantPayload, isStillGranted, type SettingsDeps, type SettingsGrant } from "./grant.server.ts";

/** Lifetime of `t` for clients and for /manage/open. */
export const SETTINGS_TOKEN_SECONDS = 60;

/** Lifetime of `t` in an administrator's link. */
export const SETTINGS_LINK_SECONDS = 15 * MINUTE_SECONDS;

/** Issues `t`, which opens the settings of a user once, within `lifeSeconds`. Only its hash is stored. */
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
 * Consumes `t` in one conditional statement: of several simultaneous calls, one succeeds. Returns null if `t` is
 * unknown, used or expired, its user was blocked or changed, or the session behind it ended.
 */
export async function consumeSettingsToken(deps: SettingsDeps, token: string): Promise<SettingsGrant | null> {
  return liveGrantOf(deps, await consumeOneTimeToken(deps.store, tokenQuery(deps, token)));
}

/**
 * Returns the grant of `t` if it belongs to an administrator's link, which no session requested. Consumes nothing,
 * because chat previews and mail scanners open links.
 */
export async function findSettingsLink(deps: SettingsDeps, token: string): Promise<SettingsGrant | null> {
  const grant = await liveGrantOf(deps, await findOneTimeToken(deps.store, tokenQuery(deps, token)));
  return grant?.sessionUid === null ? grant : null;
}

function tokenQuery({ clock }: SettingsDeps, token: string) {
  return { kind: "settings", tokenHash: hashToken(token), now: clock.now() } as const;
}

async function liveGrantOf(deps: SettingsDeps, row: OneTimeToken | null): Promise<SettingsGrant | null> {
  const grant = row && grantOf(row);
  return grant && (await isStillGranted(deps, grant)) ? grant : null;
}
