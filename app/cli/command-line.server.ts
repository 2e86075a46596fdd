import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { createOutput, type Output, type Streams } from "#app/cli/output/output.server.ts";
import type { Config } from "#app/config/config.ts";
import { readConfig } from "#app/config/read.server.ts";
import { mistakeLines, warningLines } from "#app/config/report.server.ts";
import { type BaseContext, createBaseContext, createLog } from "#app/context.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";

export type Environment = Record<string, string | undefined>;

/** Dependencies of every command. */
export type CommandLine = {
  env: Environment;
  streams: Streams;
  output: Output;
  /** Opens and migrates the database, runs `work` and closes the database. Throws CommandError (configuration). */
  withContext<T>(work: (context: BaseContext) => Promise<T>): Promise<T>;
};

/** Creates the dependencies of the commands. Opens and reads nothing before a command needs it. */
export function createCommandLine({ env, streams }: { env: Environment; streams: Streams }): CommandLine {
  return {
    env,
    streams,
    output: createOutput(streams, env),
    async withContext(work) {
      const { config } = requireConfig(env);
      const context = await createBaseContext({
        config,
        log: createLog(commandLogLevel(config.logLevel)),
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

/** Reads the configuration of this environment. Throws CommandError (configuration) that lists every mistake. */
export function requireConfig(env: Environment): Extract<ReturnType<typeof readConfig>, { ok: true }> {
  const read = readConfig(env);
  if (read.ok) return read;
  throw new CommandError(EXIT.configuration, [
    ...mistakeLines(read.mistakes),
    ...warningLines(read.warnings),
    "docs/configuration.md explains every key.",
  ]);
}

/** Commands print their result instead of log lines of level info; the audit trail records the event. */
function commandLogLevel(level: Config["logLevel"]): Config["logLevel"] {
  return level === "info" ? "warn" : level;
}
