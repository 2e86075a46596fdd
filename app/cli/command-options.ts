import { type Command, Option } from "commander";

/** Returns the option --json of commands that print a result. */
export function jsonOption(): Option {
  return new Option("--json", "print the result as JSON on standard output");
}

/** Collects the values of a repeatable option. After `--no-…` (false), the list starts again. */
export function repeated(value: string, previous: readonly string[] | false | undefined): string[] {
  return [...(previous || []), value];
}

/**
 * Requires these options of a command. commander's own check comes before the one for unknown options, so that a
 * misspelled option would be reported as missing, without a suggestion.
 */
export function requireOptions(command: Command, ...names: readonly string[]): void {
  const required = command.options.filter(({ long }) => long !== undefined && names.includes(long));
  command.hook("preAction", () => {
    for (const option of required)
      if (command.getOptionValue(option.attributeName()) === undefined) {
        command.error(`error: required option '${option.flags}' not specified`);
      }
  });
}

/** Prints examples at the top of a command's help. */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText("before", ["Examples:", ...lines.map((line) => `  $ gatehouse ${line}`), ""].join("\n"));
}
