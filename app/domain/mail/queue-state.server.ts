import { countWaitingMails } from "#app/db/repositories/mail-outbox.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** `waiting`: number of unsent mails; `oldestSeconds`: age of the oldest of them, 0 if there is none. */
export type QueueState = { waiting: number; oldestSeconds: number };

/** Reads the state of the outbox; sent and failed mails do not count. */
export async function readQueueState({ store, clock }: { store: Store; clock: Clock }): Promise<QueueState> {
  const { waiting, oldest } = await countWaitingMails(store);
  const oldestSeconds = oldest === null ? 0 : Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000);
  return { waiting, oldestSeconds };
}
