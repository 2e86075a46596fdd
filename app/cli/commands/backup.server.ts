import { join } from "node:path";
import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { facts } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { readVersion } from "#app/config/version.server.ts";
import { systemClock } from "#app/context.server.ts";
import { copyNameAt, removeOldCopies } from "#app/db/files/backup-folder.server.ts";
import { type Backup, makeBackup } from "#app/domain/backup/make.server.ts";
import { tellBackupFailure } from "./backup-failure.server.ts";
import { checkPostgres, postgresBackupLines } from "./postgres-backup.server.ts";

type BackupOptions = { nightly?: boolean; json?: boolean };

/** `gatehouse backup`: a checked copy of the database, while it is in use. */
export function addBackupCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("backup")
    .description("copy the database, also while the server runs, and check the copy")
    .argument("[file]", "where to; without it a new file in BACKUP_DIR, and only the newest BACKUP_KEEP stay there")
    .option("--nightly", "tell ADMIN_MAIL when it fails, as the server's own nightly backup does")
    .addOption(jsonOption())
    .action((file: string | undefined, options: BackupOptions) => runBackup(line, file, options));
  examples(command, ["backup", "backup /mnt/usb/gatehouse.sqlite", "backup --json | jq .sha256"]);
}

async function runBackup(line: CommandLine, file: string | undefined, options: BackupOptions) {
  const { config } = requireConfig(line.env);
  if (config.database.dialect !== "sqlite") return tellPostgres(line, config, options);
  try {
    const { backup, removed } = await backUp(config, config.database.file, file);
    return tell(line, backup, { removed, options });
  } catch (error) {
    if (options.nightly) await tellBackupFailure(config, error);
    throw error;
  }
}

async function backUp(config: Config, from: string, file: string | undefined) {
  const { backupDir: folder, backupKeep: keep } = config;
  const to = file ?? join(folder, copyNameAt(systemClock.now()));
  const backup = await makeBackup({ clock: systemClock, version: readVersion() }, { from, to });
  return { backup, removed: file === undefined ? removeOldCopies(folder, { keep }) : [] };
}

function tell(
  { output }: CommandLine,
  { file, manifest }: Backup,
  { removed, options }: { removed: string[]; options: BackupOptions },
) {
  if (options.json) return output.json({ file, ...manifest });
  const { counts, bytes, sha256, schema, keyFingerprint } = manifest;
  output.lines(
    facts([
      ["file", file],
      ["bytes", String(bytes)],
      ["sha-256", sha256],
      ["schema", schema],
      ["key", keyFingerprint],
      ["users", String(counts["users"] ?? 0)],
      ["applications", String(counts["clients"] ?? 0)],
    ]),
  );
  for (const old of removed) output.note(`Removed, because newer ones are there: ${old}`);
  return output.note("The copy is whole and checked. SECRET_KEYS is not in it: keep the key apart.");
}

async function tellPostgres({ output }: CommandLine, config: Config, options: BackupOptions) {
  const checks = await checkPostgres(config.database);
  if (options.json) output.json({ file: null, checks, how: postgresBackupLines(config.database) });
  else output.lines(checks.map(({ what, ok, detail }) => `${ok ? "ok    " : "failed"}  ${what.padEnd(8)}  ${detail}`));
  throw new CommandError(EXIT.refused, ["No backup was made.", ...postgresBackupLines(config.database)]);
}
