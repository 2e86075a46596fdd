import { type Command, Option } from "commander";

/** Returns the option --json of commands that print a result. */
export function jsonOption(): Option {
  return new Option("--json", "print the result as JSON on standard output");
}

/** Collects the values of a repeatable option. After `--no-…` (false), the list starts again. */
export function repeated(value: string, previous: readonly string[] | false | undefined): string[] {
  return [...(previous || []), value];
}

/** Prints examples at the top of a command's help. */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText("before", ["Examples:", ...lines.map((line) => `  $ gatehouse ${line}`), ""].join("\n"));
}
