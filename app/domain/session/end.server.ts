import {
  listIssuedTokens,
  moveGrants,
  removeGrants,
  removeOtherGrants,
} from "#app/db/repositories/engine-access.server.ts";
import { removeEngineSession, removeOtherEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import {
  moveSettingsHolder,
  removeOlderSettings,
  removeSettingsOfSession,
} from "#app/db/repositories/manage-generation.server.ts";
import { incrementGeneration, lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import type { SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import {
  grantsOf,
  type LiveSession,
  listLiveSessions,
  moveSessions,
} from "#app/domain/engine-session/engine-session.server.ts";
import { tombstoneEnd } from "#app/domain/engine-session/lifetime.ts";
import type { RequestMetadata } from "#app/ports.ts";

/** The sessions were ended. */
type SessionsEnded = { kind: "done" };

/**
 * Ends one session of the user in the settings, with its grants and tokens (offline tokens too) and the settings opened
 * from it. Other sessions continue.
 */
export async function endOwnSession(
  context: AuditDeps,
  access: SettingsAccess,
  { id: uid, ...metadata }: RequestMetadata & { id: string },
): Promise<SessionsEnded | Unauthorized | { kind: "session not found" }> {
  const { userId, generation } = access;
  const now = context.clock.now();
  return context.store.tx<SessionsEnded | Unauthorized | { kind: "session not found" }>(async (store) => {
    if (!(await lockGeneration(store, userId, generation))) return rollback({ kind: "unauthorized" });
    const live = await listLiveSessions(store, { userId, generation, now });
    const session = live.find((candidate) => candidate.uid === uid);
    if (!session) return rollback({ kind: "session not found" });
    await queueLogouts({ store, now }, userId, { uid });
    const isRemoved = await removeEngineSession(store, { userId, uid, until: tombstoneEnd(now) });
    if (!isRemoved) return rollback({ kind: "session not found" });
    await removeGrants(store, userId, await allGrantsOf(store, userId, session));
    await removeSettingsOfSession(store, uid);
    const event = { type: "session.ended", outcome: "ok", reason: "one" } as const;
    await recordSettings({ ...context, store }, access, metadata, event);
    return { kind: "done" };
  });
}

/**
 * Ends all sessions of the user except the one behind the settings, which keeps its grants and tokens. Raises the
 * generation.
 */
export async function endOtherSessions(
  context: AuditDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
): Promise<SessionsEnded | Unauthorized> {
  const { userId, generation: from, sessionUid } = access;
  const now = context.clock.now();
  return context.store.tx(async (store) => {
    const to = await incrementGeneration(store, userId, { expected: from, now });
    if (to === null) return { kind: "unauthorized" };
    const live = await listLiveSessions(store, { userId, generation: from, now });
    const own = live.find(({ uid }) => uid === sessionUid);
    const kept = own ? await allGrantsOf(store, userId, own) : [];
    await removeOtherGrants(store, userId, kept);
    await queueLogouts({ store, now }, userId, { exceptUid: sessionUid });
    await removeOtherEngineSessions(store, userId, sessionUid);
    const move = { userId, from, to };
    if (own) await moveSessions(store, { ...move, uid: own.uid, proven: null, now });
    await moveGrants(store, { ...move, grantIds: kept });
    await moveSettingsHolder(store, access.holder, move);
    await removeOlderSettings(store, userId, to);
    const event = { type: "session.ended", outcome: "ok", reason: "others" } as const;
    await recordSettings({ ...context, store }, access, metadata, event);
    return { kind: "done" };
  });
}

/** Returns the grants of the session, and those of tokens that were issued in it under an earlier grant. */
async function allGrantsOf(store: Store, userId: string, session: LiveSession): Promise<string[]> {
  const tokens = await listIssuedTokens(store, userId);
  const older = tokens.filter(({ sessionUid }) => sessionUid === session.uid).flatMap(({ grantId }) => grantId ?? []);
  return [...new Set([...grantsOf(session), ...older])];
}
