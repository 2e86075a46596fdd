import { randomBytes } from "node:crypto";
import { type Logger, pino } from "pino";
import type { Config } from "#app/config/config.ts";
import { readVersion } from "#app/config/version.server.ts";
import { followAudit } from "#app/db/files/audit-writer.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import type { Upstream } from "#app/domain/external-account/upstream.ts";
import { createMailer, type Mailer } from "#app/domain/mail/mailer.server.ts";
import { createPasswordHasher, type PasswordHasher } from "#app/domain/password/hash.server.ts";
import { createSecrets, type Secrets } from "#app/domain/secret/secrets.server.ts";
import { createLogLines } from "#app/log/lines.server.ts";
import type { LogoutSender } from "#app/oidc/backchannel-logout.server.ts";
import type { Oidc } from "#app/oidc/oidc.ts";
import type { Clock, Random } from "#app/ports.ts";

/** Dependencies of the administrators' commands: everything but the engine. */
export type BaseContext = {
  config: Config;
  clock: Clock;
  random: Random;
  log: Logger;
  store: Store;
  secrets: Secrets;
  hasher: PasswordHasher;
};

/** Everything that lives as long as the process; created once, in main.ts. */
export type AppContext = BaseContext & { oidc: Oidc; mail: Mailer; logouts: LogoutSender; upstream: Upstream };

/** Standard error, because standard output is for the results of commands. */
const LOG_FD = 2;

export const systemClock: Clock = { now: () => new Date() };

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  token: () => randomBytes(32).toString("base64url"),
};

/** Creates a logger that writes lines of JSON to standard error. */
export function createLog(level: Config["logLevel"]): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, createLogLines(LOG_FD));
}

/** An open and migrated database. */
export type OpenDatabase = Pick<BaseContext, "config" | "clock" | "random" | "log" | "store">;

type ContextInput = {
  config: Config;
  log: Logger;
  /** See `Store.operator`. */
  operator?: string;
  clock?: Clock;
  random?: Random;
  /** Returns the epoch from which keys are derived, usually by `takeIntoService`. */
  epochOf: (database: OpenDatabase) => Promise<number>;
};

/** Opens and migrates the database, and creates what the commands need. */
export async function createBaseContext(input: ContextInput): Promise<BaseContext> {
  return openContext(input, { server: false });
}

/**
 * Opens the database for a command that must not change it: applies no migration, and writes no audit file. `epochOf`
 * must not change it either; it throws if the database cannot be used as it is.
 */
export async function createUnchangedContext(input: ContextInput): Promise<BaseContext> {
  const { config, log, clock = systemClock, random = systemRandom, epochOf } = input;
  const store = await openStore(config.database);
  try {
    const database = { config, clock, random, log, store };
    const secrets = createSecrets({ secretKeys: config.secretKeys, epoch: await epochOf(database) });
    return { ...database, secrets, hasher: createPasswordHasher() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** `server`: takes the server lock of the SQLite file; commands run beside a server. */
async function openContext(input: ContextInput, { server }: { server: boolean }): Promise<BaseContext> {
  const { config, log, operator = null, clock = systemClock, random = systemRandom, epochOf } = input;
  const store = await openStore(config.database, { server, operator });
  try {
    await bringUpToDate(store, { config, clock });
    const database = { config, clock, random, log, store };
    const epoch = await epochOf(database);
    const secrets = createSecrets({ secretKeys: config.secretKeys, epoch });
    return { ...database, store: await withAuditFile(database), secrets, hasher: createPasswordHasher() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Applies all missing migrations and returns their names. Backs up a non-empty SQLite file before the first one. */
export async function bringUpToDate(
  store: Store,
  { config, clock = systemClock }: { config: Config; clock?: Clock },
): Promise<string[]> {
  const { database, backupDir: folder } = config;
  return migrateStore(store, {
    async before(migration) {
      if (database.dialect !== "sqlite") return;
      const { copyBeforeMigration } = await import("#app/db/files/backup.server.ts");
      await copyBeforeMigration({ clock, version: readVersion() }, { from: database.file, folder, migration });
    },
  });
}

/** Appends the audit events of a SQLite file to its audit file, until the returned store is closed. */
async function withAuditFile({ config: { database }, log, store }: OpenDatabase): Promise<Store> {
  if (database.dialect !== "sqlite") return store;
  const follower = followAudit(store, database.file, (error) =>
    log.error(
      { error: describeError(error) },
      "the audit file beside the database cannot be written; run gatehouse doctor",
    ),
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

/** Creates everything that a server needs. */
export async function createContext(input: ContextInput): Promise<AppContext> {
  const base = await openContext(input, { server: true });
  try {
    // Imported on demand: only the server needs the engine and the upstream providers.
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
