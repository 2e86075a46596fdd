import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { createOutput, type Output } from "#app/cli/output/output.server.ts";
import type { Streams } from "#app/cli/output/streams.server.ts";
import type { Config } from "#app/config/config.ts";
import { readConfig } from "#app/config/read.server.ts";
import { mistakeLines, warningLines } from "#app/config/report.server.ts";
import { type BaseContext, createBaseContext, createLog } from "#app/context.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";

export type Environment = Record<string, string | undefined>;

/** What every command works with. */
export type CommandLine = {
  env: Environment;
  streams: Streams;
  output: Output;
  /** Opens the database, brings it up to date, does the work, and closes it. Throws CommandError (configuration). */
  withContext<T>(work: (context: BaseContext) => Promise<T>): Promise<T>;
};

/** Makes what the commands work with. Nothing is opened or read before a command asks for it. */
export function createCommandLine({ env, streams }: { env: Environment; streams: Streams }): CommandLine {
  return {
    env,
    streams,
    output: createOutput(streams, env),
    async withContext(work) {
      const { config } = requireConfig(env);
      const context = await createBaseContext({
        config,
        log: createLog(quietly(config.logLevel)),
        epochOf: takeIntoService,
      });
      try {
        return await work(context);
      } finally {
        await context.store.close();
      }
    },
  };
}

/** The configuration of this environment. Throws CommandError (configuration) with every mistake at once. */
export function requireConfig(env: Environment): Extract<ReturnType<typeof readConfig>, { ok: true }> {
  const read = readConfig(env);
  if (read.ok) return read;
  throw new CommandError(EXIT.configuration, [
    ...mistakeLines(read.mistakes),
    ...warningLines(read.warnings),
    "docs/configuration.md explains every key.",
  ]);
}

/** At a terminal, the news of a command is its answer; the audit trail holds the event. */
function quietly(level: Config["logLevel"]): Config["logLevel"] {
  return level === "info" ? "warn" : level;
}
