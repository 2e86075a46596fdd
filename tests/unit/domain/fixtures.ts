import { randomBytes } from "node:crypto";
import pino from "pino";
import type { Config } from "#app/config/config.ts";
import { readConfig } from "#app/config/read.server.ts";
import { createUser } from "#app/db/repositories/users.server.ts";
import type { NewUser, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { canonicalForm } from "#app/domain/username/canonical.ts";
import type { Clock, Random } from "#app/ports.ts";

export type TestClock = Clock & { advance(seconds: number): void };

/** Creates a clock that stands still until it is moved. */
export function fixedClock(start = "2026-03-02T08:00:00.000Z"): TestClock {
  let now = new Date(start);
  return {
    now: () => now,
    advance(seconds) {
      now = new Date(now.getTime() + seconds * 1000);
    },
  };
}

export const random: Random = {
  bytes: (count) => randomBytes(count),
  token: () => randomBytes(32).toString("base64url"),
};

export const secrets = createSecrets({ secretKeys: ["k".repeat(32)], epoch: 0 });

/** Configuration that mails need. */
export const mailConfig = {
  issuer: "https://login.office.example",
  productName: "Gatehouse",
  logo: null,
  accent: null,
  imprintUrl: "https://office.example/imprint",
  supportContact: null,
  mailFrom: "no-reply@office.example",
  timeZone: "Europe/Berlin",
  defaultLanguage: "en" as const,
  adminMail: null,
};

/** Metadata of a request that is of no interest. */
export const REQUEST = { address: "192.0.2.1", userAgent: "", requestId: "r" };

/** Creates the dependencies of the domain, with a clock in the middle of a TOTP step. */
export function installation(store: Store, mfaPolicy: "optional" | "required" = "optional") {
  const clock = fixedClock("2026-03-02T08:00:15.000Z");
  const { log, lines } = recordingLog();
  const { hasher, counts } = quickHasher();
  const config = { ...defaultConfig(), ...mailConfig, mfaPolicy, mfaRememberDays: 0 };
  return { store, clock, random, log, lines, hasher, counts, secrets, config };
}

function defaultConfig(): Config {
  const read = readConfig({
    ISSUER: mailConfig.issuer,
    APP_URL: "https://office.example/",
    IMPRINT_URL: mailConfig.imprintUrl,
    SECRET_KEYS: "k".repeat(32),
  });
  if (!read.ok) throw new Error(`invalid configuration: ${JSON.stringify(read.mistakes)}`);
  return read.config;
}

export type Installation = ReturnType<typeof installation>;

/** Returns the current time in seconds since 1970. */
export function secondsOf({ clock }: Pick<Installation, "clock">): number {
  return Math.floor(clock.now().getTime() / 1000);
}

/** Creates a logger that keeps its lines. */
export function recordingLog() {
  const lines: string[] = [];
  const log = pino({ level: "trace", base: null }, { write: (line: string) => lines.push(line) });
  return { log, lines };
}

/** Creates a hasher without cost (the hash of "x" is "plain:x") that counts its calls. */
export function quickHasher() {
  const counts = { hash: 0, verify: 0 };
  const hasher: PasswordHasher = {
    async hash(password) {
      counts.hash += 1;
      return `plain:${password}`;
    },
    async verify(hash, password) {
      counts.verify += 1;
      return { ok: hash === `plain:${password}`, needsRehash: false };
    },
    async hashLike(_stored, text) {
      counts.hash += 1;
      return `plain:${text}`;
    },
  };
  return { hasher, counts };
}

/** Holds calls: `pass` waits until `release` is called; `started` resolves when `count` calls wait. */
export function holdCalls(count = 1) {
  let release = () => {};
  let start = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  let waiting = 0;
  function pass(): Promise<void> {
    waiting += 1;
    if (waiting === count) start();
    return released;
  }
  return { pass, started, release };
}

let users = 0;

/** Inserts a user; the canonical name is derived from the name. */
export async function putUser(store: Store, fields: Partial<NewUser> & { username: string }): Promise<User> {
  users += 1;
  const at = new Date("2026-01-01T00:00:00.000Z");
  return createUser(store, {
    id: `user-${users}`,
    usernameCanonical: canonicalForm(fields.username),
    displayName: fields.username,
    createdAt: at,
    updatedAt: at,
    ...fields,
  });
}

/** Wraps a store to count its statements and its outermost transactions. */
export function countingStore(store: Store) {
  const counts = { statements: 0, transactions: 0 };
  const count = () => {
    counts.statements += 1;
  };
  function counted(inner: Store, isOuter: boolean): Store {
    return {
      ...inner,
      q: countingRuns(inner.q, count),
      tx: (work) => {
        if (isOuter) counts.transactions += 1;
        return inner.tx((tx) => work(counted(tx, false)));
      },
    };
  }
  return { store: counted(store, true), counts };
}

/** Wraps a query builder to count a query when it is awaited, or executed if prepared. */
function countingRuns<Builder extends object>(builder: Builder, count: () => void): Builder {
  return new Proxy(builder, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "then" || name === "execute") count();
        const result: unknown = Reflect.apply(member, target, args);
        const isBuilder = typeof result === "object" && result !== null && !(result instanceof Promise);
        return isBuilder ? countingRuns(result, count) : result;
      };
    },
  });
}
