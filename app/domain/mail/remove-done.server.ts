import { removeDoneMails as removeFromOutbox } from "#app/db/repositories/mail-outbox.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import type { Clock } from "#app/ports.ts";

/** Retention of sent and failed mails, from their creation. */
export const DONE_MAIL_DAYS = 7;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes sent and failed mails a week after their creation. */
export async function removeDoneMails({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = new Date(clock.now().getTime() - DONE_MAIL_DAYS * DAY_MS);
  await inBatches(store, (part, batchSize) => removeFromOutbox(part, { before, batchSize }));
}
