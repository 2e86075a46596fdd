import {
  consumeManageSession,
  findManageSession,
  insertManageSession,
  removeManageSession,
  touchManageSession,
} from "#app/db/repositories/manage-sessions.server.ts";
import type { ManageSession } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_SECONDS, SECOND_MS } from "#app/durations.ts";
import type { Random, RequestMetadata } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";
import { isStillGranted, type SettingsDeps, type SettingsGrant } from "./grant.server.ts";

/** Idle timeout of the settings. */
export const SETTINGS_IDLE_SECONDS = 10 * MINUTE_SECONDS;
/** Maximum lifetime of the settings. */
export const SETTINGS_MAX_SECONDS = 30 * MINUTE_SECONDS;

/** Minimum time between two updates of `lastUsedAt`, to save writes. */
const TOUCH_SECONDS = 60;

/**
 * Opens the settings in this browser and ends its previous page session, `replaced`.
 * @returns the cookie value; only its hash is stored
 */
export async function openPageSession(
  context: AuditDeps & { random: Random },
  grant: SettingsGrant,
  { replaced, ...metadata }: RequestMetadata & { replaced: string },
): Promise<string> {
  const { store, clock, random } = context;
  const token = random.token();
  const now = clock.now();
  const { browser, ...source } = metadata;
  await store.tx(async (tx) => {
    await removeManageSession(tx, hashToken(replaced));
    await insertManageSession(tx, {
      ...grant,
      tokenHash: hashToken(token),
      browserHash: hashToken(browser),
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + SETTINGS_MAX_SECONDS * SECOND_MS),
    });
    const { userId, clientId } = grant;
    await recordEvent(
      { ...context, store: tx },
      { type: "settings.opened", outcome: "ok", userId, clientId, ...source },
    );
  });
  return token;
}

/**
 * Replaces a page session by one whose last proof of identity is now, under a new token. The token chains of its pages
 * end. Call it in a transaction. Of several simultaneous calls, one succeeds.
 * @returns the cookie value, of which only the hash is stored; null if the page session ended or its user was changed
 */
export async function renewProof(
  { store, clock, random }: SettingsDeps & { random: Random },
  { userId, generation, holder: { pageSessionHash } }: SettingsAccess,
): Promise<string | null> {
  if (pageSessionHash === null) return null;
  const now = clock.now();
  const replaced = await consumeManageSession(store, { tokenHash: pageSessionHash, userId, generation, now });
  if (!replaced) return null;
  const token = random.token();
  await insertManageSession(store, {
    ...replaced,
    tokenHash: hashToken(token),
    authTime: now,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + SETTINGS_MAX_SECONDS * SECOND_MS),
  });
  return token;
}

/** Returns the access of a page session in this browser, or null. Counts as a use. */
export async function findPageSession(
  deps: SettingsDeps,
  { token, browser }: { token: string; browser: string },
): Promise<SettingsAccess | null> {
  const session = await findManageSession(deps.store, hashToken(token));
  if (!session || session.browserHash !== hashToken(browser)) return null;
  return (await renewPageSession(deps, session)) ? pageAccess(session) : null;
}

/** Returns true if a page session is alive. Counts as a use. */
export async function renewPageSession(deps: SettingsDeps, session: ManageSession): Promise<boolean> {
  const { store, clock } = deps;
  const now = clock.now();
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * SECOND_MS);
  if (session.expiresAt <= now || session.lastUsedAt <= secondsAgo(SETTINGS_IDLE_SECONDS)) return false;
  if (!(await isStillGranted(deps, session))) return false;
  const before = secondsAgo(TOUCH_SECONDS);
  if (session.lastUsedAt <= before) await touchManageSession(store, session.tokenHash, { now, before });
  return true;
}

/** Ends a page session and the token chains of its pages. */
export async function endPageSession({ store }: Pick<SettingsDeps, "store">, token: string): Promise<void> {
  await removeManageSession(store, hashToken(token));
}

function pageAccess(session: ManageSession): SettingsAccess {
  const { userId, generation, authTime, sessionUid, clientId, returnToUrl, tokenHash } = session;
  const holder = { kind: "page", pageSessionHash: tokenHash } as const;
  return { userId, generation, authTime, sessionUid, clientId, returnToUrl, holder };
}
