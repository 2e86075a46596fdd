import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { createProgress } from "#app/cli/output/progress.server.ts";
import { facts } from "#app/cli/output/table.ts";
import { showDatabase } from "#app/config/database-value.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { holdServerLock } from "#app/db/sqlite/server-lock.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { findOccupied } from "#app/db/transfer.server.ts";
import { copyInto, countRows, type Moved } from "#app/domain/instance/move-to-postgres.server.ts";
import { readTarget, type TargetOptions } from "./data-target.server.ts";

type CopyOptions = TargetOptions & { json?: boolean };

const HELP = `
To move to PostgreSQL:
  1. make an empty database there, with an account that may create tables in it
  2. stop the server
  3. gatehouse data copy --to postgres://gatehouse@db.example.com/gatehouse
     with the account's password in PGPASSWORD or ~/.pgpass, never in the address;
     or --to-file FILE, where FILE holds the whole address as DATABASE_URL_FILE would
  4. set DATABASE_URL (or DATABASE_URL_FILE) to the new database, leave SECRET_KEYS as it is, and start the server
Everybody stays signed in; passwords, second factors, applications and tokens go on working.
Never start the SQLite file again afterwards: it would know people and tokens that were blocked since. Keep it as a
backup, with gatehouse.epoch and audit.jsonl beside it, which PostgreSQL has no use for: the audit trail is in the
database. Mails that were written as .eml files stay where they are. From then on pg_dump makes the backups.`;

/** `gatehouse data`: the database as a whole. */
export function addDataCommands(program: Command, line: CommandLine): void {
  const data = program.command("data").description("copy the whole database to PostgreSQL");
  examples(data, ["data copy --to postgres://gatehouse@db.example.com/gatehouse"]);
  const copy = data
    .command("copy")
    .description("copy the SQLite database to an empty PostgreSQL one; the server must be stopped")
    .option("--to <address>", "the PostgreSQL database, without a password")
    .option("--to-file <file>", "a file that holds the address, with the password")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action((options: CopyOptions) => runCopy(line, options));
  examples(copy, [
    "data copy --to postgres://gatehouse@db.example.com/gatehouse",
    "data copy --to-file /run/secrets/database-url",
  ]);
}

async function runCopy(line: CommandLine, options: CopyOptions) {
  const { config } = requireConfig(line.env);
  const { database } = config;
  const target = readTarget(options);
  if (database.dialect !== "sqlite") {
    throw new CommandError(EXIT.refused, ["DATABASE_URL names a PostgreSQL database already.", PG_DUMP]);
  }
  if (!existsSync(database.file)) {
    throw new CommandError(EXIT.notFound, [`There is no database to copy: ${database.file}`]);
  }
  const lock = holdServerLock(database.file);
  try {
    const store = await openStore(target);
    try {
      await prepareTarget(store);
      tell(line, { ...(await copy(line, store)), to: showDatabase(target) }, options);
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

const PG_DUMP = "pg_dump and pg_restore copy it to another server.";

/** Refuses a database that somebody uses; brings an empty one to the present schema. */
async function prepareTarget(store: Store): Promise<void> {
  const { foreign, filled } = await findOccupied(store);
  if (filled.length > 0) throw occupied("holds rows already", filled);
  if (foreign.length > 0) throw occupied("holds tables of another program", foreign);
  await migrateStore(store);
}

function occupied(how: string, tables: readonly string[]): CommandError {
  const named = tables.length > 3 ? `${tables.slice(0, 3).join(", ")} …` : tables.join(", ");
  return new CommandError(EXIT.refused, [
    `The target ${how} (${named}). Nothing was copied.`,
    "Make an empty database for Gatehouse alone: createdb gatehouse",
  ]);
}

async function copy({ streams, withContext }: CommandLine, target: Store): Promise<Moved> {
  return withContext(async (context) => {
    const progress = createProgress(streams, { what: "Copying rows", total: await countRows(context) });
    try {
      return await copyInto(context, target, { onProgress: progress.at });
    } finally {
      progress.end();
    }
  });
}

function tell({ output }: CommandLine, result: Moved & { to: string }, options: CopyOptions) {
  const { tables, rows, audit, to } = result;
  if (options.json) return output.json(result);
  const trail = audit.ok ? "whole" : "broken, as it was before: gatehouse audit verify names the places";
  output.lines(
    facts([
      ["to", to],
      ["rows", [String(rows), ...Object.entries(tables).map(([name, count]) => `${name}: ${count}`)]],
      ["audit trail", `${audit.events} events, ${trail}`],
    ]),
  );
  output.note("Everything was copied and compared. Set DATABASE_URL to the new database, and start the server.");
  return output.note("Never start the SQLite file again: keep it as a backup.");
}
