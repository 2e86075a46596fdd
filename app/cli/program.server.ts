import { Command, CommanderError } from "commander";
import { addAuditCommands } from "#app/cli/commands/audit.server.ts";
import { addBackupCommand } from "#app/cli/commands/backup.server.ts";
import { addClientCommands } from "#app/cli/commands/client.server.ts";
import { addConfigCommands } from "#app/cli/commands/config.server.ts";
import { addDataCommands } from "#app/cli/commands/data.server.ts";
import { addDemoCommand } from "#app/cli/commands/demo.server.ts";
import { addDoctorCommand } from "#app/cli/commands/doctor.server.ts";
import { addGroupCommands } from "#app/cli/commands/group.server.ts";
import { addKeysCommands } from "#app/cli/commands/keys.server.ts";
import { addMailCommands } from "#app/cli/commands/mail.server.ts";
import { addMigrateCommand } from "#app/cli/commands/migrate.server.ts";
import { addRestoreCommand } from "#app/cli/commands/restore.server.ts";
import { addSecretsCommands } from "#app/cli/commands/secrets.server.ts";
import { addServeCommand } from "#app/cli/commands/serve.server.ts";
import { addUserCommands } from "#app/cli/commands/user.server.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { explainError } from "#app/cli/output/explain-error.server.ts";
import { forgiveClosedPipe, type Streams } from "#app/cli/output/streams.server.ts";
import { readVersion } from "#app/config/version.server.ts";
import { type CommandLine, createCommandLine, type Environment } from "./command-line.server.ts";
import { examples } from "./command-options.ts";
import type { Serve } from "./serve.ts";

/** What the command runs on. `argv` is the process's own, with the two programs in front. */
export type CommandLineInput = { argv: readonly string[]; env: Environment; serve: Serve; streams?: Streams };

/** Runs one command, `serve` when none is named, and answers its exit code. Never throws. */
export async function runCommandLine({ argv, env, serve, streams = process }: CommandLineInput): Promise<number> {
  forgiveClosedPipe(streams);
  const line = createCommandLine({ env, streams });
  const args = argv.slice(2);
  try {
    await createProgram(line, serve).parseAsync(args.length === 0 ? ["serve"] : args, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    // Its message has been printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { exitCode, lines } = explainError(error);
    if (lines.length > 0) line.output.problem(lines);
    return exitCode;
  }
}

function createProgram(line: CommandLine, serve: Serve): Command {
  const { streams, output } = line;
  const program = new Command("gatehouse")
    .description("The sign-in of your office: runs the server, and is the administrators' command.")
    .version(readVersion(), "--version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      outputError: (text) => output.problem(usageProblem(text)),
    });
  examples(program, [
    "serve",
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --password-stdin < password.txt',
    'client add --name "Broker Desk" --redirect-uri https://desk.example.com/callback',
    "config check",
  ]);
  program.addHelpText(
    "after",
    [
      "",
      "Exit codes: 0 ok, 1 failed, 2 usage, 3 configuration, 4 not found, 5 refused.",
      "It is configured by environment variables: docs/configuration.md, or gatehouse config show.",
    ].join("\n"),
  );
  // Subcommands take over what is set up to here, so they come last.
  addServeCommand(program, line, serve);
  addDemoCommand(program, line, serve);
  addUserCommands(program, line);
  addGroupCommands(program, line);
  addClientCommands(program, line);
  addKeysCommands(program, line);
  addSecretsCommands(program, line);
  addAuditCommands(program, line);
  addDoctorCommand(program, line);
  addMailCommands(program, line);
  addConfigCommands(program, line);
  addMigrateCommand(program, line);
  addBackupCommand(program, line);
  addRestoreCommand(program, line);
  addDataCommands(program, line);
  return program;
}

/** commander's message in our form. What follows an unknown option is left out: somebody may have tried a password there. */
function usageProblem(text: string): string[] {
  const said = text
    .trim()
    .replace(/^error: /, "")
    .replace(/(unknown option '(?:--[^=']*|-[^-]))[\s\S]*'/, "$1'")
    .split("\n");
  const isPassword = /unknown option '--?p(ass|w)/.test(text);
  return [...said, isPassword ? PASSWORD_HINT : "Say --help for examples and all options."];
}

const PASSWORD_HINT =
  "A password is never taken from the command line, where others can read it: use --password-stdin.";
