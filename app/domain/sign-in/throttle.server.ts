import { createHash } from "node:crypto";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  type Limit,
  type LimiterDeps,
  takeBackTogether,
} from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { canonicalForm } from "#app/domain/username/canonical.ts";

const QUARTER_HOUR = 15 * 60;
const DAY = 24 * 60 * 60;

/**
 * How many wrong passwords are heard (the same numbers stand in docs/security.md). A window begins with its first
 * failure; once it is full, further attempts wait until it ends, and the waiting ones check no password.
 */
export const SIGN_IN_LIMITS = {
  /** One user name, from browsers that never signed in as this user. */
  account: { name: "sign-in/account", points: 10, windowSeconds: QUARTER_HOUR },
  accountDay: { name: "sign-in/account-day", points: 100, windowSeconds: DAY },
  /** One client address (IPv6: one /64; a /56 gets 4 times, a /48 16 times as many), over all names strange to the browser. */
  address: { name: "sign-in/address", points: 50, windowSeconds: QUARTER_HOUR },
  /** One user name in one browser that finished a sign-in of this user before. */
  browser: { name: "sign-in/browser", points: 10, windowSeconds: QUARTER_HOUR },
  browserDay: { name: "sign-in/browser-day", points: 100, windowSeconds: DAY },
} as const satisfies Record<string, Limit>;

const account = createLimiter(SIGN_IN_LIMITS.account);
const accountDay = createLimiter(SIGN_IN_LIMITS.accountDay);
const countsOfAddress = createNetworkLimit(SIGN_IN_LIMITS.address);
const browser = createLimiter(SIGN_IN_LIMITS.browser);
const browserDay = createLimiter(SIGN_IN_LIMITS.browserDay);

/** Who tries: the user name as typed and the address; `knownBrowser` when this browser signed in as this user before. */
export type Attempt = { username: string; address: string; knownBrowser: KnownBrowser | null };

export type KnownBrowser = { userId: string; browserHash: string };

/**
 * Counts an attempt before its password is checked, so that many at the same moment cannot all slip through. Returns 0
 * when it may go on, else the seconds to wait; an attempt that has to wait counts nowhere.
 *
 * A known browser is measured by its own counters alone: strangers, on the same address too, cannot lock the owner out.
 * Names that belong to nobody are counted like all others.
 */
export async function admitAttempt({ store, clock }: LimiterDeps, attempt: Attempt): Promise<number> {
  let waitSeconds = 0;
  try {
    await store.tx(async (tx) => {
      waitSeconds = await countTogether({ store: tx, clock }, countsOf(attempt));
      // Thrown to roll back: a flood of attempts that have to wait costs no write to the disk.
      if (waitSeconds > 0) throw new DomainError("throttled");
    });
  } catch (error) {
    if (!hasCode(error, "throttled")) throw error;
  }
  return waitSeconds;
}

/** Takes back what `admitAttempt` counted, for an attempt whose password could not be checked. */
export async function takeBackAttempt(parts: LimiterDeps, attempt: Attempt): Promise<void> {
  await takeBackTogether(parts, countsOf(attempt));
}

/**
 * Settles an attempt with the right password. A known browser starts over. From any other browser only this attempt is
 * taken back: who signs in as himself cannot clear what was guessed at other names from his address, and the owner's
 * success does not hand strangers new guesses.
 */
export async function settleAttempt(parts: LimiterDeps, attempt: Attempt): Promise<void> {
  if (!attempt.knownBrowser) return takeBackAttempt(parts, attempt);
  for (const { limiter, key } of countsOf(attempt)) await limiter.forget(parts, key);
}

/** Forgets the failures counted for a user name, once its password is another one. */
export async function forgetAccountFailures(parts: LimiterDeps, username: string): Promise<void> {
  for (const { limiter, key } of accountCounts(username)) await limiter.forget(parts, key);
}

/** Forgets the failures of a user in browsers that are known. */
export async function forgetBrowserFailures(parts: LimiterDeps, browsers: readonly KnownBrowser[]): Promise<void> {
  for (const known of browsers) for (const { limiter, key } of browserCounts(known)) await limiter.forget(parts, key);
}

/** Long windows first, so that the wait that is told is the longest; always in one order, so that no two lock each other. */
function countsOf({ username, address: from, knownBrowser }: Attempt): Count[] {
  if (knownBrowser) return browserCounts(knownBrowser);
  return [...accountCounts(username), ...countsOfAddress(from)];
}

function browserCounts({ userId, browserHash }: KnownBrowser): Count[] {
  const key = `${userId}/${browserHash}`;
  return [
    { limiter: browserDay, key },
    { limiter: browser, key },
  ];
}

function accountCounts(username: string): Count[] {
  // Hashed for a key of fixed length, whatever was typed; and what was typed may have been a password.
  const key = createHash("sha256").update(canonicalForm(username)).digest("base64url");
  return [
    { limiter: accountDay, key },
    { limiter: account, key },
  ];
}
