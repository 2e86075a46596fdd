import { addBackchannelLogouts, type ClientSession } from "#app/db/repositories/backchannel-logouts.server.ts";
import {
  listAllEngineSessions,
  lockEngineSessions,
  lockSessionsOfUsers,
  rewriteEngineSession,
} from "#app/db/repositories/engine-sessions.server.ts";
import type { OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { readEngineSession } from "#app/domain/engine-session/engine-session.server.ts";

/** Page size when the sessions of all users end. */
const BATCH = 500;

/** The user's sessions that end: `uid` only, all except `exceptUid`, or all. */
type EndingSessions = { uid?: string; exceptUid?: string | null };

/**
 * Queues a back-channel logout for each client of each ending session (OpenID Connect Back-Channel Logout 1.0 §2). Call
 * it before the sessions are removed, in the same transaction, so that no logout is lost in a crash. Wakes the sender of
 * this process after the commit.
 */
export async function queueLogouts(
  { store, now }: { store: Store; now: Date },
  userId: string,
  ending: EndingSessions = {},
): Promise<void> {
  const sessions = await lockEngineSessions(store, { userId, now, ...ending });
  await addBackchannelLogouts(store, sessions.flatMap(clientSessionsOf), now);
  store.afterCommit(() => store.events.emit("logouts queued"));
}

/**
 * Queues the back-channel logouts of users' sessions at clients, and takes the clients out of the sessions, which stay.
 * `ending`: ids of clients by the user's id, of at most some hundred users. Call it in the transaction that ends the
 * access, before the grants are removed.
 */
export async function queueLogoutsOfClients(
  { store, now }: { store: Store; now: Date },
  ending: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const logouts: ClientSession[] = [];
  for (const record of await lockSessionsOfUsers(store, { userIds: [...ending.keys()], now })) {
    const clientIds = ending.get(record.accountId ?? "") ?? [];
    const ended = clientSessionsOf(record).filter(({ clientId }) => clientIds.includes(clientId));
    if (ended.length === 0) continue;
    logouts.push(...ended);
    const { authorizations } = readEngineSession(record);
    const kept = Object.entries(authorizations).filter(([clientId]) => !clientIds.includes(clientId));
    await rewriteEngineSession(store, record.id, { ...record.payload, authorizations: Object.fromEntries(kept) });
  }
  await addBackchannelLogouts(store, logouts, now);
  store.afterCommit(() => store.events.emit("logouts queued"));
}

/** Queues the back-channel logouts of all sessions of all users, after a restore. */
export async function queueAllLogouts(store: Store, now: Date): Promise<void> {
  for (let after = ""; ; ) {
    const sessions = await listAllEngineSessions(store, { now, after, limit: BATCH });
    await addBackchannelLogouts(store, sessions.flatMap(clientSessionsOf), now);
    const last = sessions.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function clientSessionsOf(record: Pick<OidcRecord, "accountId" | "payload">): ClientSession[] {
  const { accountId: userId } = record;
  if (userId === null) return [];
  const { authorizations } = readEngineSession(record);
  return Object.entries(authorizations).flatMap(([clientId, { sid }]) => (sid ? [{ userId, clientId, sid }] : []));
}
