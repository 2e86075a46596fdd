import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import type { Config } from "#app/config/config.ts";
import { bringUpToDate } from "#app/context.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";

type MigrateOptions = { plan?: boolean; json?: boolean };

/** `gatehouse migrate`: runs pending migrations, as every other command does. */
export function addMigrateCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("migrate")
    .description("run pending database migrations, as every command does first")
    .option("--plan", "list the pending migrations and run none")
    .addOption(jsonOption())
    .action((options: MigrateOptions) => (options.plan ? runPlan(line, options) : runMigrate(line, options)));
  examples(command, ["migrate --plan", "migrate"]);
}

async function runPlan({ env, output }: CommandLine, options: MigrateOptions) {
  const pending = await withStore(env, (store) => listPendingMigrations(store));
  if (options.json) return output.json({ pending });
  if (pending.length === 0) return output.note("The database is up to date.");
  output.lines(pending);
  return output.note("A database with rows is backed up to BACKUP_DIR first. Each migration is one transaction.");
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
