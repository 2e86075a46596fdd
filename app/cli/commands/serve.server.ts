import type { Command } from "commander";
import type { Logger } from "pino";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples } from "#app/cli/command-options.ts";
import { stopSignal } from "#app/cli/output/stop-signal.server.ts";
import type { Serve } from "#app/cli/serve.ts";
import type { ConfigMistake } from "#app/config/config.ts";
import { createLog } from "#app/context.server.ts";
import { startNightlyBackup } from "#app/jobs/nightly-backup.server.ts";

/** `gatehouse serve`, which is also what `gatehouse` alone does. */
export function addServeCommand(program: Command, line: CommandLine, serve: Serve): void {
  const command = program
    .command("serve")
    .description("run the server until it is told to stop; `gatehouse` alone does the same")
    .option("--dev", "build the pages on demand, for work on Gatehouse itself")
    .option("--accept", "start under another host, although security keys are bound to the older one and work no more")
    .action((options: ServeFlags) => runServe(line, serve, options));
  examples(command, ["serve", "config check && gatehouse serve"]);
}

type ServeFlags = { dev?: boolean; accept?: boolean };

async function runServe({ env }: CommandLine, serve: Serve, options: ServeFlags) {
  const { config, warnings } = requireConfig(env);
  const log = createLog(config.logLevel);
  warn(log, warnings);
  // Before the first request can come: whoever is told to stop finishes what has begun.
  const stopped = stopSignal();
  const service = await serve({ config, log, development: options.dev ?? false, acceptHost: options.accept ?? false });
  const nightly = await startNightlyBackup({ config, log, env });
  const signal = await stopped;
  log.info({ signal }, "shutting down");
  // At the same time: a backup that takes its time must not keep the server open for new requests.
  await Promise.all([nightly.stop(), service.close()]);
}

function warn(log: Logger, warnings: readonly ConfigMistake[]): void {
  for (const { key, wrong, expected } of warnings) log.warn({ key, expected }, `${key} ${wrong}`);
}
