import type { Config } from "#app/config/config.ts";
import { removeOldHelpLinks } from "#app/db/repositories/help-links.server.ts";
import { removeExpiredBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { removeDoneMails as removeFromOutbox } from "#app/db/repositories/mail-outbox.server.ts";
import { removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import { removeExpiredOneTimeTokens } from "#app/db/repositories/one-time-tokens.server.ts";
import { removeExpiredRateLimits } from "#app/db/repositories/rate-limits.server.ts";
import { removeInvalidDevices } from "#app/db/repositories/remembered-devices.server.ts";
import { userSlices } from "#app/db/repositories/user-slices.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { inBatches, pause } from "./in-batches.server.ts";

type CleanUpDeps = { store: Store; clock: Clock };

/** Removes expired one-time tokens, used or not, in small batches. */
export async function removeExpiredTokens(deps: CleanUpDeps): Promise<void> {
  const before = deps.clock.now();
  await inBatches(deps, (batchStore, batchSize) => removeExpiredOneTimeTokens(batchStore, { before, batchSize }));
}

/** Removes expired counters in small batches. */
export async function removeExpiredCounters(deps: CleanUpDeps): Promise<void> {
  const before = deps.clock.now();
  await inBatches(deps, (batchStore, batchSize) => removeExpiredRateLimits(batchStore, { before, batchSize }));
}

/** Retention of help links, from their creation: longer than they are valid, and than they exclude other help. */
const HELP_LINK_DAYS = 2;

/** Removes help links, used or not, two days after their creation. */
export async function removeHelpLinks(deps: CleanUpDeps): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - HELP_LINK_DAYS * DAY_MS);
  await inBatches(deps, (batchStore, batchSize) => removeOldHelpLinks(batchStore, { before, batchSize }));
}

/**
 * Removes expired page sessions and chains in small batches. Idle ones stay until they expire: a page's chain must not
 * start again while its page session could be alive.
 */
export async function removeExpiredSettings(deps: CleanUpDeps): Promise<void> {
  const before = deps.clock.now();
  await inBatches(deps, (batchStore, batchSize) => removeExpiredManageChains(batchStore, { before, batchSize }));
  await inBatches(deps, (batchStore, batchSize) => removeExpiredManageSessions(batchStore, { before, batchSize }));
}

/** Retention of sent and failed mails, from their creation. */
const DONE_MAIL_DAYS = 7;

/** Removes sent and failed mails a week after their creation. */
export async function removeDoneMails(deps: CleanUpDeps): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - DONE_MAIL_DAYS * DAY_MS);
  await inBatches(deps, (batchStore, batchSize) => removeFromOutbox(batchStore, { before, batchSize }));
}

/** Users whose browsers are scanned by one statement. */
const SLICE_USERS = 1000;

/**
 * Creates a job that removes remembered devices that are no longer valid, and known browsers whose cookie is expired.
 * Keeps the last browser of each user, so that a sign-in in another browser is still notified. Runs at most once a day,
 * because these rows have no index on time, and in slices of users.
 */
export function createBrowserRemoval({
  afterSeconds,
}: {
  afterSeconds: number;
}): (context: CleanUpDeps & { config: Pick<Config, "mfaRememberDays"> }) => Promise<void> {
  let doneAt: Date | null = null;
  return async ({ store, clock, config }) => {
    const now = clock.now();
    if (doneAt !== null && Math.abs(now.getTime() - doneAt.getTime()) < DAY_MS) return;
    // A device that a smaller MFA_REMEMBER_DAYS has ended must not count again when the number is raised.
    const rememberedBefore = new Date(now.getTime() - config.mfaRememberDays * DAY_MS);
    const invalid = { before: now, rememberedBefore };
    const before = new Date(now.getTime() - afterSeconds * 1000);
    for await (const slice of userSlices(store, SLICE_USERS)) {
      await inBatches({ store, clock }, (part, batchSize) =>
        removeInvalidDevices(part, { slice, ...invalid, batchSize }),
      );
      await inBatches({ store, clock }, (part, batchSize) => removeExpiredBrowsers(part, { slice, before, batchSize }));
      await pause();
    }
    doneAt = now;
  };
}
