import { countWaitingMails } from "#app/db/repositories/mail-outbox.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** How many mails wait to be sent, and for how long the oldest of them has waited; 0 when none does. */
export type QueueState = { waiting: number; oldestSeconds: number };

/** Looks at the outbox; mails that were sent or given up do not count. */
export async function readQueueState({ store, clock }: { store: Store; clock: Clock }): Promise<QueueState> {
  const { waiting, oldest } = await countWaitingMails(store);
  const oldestSeconds = oldest === null ? 0 : Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000);
  return { waiting, oldestSeconds };
}
