import { findRateLimit } from "#app/db/repositories/rate-limits.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type AdministratorMailDeps, notifyAdministrator } from "#app/domain/mail/notify.server.ts";
import { widestNetworkOf } from "#app/domain/throttle/address-bucket.server.ts";
import { createLimiter, type Limit, type LimiterDeps } from "#app/domain/throttle/limiter.server.ts";

const HOUR = 60 * 60;

/**
 * Limits on failed sign-ins from browsers unknown to the user, over all user names and addresses: so many failures are
 * guesses spread over many accounts. Keep in step with docs/security.md.
 */
export const GUESSING_LIMITS = {
  /** Failures per hour that send an alarm to the administrator. */
  alarm: { name: "sign-in/everywhere", points: 100, windowSeconds: HOUR },
  alarmMails: { name: "sign-in/alarm", points: 1, windowSeconds: HOUR },
  /** Failures per IPv4 address or IPv6 /48 that count for `unknownBrowsers`, so that few networks cannot block others. */
  network: { name: "sign-in/network", points: 20, windowSeconds: HOUR },
  /** Failures after which only known browsers are admitted until the window ends. */
  unknownBrowsers: { name: "sign-in/strangers", points: 1000, windowSeconds: HOUR },
} as const satisfies Record<string, Limit>;

const failures = createLimiter(GUESSING_LIMITS.alarm);
const alarmMails = createLimiter(GUESSING_LIMITS.alarmMails);
const failuresOfNetwork = createLimiter(GUESSING_LIMITS.network);
const spreadFailures = createLimiter(GUESSING_LIMITS.unknownBrowsers);

/** Key of installation-wide counters. */
const KEY = "all";

/** Returns the seconds that sign-ins from unknown browsers have to wait, or 0. Does not write. */
export async function findUnknownBrowserWait({ store, clock }: LimiterDeps): Promise<number> {
  const now = clock.now();
  const row = await findRateLimit(store, spreadFailures.rowKey(KEY), now);
  if (!row?.expiresAt || row.points < GUESSING_LIMITS.unknownBrowsers.points) return 0;
  return Math.ceil((row.expiresAt.getTime() - now.getTime()) / 1000);
}

/**
 * Counts a failed sign-in from an unknown browser, and alerts the administrator after too many. Call it in the transaction
 * that records the failure.
 */
export async function countFailure(deps: AuditDeps & AdministratorMailDeps, address: string): Promise<void> {
  // Installation-wide counters last: their rows stay locked until the transaction ends.
  const ofNetwork = await failuresOfNetwork.count(deps, widestNetworkOf(address));
  if (ofNetwork === 0) await spreadFailures.count(deps, KEY);
  if ((await failures.count(deps, KEY)) === 0 || (await alarmMails.count(deps, KEY)) > 0) return;
  const { points } = GUESSING_LIMITS.alarm;
  const limit = GUESSING_LIMITS.unknownBrowsers.points;
  await notifyAdministrator(deps, { name: "sign-in-alarm", failures: points, limit });
  const reason = `more than ${points} failures in an hour`;
  await recordEvent(deps, { type: "sign-in.alarm", outcome: "ok", reason });
}
