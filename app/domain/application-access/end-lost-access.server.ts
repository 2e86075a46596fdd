import { type ClientUser, listLostAccess } from "#app/db/repositories/client-access.server.ts";
import { removeGrantsOfClient } from "#app/db/repositories/engine-access.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogoutsOfClients } from "#app/domain/backchannel-logout/queue.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Ends what users have at clients that they may not use now: grants, codes and tokens, offline tokens included. Queues
 * the back-channel logouts of their sessions at these clients; the sessions themselves stay. Call it in the transaction
 * that changes a membership, a client's access or its groups, after the change. `of`: only of this user or client, which
 * saves reading the rest. Returns whose access ended.
 */
export async function endLostAccess(
  context: { store: Store; clock: Clock },
  of: Partial<ClientUser> = {},
): Promise<ClientUser[]> {
  const lost = await listLostAccess(context.store, of);
  for (const userId of new Set(lost.map((one) => one.userId))) {
    const clientIds = lost.filter((one) => one.userId === userId).map(({ clientId }) => clientId);
    await endAccessToClients(context, userId, clientIds);
  }
  return lost;
}

/**
 * Ends the grants, codes and tokens that these clients have of the user, and queues the back-channel logouts of the
 * user's sessions at them. Call it in a transaction. Returns how many records ended.
 */
export async function endAccessToClients(
  { store, clock }: { store: Store; clock: Clock },
  userId: string,
  clientIds: readonly string[],
): Promise<number> {
  await queueLogoutsOfClients({ store, now: clock.now() }, userId, clientIds);
  let ended = 0;
  for (const clientId of clientIds) ended += await removeGrantsOfClient(store, userId, clientId);
  return ended;
}
