import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { requireConfirmation } from "#app/cli/output/confirmation.server.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { facts, timeText } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { createBaseContext, createLog, systemClock } from "#app/context.server.ts";
import { putBackEpochMark, readEpochMark } from "#app/db/files/epoch-file.server.ts";
import { FileProblem } from "#app/db/files/inspect.server.ts";
import { exchangeDatabase } from "#app/db/files/swap.server.ts";
import { holdServerLock } from "#app/db/sqlite/server-lock.server.ts";
import { type Candidate, takeCandidate } from "#app/restore/backup-file.server.ts";
import { checkCandidate, type RestoreCheck } from "#app/restore/check.server.ts";
import { endEverything, findRestoreReport } from "#app/restore/reconcile.server.ts";
import type { RestoreReport } from "#app/restore/report.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { postgresRestoreLines } from "./postgres-backup.server.ts";
import { concernedLines, restoreReportLines } from "./restore-report.ts";

type RestoreOptions = {
  check?: boolean;
  dryRun?: boolean;
  acceptIssuer?: boolean;
  report?: boolean;
  fence?: boolean;
  yes?: boolean;
  json?: boolean;
};

/** `gatehouse restore`: a copy becomes the database, or what that would mean is told. */
export function addRestoreCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("restore")
    .description("put a copy in the place of the database; the server must be stopped")
    .argument("[file]", "the copy, as `gatehouse backup` made it")
    .option("--check", "say what it would mean, and change nothing; ends with 0 when it can be done, with 1 when not")
    .option("--dry-run", "the same as --check")
    .option("--accept-issuer", "take a database that belongs to another ISSUER")
    .option("--report", "tell again whom the last restore concerned")
    .option("--fence", "PostgreSQL, after pg_restore: end every session and token that came back")
    .option("--yes", "do not ask")
    .addOption(jsonOption())
    .action((file: string | undefined, options: RestoreOptions) => runRestore(line, file, options));
  examples(command, [
    "restore /var/backups/gatehouse/gatehouse-20260302T013000Z.sqlite --check",
    "restore /var/backups/gatehouse/gatehouse-20260302T013000Z.sqlite",
    "restore --report",
  ]);
}

async function runRestore(line: CommandLine, from: string | undefined, options: RestoreOptions) {
  if (options.report) return tellLastReport(line, options);
  if (options.fence) return fencePostgres(line, options);
  if (from === undefined) throw new CommandError(EXIT.usage, ["Which file? Say --help for examples."]);
  const { config } = requireConfig(line.env);
  const { database } = config;
  if (database.dialect !== "sqlite") throw new CommandError(EXIT.refused, postgresRestoreLines(database.url));
  const isCheck = options.check || options.dryRun;
  const lock = isCheck ? null : holdServerLock(database.file);
  try {
    const candidate = await take(from, database.file, isCheck ? EXIT.failed : EXIT.refused);
    try {
      const check = await checkCandidate(candidate, {
        config,
        acceptIssuer: options.acceptIssuer ?? false,
        clock: systemClock,
      });
      if (isCheck) return tellCheck(line, from, { check, options });
      await restore(line, { from, file: database.file, config, candidate, check, options });
    } finally {
      candidate.remove();
    }
  } finally {
    lock?.release();
  }
}

async function tellLastReport({ output, withContext }: CommandLine, options: RestoreOptions) {
  const report = await withContext(({ store }) => findRestoreReport(store));
  if (options.json) return output.json(report);
  if (report === null) return output.note("No older database ever came into service here.");
  return output.lines(restoreReportLines(report));
}

async function fencePostgres({ env, streams, output, withContext }: CommandLine, options: RestoreOptions) {
  if (requireConfig(env).config.database.dialect === "sqlite") {
    throw new CommandError(EXIT.refused, ["A SQLite file needs no command: an older one is recognised at the start."]);
  }
  await requireConfirmation(streams, { yes: options.yes ?? false, question: "End every session and token?" });
  const epoch = await withContext((context) => endEverything(context));
  if (options.json) return output.json({ epoch });
  return output.note("Everybody has to sign in again. Start every Gatehouse anew.");
}

async function take(from: string, file: string, exitCode: typeof EXIT.failed | typeof EXIT.refused) {
  try {
    return await takeCandidate({ clock: systemClock }, { from, file });
  } catch (error) {
    if (error instanceof FileProblem) throw new CommandError(exitCode, [error.message, "Nothing was changed."]);
    throw error;
  }
}

function tellCheck(
  { output }: CommandLine,
  from: string,
  { check, options }: { check: RestoreCheck; options: RestoreOptions },
) {
  const isGood = check.problems.length === 0;
  if (options.json) output.json({ ok: isGood, file: from, ...check });
  else output.lines([...checkLines(from, check), "", isGood ? "It can be restored." : "It cannot be restored."]);
  if (!isGood) throw new CommandError(EXIT.failed, options.json ? [] : problemLines(check));
}

function problemLines({ problems }: RestoreCheck): string[] {
  return problems.map(({ code, message }) =>
    code === "other issuer" ? `${message} Say --accept-issuer if that is meant.` : message,
  );
}

function checkLines(from: string, { manifest, facts: file, migrations, counts, concerned }: RestoreCheck): string[] {
  const schema = file.migrations.at(-1) ?? "-";
  return [
    ...facts([
      ["file", from],
      ["made", manifest === null ? "unknown: there is no manifest" : timeText(manifest.madeAt)],
      ["by version", manifest?.version ?? "unknown"],
      ["shows", timeText(file.lastEventAt)],
      ["schema", migrations.length === 0 ? schema : [schema, `${migrations.length} steps will be taken`]],
      ["key", file.instance?.keyFingerprint ?? "-"],
      ["issuer", file.instance?.issuer ?? "-"],
      ["rows now -> then", counts.map(({ table, live, file: then }) => `${table}: ${live ?? "unreadable"} -> ${then}`)],
    ]),
    ...(concerned === null ? [] : ["", ...concernedLines(concerned)]),
  ];
}

type RestoreInput = {
  from: string;
  file: string;
  config: Config;
  candidate: Candidate;
  check: RestoreCheck;
  options: RestoreOptions;
};

async function restore({ output, streams }: CommandLine, input: RestoreInput) {
  const { from, check, options } = input;
  if (check.problems.length > 0) {
    throw new CommandError(EXIT.refused, [...problemLines(check), "Nothing was changed."]);
  }
  if (!options.json && !options.yes) for (const text of checkLines(from, check)) output.note(text);
  await requireConfirmation(streams, { yes: options.yes ?? false, question: "Put this in the place of the database?" });
  const { report, aside } = await exchange(input);
  if (options.json) return output.json({ ...report, formerDatabase: aside });
  output.lines(restoreReportLines(report));
  return output.note(aside === null ? "There was no database before." : `The former database is kept: ${aside}`);
}

/** Exchanges the files and takes the new one into service; when that fails, the old ones come back. */
async function exchange({ file, config, candidate, options }: RestoreInput) {
  const mark = readEpochMark(file);
  const time = systemClock
    .now()
    .toISOString()
    .replace(/[-:]|\.\d+/g, "");
  const done = exchangeDatabase(file, { by: candidate.path, aside: `${file}.before-restore-${time}` });
  try {
    return { report: await startRestored(config, options), aside: done.aside };
  } catch (error) {
    done.revert();
    putBackEpochMark(file, mark);
    const why = error instanceof Error ? error.message : "unknown";
    throw new CommandError(EXIT.failed, [`The restore failed: ${why}`, "The former database is back in its place."]);
  }
}

async function startRestored(config: Config, { acceptIssuer = false }: RestoreOptions): Promise<RestoreReport> {
  const log = createLog("error");
  const context = await createBaseContext({
    config,
    log,
    // The command holds the lock of the only server.
    epochOf: (database) => takeIntoService(database, { isAlone: true, acceptIssuer }),
  });
  try {
    const report = await findRestoreReport(context.store);
    if (report === null) throw new Error("the restored database did not go through the fence");
    return report;
  } finally {
    await context.store.close();
  }
}
