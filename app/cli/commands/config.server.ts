import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { checkConfigReport, showConfigReport } from "#app/config/report.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse config`. */
export function addConfigCommands(program: Command, line: CommandLine): void {
  const config = program.command("config").description("check and show the configuration");
  examples(config, ["config check", "config show"]);
  const check = config
    .command("check")
    .description("list all mistakes in the configuration; exits with 3 if there is one")
    .addOption(jsonOption())
    .action((options: JsonOption) => runCheck(line, options));
  examples(check, ["config check", "config check --json"]);
  const show = config
    .command("show")
    .description("show every key, its value and its source; secrets are never shown")
    .addOption(jsonOption())
    .action((options: JsonOption) => runShow(line, options));
  examples(show, ["config show"]);
}

function runCheck({ env, output }: CommandLine, options: JsonOption) {
  const { lines, ...report } = checkConfigReport(env);
  if (options.json) output.json(report);
  else output.lines(lines);
  if (!report.ok) throw new CommandError(EXIT.configuration);
}

function runShow({ env, output }: CommandLine, options: JsonOption) {
  const { lines, ...report } = showConfigReport(env);
  if (options.json) output.json(report);
  else output.lines(lines);
  if (!report.ok) throw new CommandError(EXIT.configuration);
}
