import { removeDoneMails as removeFromOutbox } from "#app/db/repositories/mail-outbox.server.ts";
import { removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import { removeExpiredOneTimeTokens } from "#app/db/repositories/one-time-tokens.server.ts";
import { removeExpiredRateLimits } from "#app/db/repositories/rate-limits.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsDeps } from "#app/domain/settings/grant.server.ts";
import type { Clock } from "#app/ports.ts";
import { inBatches } from "./in-batches.server.ts";

/** Removes expired one-time tokens, used or not, in small batches. */
export async function removeExpiredTokens({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = clock.now();
  await inBatches(store, (batchStore, batchSize) => removeExpiredOneTimeTokens(batchStore, { before, batchSize }));
}

/** Removes expired counters in small batches. */
export async function removeExpiredCounters({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = clock.now();
  await inBatches(store, (batchStore, batchSize) => removeExpiredRateLimits(batchStore, { before, batchSize }));
}

/**
 * Removes expired page sessions and chains in small batches. Idle ones stay until they expire: a page's chain must not
 * start again while its page session could be alive.
 */
export async function removeExpiredSettings({ store, clock }: SettingsDeps): Promise<void> {
  const before = clock.now();
  await inBatches(store, (batchStore, batchSize) => removeExpiredManageChains(batchStore, { before, batchSize }));
  await inBatches(store, (batchStore, batchSize) => removeExpiredManageSessions(batchStore, { before, batchSize }));
}

/** Retention of sent and failed mails, from their creation. */
export const DONE_MAIL_DAYS = 7;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes sent and failed mails a week after their creation. */
export async function removeDoneMails({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const before = new Date(clock.now().getTime() - DONE_MAIL_DAYS * DAY_MS);
  await inBatches(store, (batchStore, batchSize) => removeFromOutbox(batchStore, { before, batchSize }));
}
