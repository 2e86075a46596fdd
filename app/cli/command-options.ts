import { type Command, InvalidArgumentError, Option } from "commander";
import { ADDRESS_MEMBERS } from "#app/domain/user/profile.ts";

/** For every command that answers with data. */
export function jsonOption(): Option {
  return new Option("--json", "answer in JSON, alone on standard output");
}

/** Collects an option that may be given several times; what was taken away before by `--no-…` begins anew. */
export function repeated(value: string, previous: readonly string[] | false | undefined): string[] {
  return [...(previous || []), value];
}

/** Help text of the option --address. */
export const ADDRESS_HELP = `a member of the postal address (${ADDRESS_MEMBERS.join(", ")}); repeat for several`;

/** Collects `member=value` of an option that may be given several times. Throws InvalidArgumentError. */
export function addressMember(
  value: string,
  previous: Readonly<Record<string, string>> | false | undefined,
): Record<string, string> {
  const [, member, text] = /^(\w+)=(.*)$/s.exec(value) ?? [];
  if (member === undefined || text === undefined) throw new InvalidArgumentError("It must be member=value.");
  return { ...previous, [member]: text };
}

/** Puts examples above the rest of a command's help. */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText("before", ["Examples:", ...lines.map((line) => `  $ gatehouse ${line}`), ""].join("\n"));
}
