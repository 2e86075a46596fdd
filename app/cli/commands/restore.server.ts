import { type Command, Option } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import { properties, timeText } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { createBaseContext, createLog, systemClock } from "#app/context.server.ts";
import { readEpochFile, restoreEpochFile } from "#app/db/files/epoch-file.server.ts";
import { FileProblem } from "#app/db/files/inspect.server.ts";
import { swapDatabase } from "#app/db/files/swap.server.ts";
import { acquireServerLock } from "#app/db/sqlite/server-lock.server.ts";
import { checkBackup, type RestoreCheck, type StagedBackup, stageBackup } from "#app/restore/backup-file.server.ts";
import { endAllAccess, findRestoreReport } from "#app/restore/reconcile.server.ts";
import type { AffectedRecords, RestoreReport } from "#app/restore/report.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { findCopyBeforeUpgrade } from "./copy-before-upgrade.server.ts";
import { postgresRestoreLines } from "./postgres-backup.server.ts";

type RestoreOptions = {
  check?: boolean;
  dryRun?: boolean;
  acceptIssuer?: boolean;
  report?: boolean;
  beforeUpgrade?: boolean;
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
  ]);
}

async function runRestore(line: CommandLine, from: string | undefined, options: RestoreOptions) {
  if (options.report) return printLastReport(line, options);
  if (options.endAccess || options.fence) return endPostgresSessions(line, options);
  if (options.beforeUpgrade) return restoreBeforeUpgrade(line, options);
  if (from === undefined)
    throw new CommandError(EXIT.usage, [
      "missing required argument 'file'",
      "Run the command with --help for examples and all options.",
    ]);
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

async function printLastReport({ output, withContext }: CommandLine, options: RestoreOptions) {
  const report = await withContext(({ store }) => findRestoreReport(store));
  if (options.json) return output.json(report);
  if (report === null) return output.note("No restored database has been put into service here.");
  return output.lines(restoreReportLines(report));
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
  return output.note("All users must sign in again. Restart every Gatehouse server.");
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
  else output.lines([...checkLines(from, check), "", isRestorable ? "It can be restored." : "It cannot be restored."]);
  if (!isRestorable) throw new CommandError(EXIT.failed, options.json ? [] : problemLines(check));
}

function problemLines({ problems }: RestoreCheck): string[] {
  return problems.map(({ code, message }) =>
    code === "other issuer" ? `${message} If this is intended, use --accept-issuer.` : message,
  );
}

function checkLines(
  from: string,
  { manifest, summary: file, migrations, counts, concerned: affected }: RestoreCheck,
): string[] {
  const schema = file.migrations.at(-1) ?? "-";
  return [
    ...properties([
      ["file", from],
      ["created", manifest === null ? "unknown (no manifest)" : timeText(manifest.madeAt)],
      ["version", manifest?.version ?? "unknown"],
      ["last event", timeText(file.lastEventAt)],
      ["schema", migrations.length === 0 ? schema : [schema, `${migrations.length} migrations will run`]],
      ["key", file.instance?.keyFingerprint ?? "-"],
      ["issuer", file.instance?.issuer ?? "-"],
      [
        "rows now -> restored",
        counts.map(({ table, live, file: restored }) => `${table}: ${live ?? "unreadable"} -> ${restored}`),
      ],
    ]),
    ...(affected === null ? [] : ["", ...affectedLines(affected)]),
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

async function restore({ output, streams }: CommandLine, input: RestoreInput) {
  const { from, check, options } = input;
  if (check.problems.length > 0) {
    throw new CommandError(EXIT.refused, [...problemLines(check), "Nothing was changed."]);
  }
  if (!options.json && !options.yes) for (const text of checkLines(from, check)) output.note(text);
  await requireConfirmation(streams, { yes: options.yes ?? false, question: "Replace the database by this file?" });
  const { report, aside } = await swap(input);
  if (options.json) return output.json({ ...report, formerDatabase: aside });
  output.lines(restoreReportLines(report));
  return output.note(aside === null ? "There was no previous database." : `The previous database was kept: ${aside}`);
}

/** Swaps the files and puts the new one into service. If that fails, restores the previous files. */
async function swap({ file, config, backupFile, options }: RestoreInput) {
  const epochMark = readEpochFile(file);
  const time = systemClock
    .now()
    .toISOString()
    .replace(/[-:]|\.\d+/g, "");
  const swapped = swapDatabase(file, { replacement: backupFile.path, formerPath: `${file}.before-restore-${time}` });
  try {
    return { report: await startRestored(config, options), aside: swapped.formerPath };
  } catch (error) {
    swapped.revert();
    restoreEpochFile(file, epochMark);
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new CommandError(EXIT.failed, [`The restore failed: ${reason}`, "The previous database is in place again."]);
  }
}

async function startRestored(config: Config, { acceptIssuer = false }: RestoreOptions): Promise<RestoreReport> {
  const log = createLog("error");
  const context = await createBaseContext({
    config,
    log,
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

const REASONS: Readonly<Record<string, string>> = {
  blocked: "was blocked",
  removed: "was removed",
  "factor removed": "a second factor was removed",
  "factor added": "the first second factor was added, so the restored account has none",
  changed: "has the earlier profile, group and permissions again",
  renamed: "has the earlier user name again",
  "provider connected": "a connected provider was lost",
};

const LOST_CHANGES: Readonly<Record<string, string>> = {
  ...REASONS,
  "factor added": "an added second factor was lost",
};

/** Lists the users, clients and groups that a restored database affects, and the steps to take. */
function affectedLines(affected: AffectedRecords): string[] {
  const sections = sectionsOf(affected).filter(({ rows }) => rows.length > 0);
  const since = `The file contains the state of ${timeText(affected.snapshotAt)}; ${affected.events} events are more recent.`;
  if (sections.length === 0) return [since, "No user is affected, except that all users must sign in again."];
  return [
    since,
    ...sections.flatMap(({ title, rows, advice }) => ["", title, ...rows.map((row) => `  ${row}`), advice]),
  ];
}

/** Describes a completed restore. */
function restoreReportLines(report: RestoreReport): string[] {
  const previousIssuer =
    report.formerIssuer === null ? [] : [`The previous issuer of the database was ${report.formerIssuer}.`];
  return [
    `A restored database was put into service at ${timeText(report.at)}. All users must sign in again.`,
    ...previousIssuer,
    ...affectedLines(report),
  ];
}

type Section = { title: string; rows: string[]; advice: string };

function sectionsOf(affected: AffectedRecords): Section[] {
  const names = (users: readonly { username: string }[]) => users.map(({ username }) => username);
  const explained = (users: readonly { username: string; what: readonly string[] }[], texts: typeof REASONS) =>
    users.map(({ username, what }) => `${username}: ${what.map((code) => texts[code] ?? code).join("; ")}`);
  return [
    {
      title: "Blocked, because of changes since the backup:",
      rows: explained(
        affected.blocked.map(({ username, why }) => ({ username, what: why })),
        REASONS,
      ),
      advice:
        "Contact each user, then run gatehouse user link NAME --mfa-reset if a factor is wrong, and gatehouse user unblock NAME.",
    },
    {
      title: "Password changed since the backup; the old password was removed:",
      rows: names(affected.mustSetPassword),
      advice:
        'These users set a new one with "Forgot password?"; without a mail address: gatehouse user link NAME --password-reset.',
    },
    {
      title: "Recovery codes used or created since the backup; all were removed:",
      rows: names(affected.needRecoveryCodes),
      advice: "These users create new ones in the login settings.",
    },
    {
      title: "Provider disconnected since the backup; it was disconnected again:",
      rows: affected.disconnected.map(({ username, providers }) => `${username}: ${providers.join(", ") || "all"}`),
      advice: "No action is needed.",
    },
    ...lostSections(
      affected,
      explained(
        affected.lostChanges.map(({ username, what }) => ({ username, what })),
        LOST_CHANGES,
      ),
    ),
    {
      title: "Clients whose secret was rotated since the backup; the old secret is invalid:",
      rows: affected.clientsWithoutSecret,
      advice: "Create a new secret for each: gatehouse client rotate-secret ID",
    },
    {
      title: "Clients removed since the backup; they were removed again:",
      rows: affected.clientsRemoved,
      advice: "No action is needed.",
    },
    {
      title: "Clients changed since the backup; the changes were lost:",
      rows: affected.changedClients,
      advice: "Check each with gatehouse client show ID; change it with gatehouse client set ID.",
    },
    {
      title: "Groups changed since the backup:",
      rows: affected.groups,
      advice: "Check them with gatehouse group list.",
    },
    {
      title: "Signing keys rotated since the backup:",
      rows: affected.keysChanged ? ["the earlier key is the current one again"] : [],
      advice: "If the rotation was the response to a leak, run: gatehouse keys rotate",
    },
  ];
}

function lostSections({ lostUsers, lostClients }: AffectedRecords, lostChanges: string[]): Section[] {
  return [
    { title: "Users added since the backup; they were lost:", rows: lostUsers, advice: "Add them again." },
    { title: "Clients added since the backup; they were lost:", rows: lostClients, advice: "Add them again." },
    { title: "Lost changes:", rows: lostChanges, advice: "The users repeat them in the login settings." },
  ];
}
