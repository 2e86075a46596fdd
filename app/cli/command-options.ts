import { type Command, Option } from "commander";

/** For every command that answers with data. */
export function jsonOption(): Option {
  return new Option("--json", "answer in JSON, alone on standard output");
}

/** Collects an option that may be given several times; what was taken away before by `--no-…` begins anew. */
export function repeated(value: string, previous: readonly string[] | false | undefined): string[] {
  return [...(previous || []), value];
}

/** Puts examples above the rest of a command's help. */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText("before", ["Examples:", ...lines.map((line) => `  $ gatehouse ${line}`), ""].join("\n"));
}
