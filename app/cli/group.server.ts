import type { Command } from "commander";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import { table, timeText } from "./columns.ts";
import type { CommandLine } from "./command-line.server.ts";
import { examples, jsonOption } from "./command-options.ts";

type JsonOption = { json?: boolean };
type AddOptions = JsonOption & { requireMfa?: boolean };

/** `gatehouse group`: users that belong together. */
export function addGroupCommands(program: Command, line: CommandLine): void {
  const group = program.command("group").description("add, list and change groups of users");
  examples(group, ['group add "North" --require-mfa', "group list"]);
  addAdd(group, line);
  addList(group, line);
}

function addAdd(group: Command, line: CommandLine): void {
  const command = group
    .command("add")
    .description("add a group")
    .argument("<name>", "the group's name")
    .option("--require-mfa", "its members always need a second factor")
    .addOption(jsonOption())
    .action((name: string, options: AddOptions) => runAdd(line, name, options));
  examples(command, ['group add "North"', 'group add "Administration" --require-mfa']);
}

async function runAdd({ output, withContext }: CommandLine, name: string, options: AddOptions) {
  const { id } = await withContext((context) => addGroup(context, { name, requireMfa: options.requireMfa }));
  return options.json ? output.json({ id }) : output.lines([`Added the group ${name} (${id}).`]);
}

function addList(group: Command, line: CommandLine): void {
  const command = group
    .command("list")
    .description("list all groups by name")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(command, ["group list"]);
}

async function runList({ output, withContext }: CommandLine, options: JsonOption) {
  const groups = await withContext(listGroups);
  if (options.json) return output.json(groups);
  if (groups.length === 0) return output.note("There are no groups yet.");
  return output.lines(
    table(
      ["name", "second factor", "added"],
      groups.map((group) => [group.name, group.requireMfa ? "required" : "as configured", timeText(group.createdAt)]),
    ),
  );
}
