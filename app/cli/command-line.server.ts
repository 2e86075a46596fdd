import { existsSync } from "node:fs";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { createOutput, type Output, type Streams } from "#app/cli/output/output.server.ts";
import type { Config } from "#app/config/config.ts";
import { readConfig } from "#app/config/read.server.ts";
import { mistakeLines, warningLines } from "#app/config/report.server.ts";
import {
  type BaseContext,
  createBaseContext,
  createLog,
  createUnchangedContext,
  type OpenDatabase,
} from "#app/context.server.ts";
import { requireNoStaleWal } from "#app/db/files/stale-wal.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { findEpochInService, takeIntoService } from "#app/restore/take-into-service.server.ts";
import { findOperator } from "./operator.server.ts";

export type Environment = Record<string, string | undefined>;

/** Dependencies of every command. */
export type CommandLine = {
  env: Environment;
  streams: Streams;
  output: Output;
  /** Opens and migrates the database, runs `work` and closes the database. Throws CommandError (configuration). */
  withContext<T>(work: (context: BaseContext) => Promise<T>): Promise<T>;
  /** `withContext` for a command that only reads: throws CommandError (refused) instead of creating a SQLite file. */
  withExistingContext<T>(work: (context: BaseContext) => Promise<T>): Promise<T>;
  /**
   * Opens the database as it is and runs `work`: applies no migration and reconciles no restored database, which would
   * end all sessions. Throws CommandError (refused) if the database has to be changed first.
   */
  withUnchangedContext<T>(work: (context: BaseContext) => Promise<T>): Promise<T>;
  /** Returns true if the command has recorded a change. */
  hasChanged(): boolean;
};

/** Creates the dependencies of the commands. Opens and reads nothing before a command needs it. */
export function createCommandLine({ env, streams }: { env: Environment; streams: Streams }): CommandLine {
  let hasChanged = false;

  async function withContext<T>(work: (context: BaseContext) => Promise<T>): Promise<T> {
    const { config } = requireConfig(env);
    const context = await createBaseContext({
      ...inputOf(config),
      operator: findOperator(env),
      epochOf: takeIntoService,
    });
    context.store.events.on("audit event", () => {
      hasChanged = true;
    });
    return runAndClose(context, work);
  }

  return {
    env,
    streams,
    hasChanged: () => hasChanged,
    output: createOutput(streams, env, () => requireConfig(env).config.timeZone),
    withContext,
    async withExistingContext(work) {
      requireDatabaseFile(requireConfig(env).config);
      return withContext(work);
    },
    async withUnchangedContext(work) {
      const { config } = requireConfig(env);
      requireDatabaseFile(config);
      return runAndClose(await createUnchangedContext({ ...inputOf(config), epochOf: requireUsableDatabase }), work);
    },
  };
}

function inputOf(config: Config) {
  return { config, log: createLog(commandLogLevel(config.logLevel)) };
}

async function runAndClose<T>(context: BaseContext, work: (context: BaseContext) => Promise<T>): Promise<T> {
  try {
    return await work(context);
  } finally {
    await context.store.close();
  }
}

/**
 * Throws CommandError (refused) if there is no SQLite file: opening it would create it. Throws StoreError "stale wal" if
 * only its WAL is left.
 */
export function requireDatabaseFile({ database }: Config): void {
  if (database.dialect !== "sqlite" || existsSync(database.file)) return;
  requireNoStaleWal(database.file);
  throw new CommandError(EXIT.refused, [
    `There is no database at ${database.file} yet.`,
    "Check DATABASE_URL, or create it: gatehouse migrate",
  ]);
}

async function requireUsableDatabase(database: OpenDatabase): Promise<number> {
  const pending = await listPendingMigrations(database.store);
  if (pending.length > 0) {
    throw new CommandError(EXIT.refused, [
      `${pending.length} migrations are missing: ${pending.join(", ")}.`,
      "The server applies them when it starts; list them with gatehouse migrate --plan.",
    ]);
  }
  const epoch = await findEpochInService(database);
  if (epoch !== null) return epoch;
  throw new CommandError(EXIT.refused, [
    "The database is a restored copy, or was never in service here.",
    "The next start of the server puts it into service, which ends all sessions of a restored database.",
  ]);
}

/** Reads the configuration of this environment. Throws CommandError (configuration) that lists every mistake. */
export function requireConfig(env: Environment): Extract<ReturnType<typeof readConfig>, { ok: true }> {
  const read = readConfig(env);
  if (read.ok) return read;
  throw new CommandError(EXIT.configuration, [
    ...mistakeLines(read.mistakes),
    ...warningLines(read.warnings),
    "docs/configuration.md explains every key.",
  ]);
}

/** Commands print their result instead of log lines of level info; the audit trail records the event. */
function commandLogLevel(level: Config["logLevel"]): Config["logLevel"] {
  return level === "info" ? "warn" : level;
}
