import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type AdministratorMailDeps, notifyAdministrator } from "#app/domain/mail/notify.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { widestNetworkOf } from "#app/domain/throttle/address-bucket.server.ts";
import {
  type Count,
  countTogether,
  createLimiter,
  findWait,
  findWaits,
  type Limit,
  type LimiterDeps,
} from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { hashTypedName } from "#app/domain/username/typed-name.server.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";

const QUARTER_HOUR_SECONDS = 15 * MINUTE_SECONDS;

/**
 * Limits on wrong passwords. A window begins with its first failure; once it is full, attempts are throttled until it
 * ends, without checking the password. Keep in step with docs/security.md.
 */
export const SIGN_IN_LIMITS = {
  /** Per name or e-mail address as typed, from browsers unknown to this user. */
  name: { name: "sign-in/name", points: 10, windowSeconds: QUARTER_HOUR_SECONDS },
  nameDay: { name: "sign-in/name-day", points: 100, windowSeconds: DAY_SECONDS },
  /** Per user, whatever was typed; beyond it, every password is refused like a wrong one. */
  account: { name: "sign-in/account", points: 10, windowSeconds: QUARTER_HOUR_SECONDS },
  accountDay: { name: "sign-in/account-day", points: 100, windowSeconds: DAY_SECONDS },
  /** Per client address or IPv6 /64 (4 times as many per /56, 16 times per /48), from browsers unknown to the user. */
  address: { name: "sign-in/address", points: 50, windowSeconds: QUARTER_HOUR_SECONDS },
  /** Per user name and known browser; also for the current password in the settings, counted as one browser. */
  browser: { name: "sign-in/browser", points: 10, windowSeconds: QUARTER_HOUR_SECONDS },
  browserDay: { name: "sign-in/browser-day", points: 100, windowSeconds: DAY_SECONDS },
} as const satisfies Record<string, Limit>;

const name = createLimiter(SIGN_IN_LIMITS.name);
const nameDay = createLimiter(SIGN_IN_LIMITS.nameDay);
const account = createLimiter(SIGN_IN_LIMITS.account);
const accountDay = createLimiter(SIGN_IN_LIMITS.accountDay);
const countsOfAddress = createNetworkLimit(SIGN_IN_LIMITS.address);
const browser = createLimiter(SIGN_IN_LIMITS.browser);
const browserDay = createLimiter(SIGN_IN_LIMITS.browserDay);

/** Dependencies of counting attempts. */
export type ThrottleDeps = LimiterDeps & { secrets: Pick<Secrets, "mac"> };

/**
 * An attempt. `userId` is null for an unknown user; `typedName` as typed, null for a passkey, which counts for the address
 * or the browser alone; `knownBrowser` is set if this browser finished a sign-in of the user before.
 */
export type Attempt = {
  typedName: string | null;
  userId: string | null;
  address: string;
  knownBrowser: KnownBrowser | null;
};

/** A browser in which the user has completed a sign-in; `browserHash`: hash of its cookie. */
type KnownBrowser = { userId: string; browserHash: string };

/** In place of the hash of a browser: all settings of a user, whose wrong passwords are counted together. */
export const SETTINGS_BROWSER = "settings";

/**
 * Returns the seconds that an attempt has to wait, or 0, and whether the user's attempts are exhausted. Does not write.
 * Call it before the password is checked, and, if the password is right, again in the transaction that records the
 * success: simultaneous attempts may have reached the limit in between, and none beyond it may learn that its password
 * is right. A known browser has its own counters, so that others cannot lock the user out.
 *
 * An attempt waits for what was typed, not for the user, so that a wait does not reveal that a user name exists, or
 * that it and an e-mail address belong together. `isExhausted`: refuse the right password exactly like a wrong one.
 */
export async function findAttemptLimits(
  deps: ThrottleDeps,
  attempt: Attempt,
): Promise<{ waitSeconds: number; isExhausted: boolean }> {
  const visible = [...(isGuessable(attempt) ? [UNKNOWN_BROWSERS] : []), ...visibleCounts(deps, attempt)];
  const [waitSeconds = 0, hiddenSeconds = 0] = await findWaits(deps, visible, hiddenCounts(deps, attempt));
  return { waitSeconds, isExhausted: hiddenSeconds > 0 };
}

/**
 * Counts an attempt with a wrong password. Call it in the transaction that records the refusal, so that an attempt is
 * counted exactly if it is answered, even if the process ends at any moment. Returns 0, or the seconds to wait if
 * simultaneous attempts have reached a limit: then roll back, because a throttled attempt is not counted. Attempts at
 * unknown users are counted too, with the same statements.
 */
export async function countAttempt(deps: ThrottleDeps, attempt: Attempt): Promise<number> {
  const unknownBrowserWait = isGuessable(attempt) ? await findWait(deps, [UNKNOWN_BROWSERS]) : 0;
  if (unknownBrowserWait > 0) return unknownBrowserWait;
  const wait = await countTogether(deps, visibleCounts(deps, attempt));
  const hidden = hiddenCounts(deps, attempt);
  if (wait === 0 && hidden.length > 0) await countTogether(deps, hidden);
  return wait;
}

/**
 * Resets the counters of a known browser after the right password. For any other browser changes nothing, so that a
 * success does not clear guesses at this or other users.
 */
export async function clearAttempts(deps: LimiterDeps, { knownBrowser }: Attempt): Promise<void> {
  if (knownBrowser) await clearBrowserFailures(deps, [knownBrowser]);
}

/** Removes the failures counted for a user, the user name and the e-mail address, after the password changed. */
export async function clearAccountFailures(
  deps: ThrottleDeps,
  { id, username, email }: { id: string; username: string; email: string | null },
): Promise<void> {
  const names = [username, ...(email === null ? [] : [email])].flatMap((typed) => nameCounts(deps, typed));
  for (const { limiter, key } of [...names, ...accountCounts(id)]) await limiter.clear(deps, key);
}

/** Removes the failures counted for known browsers. */
export async function clearBrowserFailures(deps: LimiterDeps, browsers: readonly KnownBrowser[]): Promise<void> {
  for (const known of browsers) for (const { limiter, key } of browserCounts(known)) await limiter.clear(deps, key);
}

/** A passkey cannot be guessed. */
const isGuessable = ({ typedName, knownBrowser }: Attempt) => typedName !== null && knownBrowser === null;

/** Longest window first, so that the longest wait is returned. The order is fixed to avoid deadlocks. */
function visibleCounts(deps: ThrottleDeps, { typedName, address: clientAddress, knownBrowser }: Attempt): Count[] {
  if (knownBrowser) return browserCounts(knownBrowser);
  return [...(typedName === null ? [] : nameCounts(deps, typedName)), ...countsOfAddress(clientAddress)];
}

/** Counters of the user, under all names together; those of an unknown user have no effect. */
function hiddenCounts({ secrets }: ThrottleDeps, { typedName, userId, knownBrowser }: Attempt): Count[] {
  return knownBrowser || typedName === null ? [] : accountCounts(userId ?? hashTypedName(secrets, typedName));
}

function browserCounts({ userId, browserHash }: KnownBrowser): Count[] {
  const key = `${userId}/${browserHash}`;
  return [
    { limiter: browserDay, key },
    { limiter: browser, key },
  ];
}

function nameCounts({ secrets }: ThrottleDeps, typedName: string): Count[] {
  const key = hashTypedName(secrets, typedName);
  return [
    { limiter: nameDay, key },
    { limiter: name, key },
  ];
}

function accountCounts(key: string): Count[] {
  return [
    { limiter: accountDay, key },
    { limiter: account, key },
  ];
}

/**
 * Limits on failed sign-ins from browsers unknown to the user, over all user names and addresses: so many failures are
 * guesses spread over many accounts. Keep in step with docs/security.md.
 */
export const GUESSING_LIMITS = {
  /** Failures per hour that send an alarm to the administrator. */
  alarm: { name: "sign-in/everywhere", points: 100, windowSeconds: HOUR_SECONDS },
  alarmMails: { name: "sign-in/alarm", points: 1, windowSeconds: HOUR_SECONDS },
  /**
   * Failures per IPv4 address or IPv6 /48 that count for `unknownBrowsers`, so that few networks cannot block others.
   */
  network: { name: "sign-in/network", points: 20, windowSeconds: HOUR_SECONDS },
  /** Failures after which only known browsers are admitted until the window ends. */
  unknownBrowsers: { name: "sign-in/unknown-browsers", points: 1000, windowSeconds: HOUR_SECONDS },
} as const satisfies Record<string, Limit>;

const failures = createLimiter(GUESSING_LIMITS.alarm);
const alarmMails = createLimiter(GUESSING_LIMITS.alarmMails);
const failuresOfNetwork = createLimiter(GUESSING_LIMITS.network);
const spreadFailures = createLimiter(GUESSING_LIMITS.unknownBrowsers);

/** Key of installation-wide counters. */
const KEY = "all";

/** The counter of `unknownBrowsers`. */
const UNKNOWN_BROWSERS: Count = { limiter: spreadFailures, key: KEY };

/**
 * Counts a failed sign-in from an unknown browser, and alerts the administrator after too many. Call it in the
 * transaction that records the failure.
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
