import type { Command } from "commander";
import type { Logger } from "pino";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples } from "#app/cli/command-options.ts";
import { stopSignal } from "#app/cli/output/signals.server.ts";
import type { Serve } from "#app/cli/service.ts";
import type { ConfigMistake } from "#app/config/config.ts";
import { createLog } from "#app/context.server.ts";
import { startNightlyBackup } from "#app/jobs/nightly-backup.server.ts";

/** `gatehouse serve`, the default command. */
export function addServeCommand(program: Command, line: CommandLine, serve: Serve): void {
  const command = program
    .command("serve")
    .description("run the server until SIGINT or SIGTERM; the default command")
    .option("--accept", "start under a new host, although security keys of the previous host stop working")
    .action((options: ServeFlags) => runServe(line, serve, options));
  examples(command, ["serve", "config check && gatehouse serve"]);
}

type ServeFlags = { accept?: boolean };

async function runServe({ env }: CommandLine, serve: Serve, options: ServeFlags) {
  const { config, warnings } = requireConfig(env);
  const log = createLog(config.logLevel);
  logWarnings(log, warnings);
  // Registered before the first request, so that a signal during the start ends the server properly.
  const stopped = stopSignal();
  const service = await serve({ config, log, acceptHost: options.accept ?? false });
  const nightly = await startNightlyBackup({ config, log, env });
  const signal = await stopped;
  log.info({ signal }, "shutting down");
  // In parallel, so that a slow backup does not delay closing the server for new requests.
  await Promise.all([nightly.stop(), service.close()]);
}

function logWarnings(log: Logger, warnings: readonly ConfigMistake[]): void {
  for (const { key, wrong, expected } of warnings) log.warn({ key, expected }, `${key} ${wrong}`);
}
