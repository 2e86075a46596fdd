import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { createProgress } from "#app/cli/output/progress.server.ts";
import { properties } from "#app/cli/output/table.ts";
import { databaseUrl, showDatabase } from "#app/config/database-value.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { acquireServerLock } from "#app/db/sqlite/server-lock.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { findBlockingTables } from "#app/db/transfer.server.ts";
import { copyInto, countRows, type MoveResult } from "#app/domain/instance/move-to-postgres.server.ts";

type TargetOptions = { to?: string; toFile?: string };
type CopyOptions = TargetOptions & { json?: boolean };

const HELP = `
To move to PostgreSQL:
  1. create an empty PostgreSQL database, and a role that may create tables in it
  2. stop the server
  3. gatehouse data copy --to postgres://gatehouse@db.example.com/gatehouse
     with the password of the role in PGPASSWORD or ~/.pgpass, never in the URL;
     or --to-file FILE, where FILE contains the whole URL, like DATABASE_URL_FILE
  4. set DATABASE_URL (or DATABASE_URL_FILE) to the new database, keep SECRET_KEYS unchanged, and start the server
Users stay signed in; passwords, second factors, clients and tokens keep working.
Never start the SQLite file again: users and tokens that were blocked later would be valid in it. Keep the file as a
backup, with gatehouse.epoch and audit.jsonl, which PostgreSQL does not need: the audit trail is in the database.
Mails that were written as .eml files stay in their folder. From then on, make backups with pg_dump.`;

/** `gatehouse data`. */
export function addDataCommands(program: Command, line: CommandLine): void {
  const data = program.command("data").description("copy the whole database to PostgreSQL");
  examples(data, ["data copy --to postgres://gatehouse@db.example.com/gatehouse"]);
  const copy = data
    .command("copy")
    .description("copy the SQLite database to an empty PostgreSQL database; the server must be stopped")
    .option("--to <url>", "URL of the PostgreSQL database, without a password")
    .option("--to-file <file>", "file that contains the URL, with the password")
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
    throw new CommandError(EXIT.refused, ["DATABASE_URL is a PostgreSQL database already.", PG_DUMP]);
  }
  if (!existsSync(database.file)) {
    throw new CommandError(EXIT.notFound, [`Database file ${database.file} does not exist. Check DATABASE_URL.`]);
  }
  const lock = acquireServerLock(database.file);
  try {
    const store = await openStore(target);
    try {
      await prepareTarget(store);
      printResult(line, { ...(await copy(line, store)), to: showDatabase(target) }, options);
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

const PG_DUMP = "Use pg_dump and pg_restore to copy it to another server.";

/** Rejects a database with rows or foreign tables; creates the current schema in an empty one. */
async function prepareTarget(store: Store): Promise<void> {
  const { foreign, filled } = await findBlockingTables(store);
  if (filled.length > 0) throw occupiedError("already contains rows", filled);
  if (foreign.length > 0) throw occupiedError("contains tables of another program", foreign);
  await migrateStore(store);
}

function occupiedError(how: string, tables: readonly string[]): CommandError {
  const tableNames = tables.length > 3 ? `${tables.slice(0, 3).join(", ")} …` : tables.join(", ");
  return new CommandError(EXIT.refused, [
    `The target ${how} (${tableNames}). Nothing was copied.`,
    "Create an empty database for Gatehouse: createdb gatehouse",
  ]);
}

async function copy({ streams, withContext }: CommandLine, target: Store): Promise<MoveResult> {
  return withContext(async (context) => {
    const progress = createProgress(streams, { what: "Copying rows", total: await countRows(context) });
    try {
      return await copyInto(context, target, { onProgress: progress.at });
    } finally {
      progress.end();
    }
  });
}

function printResult({ output }: CommandLine, result: MoveResult & { to: string }, options: CopyOptions) {
  const { tables, rows, audit, to } = result;
  if (options.json) return output.json(result);
  const trail = audit.ok ? "intact" : "broken, like the source: gatehouse audit verify lists the places";
  output.lines(
    properties([
      ["to", to],
      ["rows", [String(rows), ...Object.entries(tables).map(([name, count]) => `${name}: ${count}`)]],
      ["audit trail", `${audit.events} events, ${trail}`],
    ]),
  );
  output.note("All rows were copied and compared. Set DATABASE_URL to the new database and start the server.");
  return output.note("Never start the SQLite file again; keep it as a backup.");
}

/** Reads the URL of the target. Throws CommandError (usage) without the URL, which may contain a password. */
function readTarget({ to, toFile }: TargetOptions): { dialect: "postgres"; url: string } {
  if ((to === undefined) === (toFile === undefined)) throw usageError("missing option: one of --to, --to-file");
  const text = to ?? readText(toFile ?? "");
  const read = databaseUrl().safeParse(text);
  if (!read.success) throw usageError(`The URL of the target ${read.error.issues[0]?.message ?? "cannot be read"}.`);
  if (read.data.dialect !== "postgres") throw usageError("The target must be a PostgreSQL database: postgres://…");
  if (to !== undefined && hasPassword(read.data.url)) throw usageError(...PASSWORD_LINES);
  return read.data;
}

const PASSWORD_LINES = [
  "Passwords are not accepted as arguments, because other processes can read these.",
  "Set PGPASSWORD or ~/.pgpass, or write the whole URL to a file: --to-file FILE",
];

function hasPassword(text: string): boolean {
  const { password, searchParams } = new URL(text);
  return password !== "" || searchParams.has("password");
}

function readText(file: string): string {
  try {
    // Editors append a line break, which is not part of the URL.
    return readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
  } catch {
    throw usageError(`The file of --to-file is not readable: ${file}`);
  }
}

function usageError(...lines: string[]): CommandError {
  return new CommandError(EXIT.usage, lines);
}
