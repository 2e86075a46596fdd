import { type ClientUser, listLostAccess } from "#app/db/repositories/client-access.server.ts";
import { removeGrantsOfClient } from "#app/db/repositories/engine-access.server.ts";
import { removeSettingsOfClient } from "#app/db/repositories/manage-generation.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogoutsOfClients } from "#app/domain/backchannel-logout/queue.server.ts";
import type { Clock } from "#app/ports.ts";

/** Users whose access ends with the same statements: SQLite limits the parameters of a statement. */
const BATCH = 500;

type Deps = { store: Store; clock: Clock };

/**
 * Ends what users have at clients that they may not use now: grants, codes and tokens, offline tokens included. Queues
 * the back-channel logouts of their sessions at these clients; the sessions themselves stay. Call it in the transaction
 * that changes a membership, a client's access or its groups, after the change. `of`: only of this user or client, which
 * saves reading the rest. Returns whose access ended.
 */
export async function endLostAccess(context: Deps, of: Partial<ClientUser> = {}): Promise<ClientUser[]> {
  const lost = await listLostAccess(context.store, of);
  await endAccessToClients(context, lost);
  return lost;
}

/**
 * Ends the grants, codes and tokens that clients have of users, those of the settings API included, and queues the
 * back-channel logouts of the users' sessions at these clients. Call it in a transaction. Returns how many records of
 * the engine ended.
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
      await removeSettingsOfClient(store, clientId, users);
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
