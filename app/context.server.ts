import { randomBytes } from "node:crypto";
import { destination, type Logger, pino } from "pino";
import type { Config } from "#app/config.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { ensureInstance } from "#app/db/repositories/instance.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { createPasswordHasher, type PasswordHasher } from "#app/domain/password/hash.server.ts";
import { createSecrets, type Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Exchange } from "#app/oidc/logout.server.ts";
import { createOidc, type Oidc } from "#app/oidc/oidc.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";

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
export type AppContext = BaseContext & { oidc: Oidc };

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
  /** Adds the origin of this URI to this answer's CSP form-action. */
  allowFormTarget(uri: string): void;
  /** The engine's session of this browser, read once. */
  session(): Promise<EngineSession | null>;
  /** The raw pair of this exchange; only the oidc room looks into it. */
  exchange: Exchange;
};

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  token: () => randomBytes(32).toString("base64url"),
};

/** Lines of JSON on standard error: standard output belongs to what a command was asked for. */
export function createLog(level: Config["logLevel"]): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination({ dest: 2, sync: false }));
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
    const { fingerprint: keyFingerprint } = createSecrets({ secretKeys: config.secretKeys, epoch: 0 });
    const { issuer } = config;
    const rpId = new URL(issuer).hostname;
    const { epoch } = await ensureInstance(store, { keyFingerprint, issuer, rpId, createdAt: clock.now() });
    const secrets = createSecrets({ secretKeys: config.secretKeys, epoch });
    return { config, clock, random, log, store, secrets, hasher: createPasswordHasher() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Makes everything a server needs. */
export async function createContext(input: ContextInput): Promise<AppContext> {
  const base = await createBaseContext({ ...input, server: true });
  try {
    return { ...base, oidc: await createOidc(base) };
  } catch (error) {
    await base.store.close();
    throw error;
  }
}
