import { randomBytes } from "node:crypto";
import { type Logger, pino } from "pino";
import { readVersion } from "#app/config/version.server.ts";
import type { Config } from "#app/config.server.ts";
import { followAudit } from "#app/db/audit-follower.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { ensureInstance } from "#app/db/repositories/instance.server.ts";
import type { Instance } from "#app/db/schema.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { describeError } from "#app/domain/audit/describe-error.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { createMailer, type Mailer } from "#app/domain/mail/mailer.server.ts";
import { createPasswordHasher, type PasswordHasher } from "#app/domain/password/hash.server.ts";
import { ensureInstanceBeside, recogniseDatabase } from "#app/domain/restore/standing.server.ts";
import { createSecrets, type Secrets } from "#app/domain/secret/secrets.server.ts";
import { createLogLines } from "#app/log/lines.server.ts";
import type { LogoutSender } from "#app/oidc/backchannel-logout.server.ts";
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
export type AppContext = BaseContext & { oidc: Oidc; mail: Mailer; logouts: LogoutSender; upstream: Upstream };

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
  /** Adds the https origin of this URL to this answer's CSP img-src; an http URL and one without a usable origin add nothing. */
  allowPicture(url: string): void;
  /** The engine's session of this browser, read once. */
  session(): Promise<EngineSession | null>;
  /**
   * Counts one authorization request that is pushed in process, by the client's address.
   * @throws a 429 page when the address, or the session, may push no more
   */
  requirePlaceToPush(): Promise<void>;
  /** The raw pair of this exchange; only the oidc room looks into it. */
  exchange: Exchange;
};

/** Standard error: standard output belongs to what a command was asked for. */
const LOG_FD = 2;

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  token: () => randomBytes(32).toString("base64url"),
};

/** Lines of JSON on standard error. */
export function createLog(level: Config["logLevel"]): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, createLogLines(LOG_FD));
}

type ContextInput = {
  config: Config;
  log: Logger;
  clock?: Clock;
  random?: Random;
  /** A server holds the SQLite file alone among servers; commands run beside it. */
  server?: boolean;
  /** A restore: it holds the place of the server itself, and may change over to the configured issuer. */
  restoring?: { acceptIssuer: boolean };
};

/** Opens the database, brings it up to date, and makes what works on it. */
export async function createBaseContext(input: ContextInput): Promise<BaseContext> {
  const { config, log, clock = systemClock, random = systemRandom, server = false } = input;
  const opened = await openStore(config.database, { server });
  try {
    await bringUpToDate(opened, { config, clock });
    const base = { config, clock, random, log, store: opened };
    const epoch = await epochOf(base, input);
    const secrets = createSecrets({ secretKeys: config.secretKeys, epoch });
    return { ...base, store: await withAuditFile(base), secrets, hasher: createPasswordHasher() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Every missing step of the schema; before the first one, on a SQLite file that holds anything, a copy of it. */
export async function bringUpToDate(
  store: Store,
  { config, clock = systemClock }: { config: Config; clock?: Clock },
): Promise<string[]> {
  const { database, backupDir: folder } = config;
  return migrateStore(store, {
    async before(step) {
      if (database.dialect !== "sqlite") return;
      const { copyBeforeMigration } = await import("#app/domain/backup/make.server.ts");
      await copyBeforeMigration({ clock, version: readVersion() }, { from: database.file, folder, step });
    },
  });
}

type Opened = Pick<BaseContext, "config" | "clock" | "random" | "log" | "store">;

/**
 * The epoch of the database, which is made at the first start. An older database that came into the place of the one in
 * service goes through the fence first. Throws DomainError "wrong secret key" when none of SECRET_KEYS is the one the
 * database was made with: nothing may be sealed with a stranger's key.
 */
async function epochOf(opened: Opened, { server, restoring }: ContextInput): Promise<number> {
  const { config, clock, store } = opened;
  const { issuer, secretKeys, database } = config;
  const fingerprints = secretKeys.map((key) => createSecrets({ secretKeys: [key], epoch: 0 }).fingerprint);
  const [keyFingerprint = ""] = fingerprints;
  const facts = { keyFingerprint, issuer, rpId: new URL(issuer).hostname, createdAt: clock.now() };
  if (database.dialect !== "sqlite") return requireKey(await ensureInstance(store, facts), fingerprints).epoch;
  const { file } = database;
  const instance = requireKey(await ensureInstanceBeside(store, file, facts), fingerprints);
  const standing = await recogniseDatabase(store, file, instance);
  if (standing.kind === "known") return instance.epoch;
  // Read on demand: hardly any start needs it.
  const { finishFence, findRestoreReport, raiseFence } = await import("#app/domain/restore/fence.server.ts");
  if (standing.kind === "returned") {
    const isAlone = server === true || restoring !== undefined;
    const acceptIssuer = restoring?.acceptIssuer ?? false;
    return (await raiseFence(opened, { file, instance, sign: standing.sign, isAlone, acceptIssuer })).epoch;
  }
  const report = await findRestoreReport(store);
  if (report !== null) await finishFence(opened, file, report);
  return instance.epoch;
}

function requireKey(instance: Instance, fingerprints: readonly string[]): Instance {
  if (fingerprints.includes(instance.keyFingerprint)) return instance;
  const detail = `the database was made with the key ${instance.keyFingerprint}, which is not among SECRET_KEYS`;
  throw new DomainError("wrong secret key", { detail });
}

/** The store of a SQLite file, whose audit trail is written down beside it too, up to its close. */
async function withAuditFile({ config: { database }, log, store }: Opened): Promise<Store> {
  if (database.dialect !== "sqlite") return store;
  const follower = followAudit(store, database.file, (error) =>
    log.error({ error: describeError(error) }, "the audit trail cannot be written down beside the database"),
  );
  await follower.catchUp();
  return {
    ...store,
    async close() {
      await follower.end();
      await store.close();
    },
  };
}

/** Makes everything a server needs. */
export async function createContext(input: ContextInput): Promise<AppContext> {
  const base = await createBaseContext({ ...input, server: true });
  try {
    // Read on demand: no command but the server needs the engine, or speaks with other providers.
    const { createOidc } = await import("#app/oidc/oidc.server.ts");
    const { createLogoutSender } = await import("#app/oidc/backchannel-logout.server.ts");
    const { createUpstream } = await import("#app/upstream/upstream.server.ts");
    const oidc = await createOidc(base);
    const logouts = createLogoutSender({ ...base, oidc });
    return { ...base, oidc, mail: createMailer(base), logouts, upstream: createUpstream(base) };
  } catch (error) {
    await base.store.close();
    throw error;
  }
}
