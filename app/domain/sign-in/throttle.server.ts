import { createHash } from "node:crypto";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  type Limit,
  type LimiterDeps,
  refundTogether,
} from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { canonicalForm } from "#app/domain/username/canonical.ts";

const QUARTER_HOUR = 15 * 60;
const DAY = 24 * 60 * 60;

/**
 * Limits on wrong passwords. A window begins with its first failure; once it is full, attempts are throttled until it
 * ends, without checking the password. Keep in step with docs/security.md.
 */
export const SIGN_IN_LIMITS = {
  /** Per user name, from browsers unknown to this user. */
  account: { name: "sign-in/account", points: 10, windowSeconds: QUARTER_HOUR },
  accountDay: { name: "sign-in/account-day", points: 100, windowSeconds: DAY },
  /** Per client address or IPv6 /64 (4 times as many per /56, 16 times per /48), from browsers unknown to the user. */
  address: { name: "sign-in/address", points: 50, windowSeconds: QUARTER_HOUR },
  /** Per user name and known browser; also for the current password in the settings, counted as one browser. */
  browser: { name: "sign-in/browser", points: 10, windowSeconds: QUARTER_HOUR },
  browserDay: { name: "sign-in/browser-day", points: 100, windowSeconds: DAY },
} as const satisfies Record<string, Limit>;

const account = createLimiter(SIGN_IN_LIMITS.account);
const accountDay = createLimiter(SIGN_IN_LIMITS.accountDay);
const countsOfAddress = createNetworkLimit(SIGN_IN_LIMITS.address);
const browser = createLimiter(SIGN_IN_LIMITS.browser);
const browserDay = createLimiter(SIGN_IN_LIMITS.browserDay);

/** An attempt. `username` is as typed; `knownBrowser` is set if this browser finished a sign-in of the user before. */
export type Attempt = { username: string; address: string; knownBrowser: KnownBrowser | null };

/** A browser in which the user has completed a sign-in; `browserHash`: hash of its cookie. */
export type KnownBrowser = { userId: string; browserHash: string };

/**
 * Counts an attempt before its password is checked, so that simultaneous attempts cannot exceed the limit. Returns 0,
 * or the seconds to wait; a throttled attempt is not counted. A known browser has its own counters, so that others
 * cannot lock the user out. Unknown user names are counted too.
 */
export async function admitAttempt({ store, clock }: LimiterDeps, attempt: Attempt): Promise<number> {
  let waitSeconds = 0;
  try {
    await store.tx(async (tx) => {
      waitSeconds = await countTogether({ store: tx, clock }, countsOf(attempt));
      // Rolls back, so that throttled attempts cause no disk writes.
      if (waitSeconds > 0) throw new DomainError("throttled");
    });
  } catch (error) {
    if (!hasCode(error, "throttled")) throw error;
  }
  return waitSeconds;
}

/** Refunds what `admitAttempt` counted, for an attempt whose password could not be checked. */
export async function refundAttempt(deps: LimiterDeps, attempt: Attempt): Promise<void> {
  await refundTogether(deps, countsOf(attempt));
}

/**
 * Settles an attempt with the right password. Resets the counters of a known browser. For any other browser refunds
 * only this attempt, so that a success does not clear guesses at this or other users.
 */
export async function settleAttempt(deps: LimiterDeps, attempt: Attempt): Promise<void> {
  if (!attempt.knownBrowser) return refundAttempt(deps, attempt);
  for (const { limiter, key } of countsOf(attempt)) await limiter.clear(deps, key);
}

/** Removes the failures counted for a user name, after its password changed. */
export async function clearAccountFailures(deps: LimiterDeps, username: string): Promise<void> {
  for (const { limiter, key } of accountCounts(username)) await limiter.clear(deps, key);
}

/** Removes the failures counted for known browsers. */
export async function clearBrowserFailures(deps: LimiterDeps, browsers: readonly KnownBrowser[]): Promise<void> {
  for (const known of browsers) for (const { limiter, key } of browserCounts(known)) await limiter.clear(deps, key);
}

/** Longest window first, so that the longest wait is returned. The order is fixed to avoid deadlocks. */
function countsOf({ username, address: clientAddress, knownBrowser }: Attempt): Count[] {
  if (knownBrowser) return browserCounts(knownBrowser);
  return [...accountCounts(username), ...countsOfAddress(clientAddress)];
}

function browserCounts({ userId, browserHash }: KnownBrowser): Count[] {
  const key = `${userId}/${browserHash}`;
  return [
    { limiter: browserDay, key },
    { limiter: browser, key },
  ];
}

function accountCounts(username: string): Count[] {
  // Hashed for a fixed length, and because users may type a password here.
  const key = createHash("sha256").update(canonicalForm(username)).digest("base64url");
  return [
    { limiter: accountDay, key },
    { limiter: account, key },
  ];
}
