import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { properties, table, yesNo } from "#app/cli/output/table.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { type GroupDetails, listGroups, showGroup } from "#app/domain/group/list.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { type GroupChanges, setGroup } from "#app/domain/group/set.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse group`. */
export function addGroupCommands(program: Command, line: CommandLine): void {
  const group = program.command("group").description("add, list, change and remove groups of users");
  examples(group, [
    'group add "North" --require-mfa',
    "group list",
    'group set "North" --no-require-mfa',
    'user set anna.berger --add-group "North"',
  ]);
  addAdd(group, line);
  addList(group, line);
  addShow(group, line);
  addSet(group, line);
  addRemove(group, line);
}

const CONTACT_HELP = "whom members ask for access to an application: a mail address, a URL or a short sentence";

type AddOptions = JsonOption & { requireMfa?: boolean; default?: boolean; description?: string; contact?: string };

function addAdd(group: Command, line: CommandLine): void {
  const command = group
    .command("add")
    .description("add a group")
    .argument("<name>", "group name")
    .option("--require-mfa", "require a second factor of all members")
    .option("--default", "make users who are added later members of it")
    .option("--description <text>", "line that describes the group to administrators")
    .option("--contact <text>", CONTACT_HELP)
    .addOption(jsonOption())
    .action((name: string, options: AddOptions) => runAdd(line, name, options));
  examples(command, [
    'group add "North"',
    'group add "Administration" --require-mfa',
    'group add "Accounting" --description "Invoices and payments" --contact accounting@example.com',
  ]);
}

async function runAdd({ output, withContext }: CommandLine, name: string, options: AddOptions) {
  const { requireMfa, default: isDefault, description, contact } = options;
  const added = await withContext((context) =>
    addGroup(context, { name, requireMfa, isDefault, description, contact }),
  );
  const { id } = added;
  return options.json ? output.json({ id }) : output.lines([`Added group ${added.name} (${id}).`]);
}

function addList(group: Command, line: CommandLine): void {
  const command = group
    .command("list")
    .description("list all groups by name, with the number of their members and of the applications open to them")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(command, ["group list"]);
}

async function runList({ output, withExistingContext }: CommandLine, options: JsonOption) {
  const groups = await withExistingContext(listGroups);
  if (options.json) return output.json(groups);
  if (groups.length === 0) return output.note("There are no groups yet.");
  return output.lines(
    table(
      ["name", "second factor", "default", "home members", "further members", "applications", "added"],
      groups.map((group) => [
        ...[group.name, factorText(group), yesNo(group.isDefault)],
        ...[String(group.homeMembers), String(group.furtherMembers), String(group.applications)],
        output.time(group.createdAt),
      ]),
    ),
  );
}

function factorText({ requireMfa }: { requireMfa: boolean }): string {
  return requireMfa ? "required" : "as configured";
}

function addShow(group: Command, line: CommandLine): void {
  const command = group
    .command("show")
    .description("show a group with its members and the applications open to it")
    .argument("<name>", "group name")
    .addOption(jsonOption())
    .action((name: string, options: JsonOption) => runShow(line, name, options));
  examples(command, ['group show "North"']);
}

async function runShow({ output, withExistingContext }: CommandLine, name: string, options: JsonOption) {
  const group = await withExistingContext((context) => showGroup(context, name));
  return options.json ? output.json(group) : output.lines(groupLines(group, output.time(group.createdAt)));
}

function groupLines(group: GroupDetails, addedText: string): string[] {
  return properties([
    ["name", group.name],
    ["id", group.id],
    ["description", group.description ?? []],
    ["contact", group.contact ?? []],
    ["second factor", factorText(group)],
    ["default", yesNo(group.isDefault)],
    ["home members", group.homeMembers],
    ["further members", group.furtherMembers],
    ["applications", group.applications],
    ["added", addedText],
  ]);
}

/** Parsed options; `--no-…` gives false. */
type SetOptions = JsonOption & {
  requireMfa?: boolean;
  default?: boolean;
  description?: string | false;
  contact?: string | false;
  rename?: string;
};

function addSet(group: Command, line: CommandLine): void {
  const command = group
    .command("set")
    .description("change a group; only the given options change")
    .argument("<name>", "group name")
    .option("--require-mfa", "require a second factor of all members")
    .option("--no-require-mfa", "do not require one beyond MFA_POLICY and the members' own settings")
    .option("--default", "make users who are added later members of it")
    .option("--no-default", "do not make new users members of it")
    .option("--description <text>", "line that describes the group to administrators")
    .option("--no-description", "remove the description")
    .option("--contact <text>", CONTACT_HELP)
    .option("--no-contact", "remove the contact; members are referred to SUPPORT_CONTACT")
    .option("--rename <name>", "rename the group; its users stay in it, and applications receive the new name")
    .addOption(jsonOption())
    .action((name: string, options: SetOptions) => runSet(line, name, options));
  examples(command, [
    'group set "North" --require-mfa',
    'group set "North" --rename "North and East"',
    'group set "Staff" --default --contact "Please ask your head of department."',
  ]);
}

async function runSet({ output, withContext }: CommandLine, name: string, options: SetOptions) {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) {
    throw new CommandError(EXIT.usage, ["No change was given. Run the command with --help for all options."]);
  }
  const { id, isChanged, ...group } = await withContext((context) => setGroup(context, name, changes));
  if (options.json) return output.json({ id });
  return output.lines([
    isChanged ? `Changed group ${group.name} (${id}).` : `Group ${group.name} (${id}) is unchanged.`,
  ]);
}

function changesOf({ requireMfa, default: isDefault, description, contact, rename }: SetOptions): GroupChanges {
  return {
    ...(requireMfa === undefined ? {} : { requireMfa }),
    ...(isDefault === undefined ? {} : { isDefault }),
    ...(description === undefined ? {} : { description: description === false ? null : description }),
    ...(contact === undefined ? {} : { contact: contact === false ? null : contact }),
    ...(rename === undefined ? {} : { name: rename }),
  };
}

type RemoveOptions = JsonOption & { endMemberships?: boolean };

function addRemove(group: Command, line: CommandLine): void {
  const command = group
    .command("remove")
    .description("remove a group that is no user's home group")
    .argument("<name>", "group name")
    .option("--end-memberships", "also end its further memberships, and close the applications that are open to it")
    .addOption(jsonOption())
    .action((name: string, options: RemoveOptions) => runRemove(line, name, options));
  examples(command, ['group remove "North"', 'group remove "Project 2025" --end-memberships']);
}

async function runRemove({ output, withContext }: CommandLine, name: string, options: RemoveOptions) {
  const { endMemberships = false } = options;
  const removed = await withContext((context) => removeGroup(context, name, { endMemberships }));
  if (options.json) return output.json(removed);
  const { id, memberships, applications } = removed;
  const ended = endMemberships
    ? [`Ended ${memberships} memberships, and closed ${applications} applications to it.`]
    : [];
  return output.lines([`Removed group ${removed.name} (${id}).`, ...ended]);
}
