import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { table } from "#app/cli/output/table.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";

type JsonOption = { json?: boolean };
type AddOptions = JsonOption & { requireMfa?: boolean };
type SetOptions = AddOptions & { rename?: string };

/** `gatehouse group`. */
export function addGroupCommands(program: Command, line: CommandLine): void {
  const group = program.command("group").description("add, list, change and remove groups of users");
  examples(group, ['group add "North" --require-mfa', "group list", 'group set "North" --no-require-mfa']);
  addAdd(group, line);
  addList(group, line);
  addSet(group, line);
  addRemove(group, line);
}

function addAdd(group: Command, line: CommandLine): void {
  const command = group
    .command("add")
    .description("add a group")
    .argument("<name>", "group name")
    .option("--require-mfa", "require a second factor of all members")
    .addOption(jsonOption())
    .action((name: string, options: AddOptions) => runAdd(line, name, options));
  examples(command, ['group add "North"', 'group add "Administration" --require-mfa']);
}

async function runAdd({ output, withContext }: CommandLine, name: string, options: AddOptions) {
  const { id } = await withContext((context) => addGroup(context, { name, requireMfa: options.requireMfa }));
  return options.json ? output.json({ id }) : output.lines([`Added group ${name} (${id}).`]);
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
      groups.map((group) => [
        group.name,
        group.requireMfa ? "required" : "as configured",
        output.time(group.createdAt),
      ]),
    ),
  );
}

function addSet(group: Command, line: CommandLine): void {
  const command = group
    .command("set")
    .description("change a group; only the given options change")
    .argument("<name>", "group name")
    .option("--require-mfa", "require a second factor of all members")
    .option("--no-require-mfa", "do not require one beyond MFA_POLICY and the members' own settings")
    .option("--rename <name>", "rename the group; its users stay in it, and applications receive the new name")
    .addOption(jsonOption())
    .action((name: string, options: SetOptions) => runSet(line, name, options));
  examples(command, ['group set "North" --require-mfa', 'group set "North" --rename "North and East"']);
}

async function runSet({ output, withContext }: CommandLine, name: string, options: SetOptions) {
  const { requireMfa, rename } = options;
  if (requireMfa === undefined && rename === undefined) {
    throw new CommandError(EXIT.usage, ["missing option: one of --require-mfa, --no-require-mfa, --rename"]);
  }
  const { id, ...group } = await withContext((context) => setGroup(context, name, { name: rename, requireMfa }));
  return options.json ? output.json({ id }) : output.lines([`Changed group ${group.name} (${id}).`]);
}

function addRemove(group: Command, line: CommandLine): void {
  const command = group
    .command("remove")
    .description("remove a group that has no members")
    .argument("<name>", "group name")
    .addOption(jsonOption())
    .action((name: string, options: JsonOption) => runRemove(line, name, options));
  examples(command, ['group remove "North"']);
}

async function runRemove({ output, withContext }: CommandLine, name: string, options: JsonOption) {
  const { id } = await withContext((context) => removeGroup(context, name));
  return options.json ? output.json({ id }) : output.lines([`Removed group ${name} (${id}).`]);
}
