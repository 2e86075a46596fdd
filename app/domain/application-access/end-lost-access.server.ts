import { setTimeout as sleep } from "node:timers/promises";
import {
  type AccessFilter,
  type ClientUser,
  listLostAccess,
  pageOfGrants,
} from "#app/db/repositories/client-access.server.ts";
import { removeGrantsOfClient } from "#app/db/repositories/engine-access.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogoutsOfClients } from "#app/domain/backchannel-logout/queue.server.ts";
import type { Clock } from "#app/ports.ts";

/** Users whose access ends with the same statements, which lock their sessions, and in one transaction. */
export const BATCH = 500;

/** Pause between two transactions, in which waiting requests of other processes write. */
export const PAUSE_MS = 50;

type Deps = { store: Store; clock: Clock };

/**
 * Ends what users have at clients that they may not use now: grants, codes and tokens, offline tokens included. Queues
 * the back-channel logouts of their sessions at these clients; the sessions themselves stay. Call it in the transaction
 * that changes a membership, a client's access or its groups, after the change. `of`: only of this user or client, which
 * saves reading the rest. Returns whose access ended.
 */
export async function endLostAccess(context: Deps, of: AccessFilter = {}): Promise<ClientUser[]> {
  const lost = await listLostAccess(context.store, of);
  await endAccessToClients(context, lost);
  return lost;
}

/**
 * Like `endLostAccess` for a client, but ends the access of the first 500 users alone, so that the transaction does not
 * keep sign-ins waiting. Returns whose access is lost; pass them to `endRemainingAccess` after the commit. Their tokens are
 * refused until then, because they are checked at use.
 */
export async function endFirstLostAccess(context: Deps, clientId: string): Promise<ClientUser[]> {
  const lost = await listLostAccess(context.store, { clientId });
  await endAccessToClients(context, lost.slice(0, BATCH));
  return lost;
}

/**
 * Ends the access that `endFirstLostAccess` left, in transactions of 500 users. Leaves users alone who may use the client
 * again. What a process that ends meanwhile leaves is ended by `createLostAccessJob`.
 */
export async function endRemainingAccess({ store, clock }: Deps, lost: readonly ClientUser[]): Promise<void> {
  for (const [clientId, userIds] of idsBy(lost.slice(BATCH), ({ userId, clientId }) => [clientId, userId])) {
    for (let start = 0; start < userIds.length; start += BATCH) {
      await sleep(PAUSE_MS);
      const of = { clientId, userIds: userIds.slice(start, start + BATCH) };
      await store.tx((tx) => endLostAccess({ store: tx, clock }, of));
    }
  }
}

/** Grants that one run of the job reads. */
const GRANTS_PER_RUN = 1000;

/**
 * Creates the periodic job that ends access which a change has left: its process was killed, or another process stored a
 * token at the moment of the change. Reads 1,000 grants per run.
 */
export function createLostAccessJob(): (context: Deps) => Promise<void> {
  let after = "";
  return async ({ store, clock }) => {
    const page = await pageOfGrants(store, { after, limit: GRANTS_PER_RUN });
    for (const { userId, clientId, mayUse } of page) {
      if (!mayUse) await store.tx((tx) => endLostAccess({ store: tx, clock }, { userId, clientId }));
    }
    after = page.length < GRANTS_PER_RUN ? "" : (page.at(-1)?.id ?? "");
  };
}

/**
 * Ends the grants, codes and tokens that clients have of users, and queues the back-channel logouts of the users' sessions
 * at these clients. Call it in a transaction. Returns how many records ended.
 */
export async function endAccessToClients({ store, clock }: Deps, ending: readonly ClientUser[]): Promise<number> {
  const clientsOf = idsBy(ending, ({ userId, clientId }) => [userId, clientId]);
  const userIds = [...clientsOf.keys()];
  const now = clock.now();
  let ended = 0;
  for (let start = 0; start < userIds.length; start += BATCH) {
    const batch = new Map(userIds.slice(start, start + BATCH).map((id) => [id, clientsOf.get(id) ?? []]));
    await queueLogoutsOfClients({ store, now }, batch);
    const pairs = [...batch].flatMap(([userId, clientIds]) => clientIds.map((clientId) => ({ userId, clientId })));
    for (const [clientId, users] of idsBy(pairs, ({ userId, clientId }) => [clientId, userId])) {
      ended += await removeGrantsOfClient(store, clientId, users);
    }
  }
  return ended;
}

/** Groups pairs of ids by the first id. */
function idsBy(pairs: readonly ClientUser[], select: (pair: ClientUser) => [string, string]): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const [key, value] of pairs.map(select)) {
    const values = grouped.get(key);
    if (values) values.push(value);
    else grouped.set(key, [value]);
  }
  return grouped;
}
