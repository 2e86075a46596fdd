import { Argument, type Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { table } from "#app/cli/output/table.ts";
import { grantRoleByName, revokeRoleByName } from "#app/domain/administrator/roles.server.ts";
import { listRoles } from "#app/domain/role/grant.server.ts";
import { ROLES, type Role } from "#app/domain/role/role.ts";

type JsonOption = { json?: boolean };

/** `gatehouse role`. */
export function addRoleCommands(program: Command, line: CommandLine): void {
  const role = program.command("role").description("give users a role in the administration, and take it away");
  examples(role, [
    "role grant anna.berger administrator",
    'role grant elif.demir help-desk --office "North"',
    "role list",
    "role revoke elif.demir",
  ]);
  addGrant(role, line);
  addRevoke(role, line);
  addList(role, line);
}

type GrantOptions = JsonOption & { office?: string };

function addGrant(parent: Command, line: CommandLine): void {
  const command = parent
    .command("grant")
    .description("give a user a role, in place of another one; from then on the user needs a second factor")
    .argument("<name>", "user name")
    .addArgument(new Argument("<role>", "role").choices(ROLES))
    .option("--office <group>", "limit a help desk to the users whose home group this is")
    .addOption(jsonOption())
    .action((username: string, role: Role, options: GrantOptions) => runGrant(line, username, role, options));
  examples(command, ["role grant anna.berger administrator", 'role grant elif.demir help-desk --office "North"']);
}

async function runGrant({ output, withContext }: CommandLine, username: string, role: Role, options: GrantOptions) {
  const office = options.office ?? null;
  const user = await withContext((context) => grantRoleByName(context, username, { role, office }));
  if (options.json) return output.json({ id: user.id });
  const granted = `User ${user.username} has the role ${role}${office === null ? "" : ` for ${office}`}`;
  return output.lines([user.isChanged ? `${granted}.` : `${granted} already. Nothing was changed.`]);
}

function addRevoke(parent: Command, line: CommandLine): void {
  const command = parent
    .command("revoke")
    .description("take the role of a user away; the last active administrator keeps it")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runRevoke(line, username, options));
  examples(command, ["role revoke elif.demir"]);
}

async function runRevoke({ output, withContext }: CommandLine, username: string, { json }: JsonOption) {
  const user = await withContext((context) => revokeRoleByName(context, username));
  return json ? output.json({ id: user.id }) : output.lines([`User ${user.username} has no role any more.`]);
}

function addList(parent: Command, line: CommandLine): void {
  const command = parent
    .command("list")
    .description("list the users with a role, by user name")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(command, ["role list", "role list --json"]);
}

async function runList({ output, withExistingContext }: CommandLine, { json }: JsonOption) {
  const users = await withExistingContext(listRoles);
  if (json) return output.json(users);
  if (users.length === 0) return output.note("No user has a role. Give one: gatehouse role grant NAME administrator");
  return output.lines(
    table(
      ["user", "name", "role", "office", "status", "since"],
      users.map(({ username, displayName, role, office, isBlocked, grantedAt }) => [
        ...[username, displayName, role, office ?? "all", isBlocked ? "blocked" : "active", output.time(grantedAt)],
      ]),
    ),
  );
}
