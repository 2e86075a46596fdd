import { statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { explainError } from "#app/cli/output/errors.server.ts";
import { properties } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { readVersion } from "#app/config/version.server.ts";
import { createBaseContext, createLog, systemClock } from "#app/context.server.ts";
import { type Backup, makeBackup } from "#app/db/files/backup.server.ts";
import { backupNameAt, removeOldBackups } from "#app/db/files/backup-folder.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { queueMail } from "#app/domain/mail/queue.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { checkPostgresBackup, postgresBackupLines } from "./postgres-backup.server.ts";

type BackupOptions = { to?: string; nightly?: boolean; json?: boolean };

/** `gatehouse backup`: writes a verified copy of the database; the server may run. */
export function addBackupCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("backup")
    .description("copy the database to a file and verify the copy; the server may run")
    .argument("[file]", "target file (default: a new file in BACKUP_DIR, where the newest BACKUP_KEEP files are kept)")
    .option("--to <folder>", "folder to use instead of BACKUP_DIR, for example of a mounted disk")
    .option("--nightly", "mail ADMIN_MAIL if the backup fails, like the nightly backup of the server")
    .addOption(jsonOption())
    .action((file: string | undefined, options: BackupOptions) => runBackup(line, file, options));
  examples(command, [
    "backup",
    "backup --to /mnt/usb",
    "backup /mnt/usb/gatehouse.sqlite",
    "backup --json | jq .sha256",
  ]);
}

async function runBackup(line: CommandLine, file: string | undefined, options: BackupOptions) {
  const { config } = requireConfig(line.env);
  if (config.database.dialect !== "sqlite") return refusePostgres(line, config, options);
  if (file !== undefined && options.to !== undefined) {
    throw new CommandError(EXIT.usage, ["Use either a target file or --to with a folder."]);
  }
  if (options.to !== undefined) warnOfUnmounted(line, config.database.file, options.to);
  try {
    const { backup, removed } = await backUp(config, config.database.file, { file, folder: options.to });
    return printBackup(line, backup, { removed, options });
  } catch (error) {
    if (options.nightly) await mailBackupFailure(config, error);
    if (options.to === undefined) throw error;
    const { exitCode, lines } = explainError(error);
    throw new CommandError(exitCode, [`The backup to ${options.to} failed.`, ...lines]);
  }
}

/** The mount point of a disk that is not mounted is an empty folder on the disk of the database. */
function warnOfUnmounted({ output }: CommandLine, database: string, folder: string): void {
  const [disk, target] = [database, folder].map((path) => statSync(path, { throwIfNoEntry: false })?.dev);
  if (disk === undefined || disk !== target) return;
  output.note(`${folder} is on the same file system as the database. If it belongs to another disk, mount that disk.`);
}

async function backUp(
  config: Config,
  from: string,
  { file, folder = config.backupDir }: { file: string | undefined; folder: string | undefined },
) {
  const keep = config.backupKeep;
  const to = file ?? join(folder, backupNameAt(systemClock.now()));
  const backup = await makeBackup({ clock: systemClock, version: readVersion() }, { from, to });
  return { backup, removed: file === undefined ? removeOldBackups(folder, { keep, now: systemClock.now() }) : [] };
}

function printBackup(
  { output }: CommandLine,
  { file, audit, manifest }: Backup,
  { removed, options }: { removed: string[]; options: BackupOptions },
) {
  if (options.json) return output.json({ file, audit, ...manifest });
  const { counts, bytes, sha256, schema, keyFingerprint } = manifest;
  output.lines(
    properties([
      ["file", file],
      ["audit trail", audit ?? "none"],
      ["bytes", String(bytes)],
      ["sha-256", sha256],
      ["schema", schema],
      ["key", keyFingerprint],
      ["users", String(counts["users"] ?? 0)],
      ["clients", String(counts["clients"] ?? 0)],
    ]),
  );
  for (const old of removed) output.note(`Removed an old backup: ${old}`);
  return output.note("The copy was verified. It does not contain SECRET_KEYS: store the key separately.");
}

async function refusePostgres({ output }: CommandLine, config: Config, options: BackupOptions) {
  const checks = await checkPostgresBackup(config.database);
  if (options.json) output.json({ file: null, checks, how: postgresBackupLines(config.database) });
  else output.lines(checks.map(({ what, ok, detail }) => `${ok ? "ok    " : "failed"}  ${what.padEnd(8)}  ${detail}`));
  throw new CommandError(EXIT.refused, ["No backup was made.", ...postgresBackupLines(config.database)]);
}

/** Queues a mail to ADMIN_MAIL; if the database rejects it, logs an error. Never rejects. */
async function mailBackupFailure(config: Config, error: unknown): Promise<void> {
  const { adminMail } = config;
  if (adminMail === null) return;
  const log = createLog(config.logLevel);
  try {
    const context = await createBaseContext({ config, log, epochOf: takeIntoService });
    try {
      const to = { username: "", displayName: adminMail, email: adminMail, locale: null };
      const reason = explainError(error).lines.join(" ");
      await queueMail(context, { to, template: { name: "backup-failed", reason } });
    } finally {
      await context.store.close();
    }
  } catch (failure) {
    log.error({ error: describeError(failure) }, "the mail about the failed backup could not be queued");
  }
}
