import { addBackchannelLogouts, type ClientSession } from "#app/db/repositories/backchannel-logouts.server.ts";
import { listAllEngineSessions, lockEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import type { OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { readEngineSession } from "#app/domain/session/engine-session.server.ts";

/** Sessions that are read at once when all of them end. */
const BATCH = 500;

/** Which sessions of the user end: one of them, all but one, or (left out) all. */
export type EndingSessions = { uid?: string; exceptUid?: string | null };

/**
 * Queues the back-channel logouts of sessions that end: one for each client that the user signed in to in the session.
 * Call it before the sessions are removed, in the same transaction, so that no logout is lost when the process dies. A
 * running server sends them (deliver.server.ts). OpenID Connect Back-Channel Logout 1.0 §2.
 */
export async function queueLogouts(
  { store, now }: { store: Store; now: Date },
  userId: string,
  ending: EndingSessions = {},
): Promise<void> {
  const sessions = await lockEngineSessions(store, { userId, now, ...ending });
  await addBackchannelLogouts(store, sessions.flatMap(clientSessionsOf), now);
}

/** Queues the back-channel logouts of all sessions of all users, for a database that ends everything it has issued. */
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
