import type { Command } from "commander";
import { type CommandLine, requireConfig, requireDatabaseFile } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import type { Config } from "#app/config/config.ts";
import { bringUpToDate, systemClock } from "#app/context.server.ts";
import { checkMigrations } from "#app/db/migration-check.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";

type MigrateOptions = { plan?: boolean; check?: boolean; json?: boolean };

/** `gatehouse migrate`: runs pending migrations, as every other command does. */
export function addMigrateCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("migrate")
    .description("run pending database migrations, as every command does first")
    .option("--plan", "list the pending migrations and run none")
    .option(
      "--check",
      "try the pending migrations on a copy of the database; change nothing; exits with 1 if one fails",
    )
    .addOption(jsonOption())
    .action((options: MigrateOptions) => {
      if (options.check) return runCheck(line, options);
      return options.plan ? runPlan(line, options) : runMigrate(line, options);
    });
  examples(command, ["migrate --plan", "migrate --check", "migrate"]);
}

async function runCheck({ env, output }: CommandLine, options: MigrateOptions) {
  const { config } = requireConfig(env);
  const pending = await checkMigrations(config.database, { clock: systemClock });
  if (options.json) return output.json({ ok: true, pending });
  output.lines(pending);
  return output.note(
    pending.length === 0 ? "The database is up to date." : "These migrations were tried. The database was not changed.",
  );
}

async function runPlan({ env, output }: CommandLine, options: MigrateOptions) {
  requireDatabaseFile(requireConfig(env).config);
  const pending = await withStore(env, (store) => listPendingMigrations(store));
  if (options.json) return output.json({ pending });
  if (pending.length === 0) return output.note("The database is up to date.");
  output.lines(pending);
  return output.note("A database with rows is backed up to BACKUP_DIR first. All migrations are one transaction.");
}

async function runMigrate({ env, output }: CommandLine, options: MigrateOptions) {
  const applied = await withStore(env, (store, config) => bringUpToDate(store, { config }));
  if (options.json) return output.json({ applied });
  if (applied.length === 0) return output.note("The database is already up to date.");
  output.lines(applied);
  return output.note("The database is up to date.");
}

async function withStore<T>(env: CommandLine["env"], work: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const { config } = requireConfig(env);
  const store = await openStore(config.database);
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}
