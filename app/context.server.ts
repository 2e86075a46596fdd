import { randomBytes } from "node:crypto";
import { destination, type Logger, pino } from "pino";
import type { Config } from "#app/config.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { ensureInstance } from "#app/db/repositories/instance.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { createMailer, type Mailer } from "#app/domain/mail/mailer.server.ts";
import { createPasswordHasher, type PasswordHasher } from "#app/domain/password/hash.server.ts";
import { createSecrets, type Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Exchange } from "#app/oidc/logout.server.ts";
import type { Oidc } from "#app/oidc/oidc.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { Upstream } from "#app/upstream/upstream.server.ts";

/** The only source of the time; tests hand in their own. */
export type Clock = { now(): Date };

/** The only source of chance. `token()` is 32 random bytes as base64url (43 characters). */
export type Random = { bytes(count: number): Uint8Array; token(): string };

/** What the administrators' command works with: everything but the engine. */
export type BaseContext = {
  config: Config;
  clock: Clock;
  random: Random;
  log: Logger;
  store: Store;
  secrets: Secrets;
  hasher: PasswordHasher;
};

/** Everything that lives as long as the process; made once, in main.ts. */
export type AppContext = BaseContext & { oidc: Oidc; mail: Mailer; upstream: Upstream };

/** What the edge knows about one request; loaders and actions get it together with the AppContext. */
export type RequestFacts = {
  /** The reference people are shown and the log carries. */
  requestId: string;
  cspNonce: string;
  /** Value of the browser cookie; the edge has set it before anything else runs. */
  browser: string;
  /** Address of the client, forwarded headers read only from TRUST_PROXY. */
  address: string;
  userAgent: string;
  /** Does work when the answer is out, so that nobody can tell from the answer what there was to do. Failures are logged. */
  afterAnswer(work: () => Promise<void>): void;
  /** A form or a call: its action's answer is the page, and a loader, which Remix runs after it, has nothing to show. */
  isPosted: boolean;
  /** Adds the origin of this URI to this answer's CSP form-action. */
  allowFormTarget(uri: string): void;
  /** The engine's session of this browser, read once. */
  session(): Promise<EngineSession | null>;
  /** The raw pair of this exchange; only the oidc room looks into it. */
  exchange: Exchange;
};

/** A write per line cost as much as the line itself; so many lines go out in one, this late at most. */
const LOG_BUFFER_BYTES = 4096;
const LOG_FLUSH_MS = 100;

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  token: () => randomBytes(32).toString("base64url"),
};

/** Lines of JSON on standard error: standard output belongs to what a command was asked for. */
export function createLog(level: Config["logLevel"]): Logger {
  const lines = destination({ dest: 2, sync: false, minLength: LOG_BUFFER_BYTES, periodicFlush: LOG_FLUSH_MS });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}

type ContextInput = {
  config: Config;
  log: Logger;
  clock?: Clock;
  random?: Random;
  /** A server holds the SQLite file alone among servers; commands run beside it. */
  server?: boolean;
};

/** Opens the database, brings it up to date, and makes what works on it. */
export async function createBaseContext(input: ContextInput): Promise<BaseContext> {
  const { config, log, clock = systemClock, random = systemRandom, server = false } = input;
  const store = await openStore(config.database, { server });
  try {
    await migrateStore(store);
    const secrets = createSecrets({ secretKeys: config.secretKeys, epoch: await epochOf(store, { config, clock }) });
    return { config, clock, random, log, store, secrets, hasher: createPasswordHasher() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * The epoch of the database, which is made at the first start. Throws DomainError "wrong secret key" when none of
 * SECRET_KEYS is the one the database was made with: nothing may be sealed with a stranger's key.
 */
async function epochOf(store: Store, { config, clock }: { config: Config; clock: Clock }): Promise<number> {
  const { issuer, secretKeys } = config;
  const fingerprints = secretKeys.map((key) => createSecrets({ secretKeys: [key], epoch: 0 }).fingerprint);
  const [keyFingerprint = ""] = fingerprints;
  const facts = { keyFingerprint, issuer, rpId: new URL(issuer).hostname, createdAt: clock.now() };
  const instance = await ensureInstance(store, facts);
  if (!fingerprints.includes(instance.keyFingerprint)) {
    const detail = `the database was made with the key ${instance.keyFingerprint}, which is not among SECRET_KEYS`;
    throw new DomainError("wrong secret key", { detail });
  }
  return instance.epoch;
}

/** Makes everything a server needs. */
export async function createContext(input: ContextInput): Promise<AppContext> {
  const base = await createBaseContext({ ...input, server: true });
  try {
    // Read on demand: no command but the server needs the engine, or speaks with other providers.
    const { createOidc } = await import("#app/oidc/oidc.server.ts");
    const { createUpstream } = await import("#app/upstream/upstream.server.ts");
    return { ...base, oidc: await createOidc(base), mail: createMailer(base), upstream: createUpstream(base) };
  } catch (error) {
    await base.store.close();
    throw error;
  }
}
