import { type Command, Option } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { findOperator } from "#app/cli/operator.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import { properties } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { createBaseContext, createLog, systemClock } from "#app/context.server.ts";
import { readEpochFile, restoreEpochFile } from "#app/db/files/epoch-file.server.ts";
import { FileProblem } from "#app/db/files/inspect.server.ts";
import { swapDatabase } from "#app/db/files/swap.server.ts";
import { acquireServerLock } from "#app/db/sqlite/server-lock.server.ts";
import { adoptAuditCopy } from "#app/restore/audit-source.server.ts";
import { checkBackup, type RestoreCheck, type StagedBackup, stageBackup } from "#app/restore/backup-file.server.ts";
import { confirmRestore, endAllAccess, findRestoreReport } from "#app/restore/reconcile.server.ts";
import type { RestoreReport } from "#app/restore/report.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { findCopyBeforeUpgrade } from "./copy-before-upgrade.server.ts";
import { postgresRestoreLines } from "./postgres-backup.server.ts";
import { affectedLines, restoreReportLines } from "./restore-report.server.ts";

type RestoreOptions = {
  check?: boolean;
  dryRun?: boolean;
  acceptIssuer?: boolean;
  report?: boolean;
  beforeUpgrade?: boolean;
  confirm?: boolean;
  endAccess?: boolean;
  fence?: boolean;
  yes?: boolean;
  json?: boolean;
};

/** `gatehouse restore`: replaces the database by a backup, or checks a backup. */
export function addRestoreCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("restore")
    .description("replace the database by a backup; the server must be stopped")
    .argument("[file]", "backup file made by `gatehouse backup`")
    .option("--check", "check the file and print the effects; change nothing; exits with 1 if it cannot be restored")
    .option("--dry-run", "the same as --check")
    .option("--accept-issuer", "accept a database of another ISSUER")
    .option("--before-upgrade", "use the copy made before a newer version migrated the database, if one did")
    .option("--report", "print the report of the last restore again")
    .option(
      "--confirm",
      "confirm that you have checked what the last restore affects, or left unknown; ends the warning of doctor",
    )
    .option("--end-access", "PostgreSQL, after pg_restore: end every session and token of the restored database")
    .addOption(new Option("--fence", "former name of --end-access").hideHelp())
    .option("--yes", "skip the confirmation; required without a terminal")
    .addOption(jsonOption())
    .action((file: string | undefined, options: RestoreOptions) => runRestore(line, file, options));
  examples(command, [
    "restore /var/backups/gatehouse/gatehouse-20260302T013000Z.sqlite --check",
    "restore /var/backups/gatehouse/gatehouse-20260302T013000Z.sqlite",
    "restore --before-upgrade --check",
    "restore --report",
    "restore --confirm",
  ]);
}

async function runRestore(line: CommandLine, from: string | undefined, options: RestoreOptions) {
  if (options.report) return printLastReport(line, options);
  if (options.confirm) return confirmLastRestore(line, options);
  if (options.endAccess || options.fence) return endPostgresSessions(line, options);
  if (options.beforeUpgrade) return restoreBeforeUpgrade(line, options);
  if (from === undefined) {
    throw new CommandError(EXIT.usage, [
      "missing required argument 'file'",
      "Run the command with --help for examples and all options.",
    ]);
  }
  return restoreFile(line, from, options);
}

async function restoreBeforeUpgrade(line: CommandLine, options: RestoreOptions) {
  const from = await findCopyBeforeUpgrade(requireConfig(line.env).config);
  if (from !== null) return restoreFile(line, from, options);
  if (options.json) return line.output.json(null);
  return line.output.note("This version can use the database as it is. Nothing needs to be restored.");
}

async function restoreFile(line: CommandLine, from: string, options: RestoreOptions) {
  const { config } = requireConfig(line.env);
  const { database } = config;
  if (database.dialect !== "sqlite") throw new CommandError(EXIT.refused, postgresRestoreLines(database.url));
  const isCheck = options.check || options.dryRun;
  const lock = isCheck ? null : acquireServerLock(database.file);
  try {
    const backupFile = await openBackupFile(from, database.file, isCheck ? EXIT.failed : EXIT.refused);
    try {
      const check = await checkBackup(backupFile, {
        config,
        from,
        acceptIssuer: options.acceptIssuer ?? false,
        clock: systemClock,
      });
      if (isCheck) return printCheck(line, from, { check, options });
      await restore(line, { from, file: database.file, config, backupFile, check, options });
    } finally {
      backupFile.remove();
    }
  } finally {
    lock?.release();
  }
}

async function printLastReport({ output, withExistingContext }: CommandLine, options: RestoreOptions) {
  const report = await withExistingContext(({ store }) => findRestoreReport(store));
  if (options.json) return output.json(report);
  if (report === null) return output.note("No restored database has been put into service here.");
  return output.lines(restoreReportLines(report, output.time));
}

async function confirmLastRestore({ output, withContext }: CommandLine, options: RestoreOptions) {
  const isConfirmed = await withContext((context) => confirmRestore(context));
  if (!isConfirmed) throw new CommandError(EXIT.refused, ["There is no restore to confirm. Nothing was changed."]);
  return options.json ? output.json({ confirmed: true }) : output.lines(["Confirmed. doctor no longer warns."]);
}

async function endPostgresSessions({ env, streams, output, withContext }: CommandLine, options: RestoreOptions) {
  if (requireConfig(env).config.database.dialect === "sqlite") {
    throw new CommandError(EXIT.refused, [
      "--end-access is for PostgreSQL only: a restored SQLite file is detected when the server starts.",
    ]);
  }
  await requireConfirmation(streams, { yes: options.yes ?? false, question: "End every session and token?" });
  const epoch = await withContext((context) => endAllAccess(context));
  if (options.json) return output.json({ epoch });
  return output.lines([
    "All users must sign in again. Restart every Gatehouse server.",
    "It is unknown what was changed after the dump: a user who was blocked since is active again.",
    "Repeat these changes. Then run: gatehouse restore --confirm",
  ]);
}

async function openBackupFile(from: string, file: string, exitCode: typeof EXIT.failed | typeof EXIT.refused) {
  try {
    return await stageBackup({ clock: systemClock }, { from, file });
  } catch (error) {
    if (error instanceof FileProblem) throw new CommandError(exitCode, [error.message, "Nothing was changed."]);
    throw error;
  }
}

function printCheck(
  { output }: CommandLine,
  from: string,
  { check, options }: { check: RestoreCheck; options: RestoreOptions },
) {
  const isRestorable = check.problems.length === 0;
  if (options.json) output.json({ ok: isRestorable, file: from, ...check });
  else
    output.lines([
      ...checkLines(from, check, output.time),
      "",
      isRestorable ? "It can be restored." : "It cannot be restored.",
    ]);
  if (!isRestorable) throw new CommandError(EXIT.failed, options.json ? [] : problemLines(check));
}

function problemLines({ problems }: RestoreCheck): string[] {
  return problems.map(({ code, message }) =>
    code === "other issuer" ? `${message} If this is intended, use --accept-issuer.` : message,
  );
}

function checkLines(
  from: string,
  { manifest, summary: file, migrations, counts, auditCopy, concerned: affected }: RestoreCheck,
  timeText: CommandLine["output"]["time"],
): string[] {
  const schema = file.migrations.at(-1) ?? "-";
  return [
    ...properties([
      ["file", from],
      ["created", manifest === null ? "unknown (no manifest)" : timeText(manifest.madeAt)],
      ["version", manifest?.version ?? "unknown"],
      ["last event", timeText(file.lastEventAt)],
      ["later events", auditCopy ?? "audit.jsonl of this machine"],
      ["schema", migrations.length === 0 ? schema : [schema, `${migrations.length} migrations will run`]],
      ["key", file.instance?.keyFingerprint ?? "-"],
      ["issuer", file.instance?.issuer ?? "-"],
      [
        "rows now -> restored",
        counts.map(({ table, live, file: restored }) => `${table}: ${live ?? "unreadable"} -> ${restored}`),
      ],
    ]),
    ...(affected === null ? [] : ["", ...affectedLines(affected, timeText)]),
  ];
}

type RestoreInput = {
  from: string;
  file: string;
  config: Config;
  backupFile: StagedBackup;
  check: RestoreCheck;
  options: RestoreOptions;
};

async function restore(line: CommandLine, input: RestoreInput) {
  const { output, streams } = line;
  const { from, check, options } = input;
  if (check.problems.length > 0) throw new CommandError(EXIT.refused, [...problemLines(check), "Nothing was changed."]);
  if (!options.json && !options.yes) for (const text of checkLines(from, check, output.time)) output.note(text);
  await requireConfirmation(streams, { yes: options.yes ?? false, question: "Replace the database by this file?" });
  const { report, aside } = await swap(line, input);
  if (options.json) return output.json({ ...report, formerDatabase: aside });
  output.lines(restoreReportLines(report, output.time));
  return output.note(aside === null ? "There was no previous database." : `The previous database was kept: ${aside}`);
}

/** Swaps the files and puts the new one into service. If that fails, restores the previous files. */
async function swap(line: CommandLine, { file, config, backupFile, check, options }: RestoreInput) {
  const epochMark = readEpochFile(file);
  const time = systemClock
    .now()
    .toISOString()
    .replace(/[-:]|\.\d+/g, "");
  const swapped = swapDatabase(file, { replacement: backupFile.path, formerPath: `${file}.before-restore-${time}` });
  let revertAudit = () => {};
  try {
    // After the database: if the process ends in between, the next start treats the later events as unknown.
    if (check.auditCopy !== null) revertAudit = adoptAuditCopy(file, { copy: check.auditCopy, time });
    return { report: await startRestored(line, config, options), aside: swapped.formerPath };
  } catch (error) {
    swapped.revert();
    revertAudit();
    restoreEpochFile(file, epochMark);
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new CommandError(EXIT.failed, [`The restore failed: ${reason}`, "The previous database is in place again."]);
  }
}

async function startRestored(
  { env }: CommandLine,
  config: Config,
  { acceptIssuer = false }: RestoreOptions,
): Promise<RestoreReport> {
  const log = createLog("error");
  const context = await createBaseContext({
    config,
    log,
    operator: findOperator(env),
    // The command holds the server lock, so no server is running.
    epochOf: (database) => takeIntoService(database, { isAlone: true, acceptIssuer }),
  });
  try {
    const report = await findRestoreReport(context.store);
    if (report === null) throw new Error("the restored database was not reconciled");
    return report;
  } finally {
    await context.store.close();
  }
}
