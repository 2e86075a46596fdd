import { Command, CommanderError } from "commander";
import { addActivateCommand } from "#app/cli/commands/activate.server.ts";
import { addAdministratorCommand } from "#app/cli/commands/administrator.server.ts";
import { addAuditCommands } from "#app/cli/commands/audit.server.ts";
import { addBackupCommand } from "#app/cli/commands/backup.server.ts";
import { addClientCommands } from "#app/cli/commands/client.server.ts";
import { addCompletionCommand } from "#app/cli/commands/completion.server.ts";
import { addConfigCommands } from "#app/cli/commands/config.server.ts";
import { addDataCommands } from "#app/cli/commands/data.server.ts";
import { addDoctorCommand } from "#app/cli/commands/doctor.server.ts";
import { addGroupCommands } from "#app/cli/commands/group.server.ts";
import { addKeysCommands } from "#app/cli/commands/keys.server.ts";
import { addMailCommands } from "#app/cli/commands/mail.server.ts";
import { addMigrateCommand } from "#app/cli/commands/migrate.server.ts";
import { addRestoreCommand } from "#app/cli/commands/restore.server.ts";
import { addRoleCommands } from "#app/cli/commands/role.server.ts";
import { addRollbackCommand } from "#app/cli/commands/rollback.server.ts";
import { addSecretsCommands } from "#app/cli/commands/secrets.server.ts";
import { addServeCommand } from "#app/cli/commands/serve.server.ts";
import { addSetupCommand } from "#app/cli/commands/setup.server.ts";
import { addUserCommands } from "#app/cli/commands/user.server.ts";
import { EXIT } from "#app/cli/output/command-error.ts";
import { explainError } from "#app/cli/output/errors.server.ts";
import { type Streams, watchOutput } from "#app/cli/output/output.server.ts";
import { readVersion } from "#app/config/version.server.ts";
import { type CommandLine, createCommandLine, type Environment } from "./command-line.server.ts";
import { examples } from "./command-options.ts";
import type { Serve } from "./service.ts";

type AddCommands = (program: Command, line: CommandLine, serve: Serve) => void;

/** `argv` is `process.argv`: its first two entries are node and the script. The demo has a command of its own. */
type CommandLineInput = {
  argv: readonly string[];
  env: Environment;
  serve: Serve;
  streams?: Streams;
  addCommands?: AddCommands;
};

/** Runs one command (default: `serve`) and resolves to its exit code. Never rejects. */
export async function runCommandLine(input: CommandLineInput): Promise<number> {
  const { argv, env, serve, streams = process, addCommands = addAllCommands } = input;
  const line = createCommandLine({ env, streams });
  const isWritten = watchOutput(streams, line.output, line.hasChanged);
  const exitCode = await runCommand(
    line,
    createProgram(line, (program) => addCommands(program, line, serve)),
    argv.slice(2),
  );
  return (await isWritten()) || exitCode !== EXIT.ok ? exitCode : EXIT.failed;
}

async function runCommand(line: CommandLine, program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args.length === 0 ? ["serve"] : args, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    // commander has printed the message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { exitCode, lines } = explainError(error);
    if (lines.length > 0) line.output.problem(lines);
    return exitCode;
  }
}

function createProgram({ streams, output }: CommandLine, addCommands: (program: Command) => void): Command {
  const program = new Command("gatehouse")
    .description("Run the Gatehouse server and administer it.")
    .version(readVersion(), "--version", "print the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      outputError: (text) => output.problem(usageErrorLines(text)),
    });
  examples(program, [
    "serve",
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --password-stdin < password.txt',
    'client add --name "Broker Desk" --redirect-uri https://desk.example.com/callback --everyone',
    "config check",
  ]);
  program.addHelpText(
    "after",
    [
      "",
      "Exit codes: 0 ok, 1 failed, 2 usage, 3 configuration, 4 not found, 5 refused.",
      "Configuration is read from environment variables; see docs/configuration.md and gatehouse config show.",
    ].join("\n"),
  );
  // Subcommands inherit these settings when they are added, so they are added last.
  addCommands(program);
  return program;
}

function addAllCommands(program: Command, line: CommandLine, serve: Serve): void {
  addServeCommand(program, line, serve);
  addSetupCommand(program, line);
  addAdministratorCommand(program, line);
  addUserCommands(program, line);
  addGroupCommands(program, line);
  addRoleCommands(program, line);
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
  addRollbackCommand(program, line);
  addActivateCommand(program, line);
  addDataCommands(program, line);
  addCompletionCommand(program, line);
}

/** Formats commander's message. Removes the value of an unknown option, which may be a password. */
function usageErrorLines(text: string): string[] {
  const lines = text
    .trim()
    .replace(/^error: /, "")
    .replace(/(unknown option '(?:--[^=']*|-[^-]))[\s\S]*'/, "$1'")
    .split("\n");
  const isPassword = /unknown option '--?p(ass|w)/.test(text);
  return [...lines, isPassword ? PASSWORD_HINT : "Run the command with --help for examples and all options."];
}

const PASSWORD_HINT =
  "Passwords are not accepted as arguments, because other processes can read these. Use --password-stdin.";
