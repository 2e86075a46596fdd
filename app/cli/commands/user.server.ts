import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { readNewPassword } from "#app/cli/output/password-input.server.ts";
import { isInteractive } from "#app/cli/output/streams.server.ts";
import { facts, table, timeText, yesNo } from "#app/cli/output/table.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { listUsers } from "#app/domain/user/list.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { showUser, showUserAccess, type UserAccess } from "#app/domain/user/show.server.ts";
import type { UserView } from "#app/domain/user/view.server.ts";
import { addUserConsents } from "./consents.server.ts";
import { addUserEndSessions, addUserRemove, addUserUnlock } from "./user-access.server.ts";
import { addUserAdd } from "./user-add.server.ts";
import { addUserImport } from "./user-import.server.ts";
import { addUserInvite } from "./user-invite.server.ts";
import { addUserLink } from "./user-link.server.ts";
import { addUserSet } from "./user-set.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse user`: the people who sign in. */
export function addUserCommands(program: Command, line: CommandLine): void {
  const user = program.command("user").description("add, show and change the people who sign in");
  examples(user, [
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --password-stdin < password.txt',
    "user list",
    "user block anna.berger",
  ]);
  addUserAdd(user, line);
  addList(user, line);
  addShow(user, line);
  addUserSet(user, line);
  addUserRemove(user, line);
  addSetPassword(user, line);
  addBlock(user, line);
  addUnblock(user, line);
  addUserUnlock(user, line);
  addUserEndSessions(user, line);
  addUserConsents(user, line);
  addUserLink(user, line);
  addUserInvite(user, line);
  addUserImport(user, line);
}

function addList(user: Command, line: CommandLine): void {
  const command = user
    .command("list")
    .description("list all users by name")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(command, ["user list", "user list --json | jq -r '.[].email'"]);
}

async function runList({ output, withContext }: CommandLine, options: JsonOption) {
  const users = await withContext(listUsers);
  if (options.json) return output.json(users);
  if (users.length === 0) return output.note("There are no users yet.");
  return output.lines(
    table(
      ["name", "display name", "group", "status", "password"],
      users.map((user) => [user.username, user.displayName, user.group ?? "-", user.status, yesNo(user.hasPassword)]),
    ),
  );
}

function addShow(user: Command, line: CommandLine): void {
  const command = user
    .command("show")
    .description("show one user")
    .argument("<name>", "the user's name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runShow(line, username, options));
  examples(command, ["user show anna.berger"]);
}

async function runShow({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const user = await withContext((context) => showUserAccess(context, username));
  return options.json ? output.json(user) : output.lines(factsOf(user));
}

function factsOf(user: UserView & UserAccess): string[] {
  return facts([
    ["name", user.username],
    ["display name", user.displayName],
    ["id", user.id],
    ["status", user.status],
    ["email", user.email ?? []],
    ["phone", user.phone ?? []],
    ["picture", user.picture ?? []],
    ["address", Object.entries(user.address ?? {}).map(([member, text]) => `${member}: ${text}`)],
    ["group", user.group ?? []],
    ["permissions", user.permissions],
    ["language", user.locale ?? []],
    ["password set", timeText(user.passwordSetAt)],
    ["authenticator app", yesNo(user.factors.totp > 0)],
    ["security keys", String(user.factors.securityKeys)],
    ["recovery codes left", String(user.factors.recoveryCodesLeft)],
    ["connected accounts", user.accounts.join(" ") || "none"],
    ["sessions", String(user.sessions)],
    ["added", timeText(user.createdAt)],
  ]);
}

function addSetPassword(user: Command, line: CommandLine): void {
  const command = user
    .command("set-password")
    .description("set a user's password and end all sessions of the user")
    .argument("<name>", "the user's name")
    .option("--password-stdin", "read the password from standard input; a terminal is asked without it, too")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption & { passwordStdin?: boolean }) =>
      runSetPassword(line, username, options),
    );
  examples(command, ["user set-password anna.berger", "user set-password anna.berger --password-stdin < password.txt"]);
}

async function runSetPassword(
  { streams, output, withContext }: CommandLine,
  username: string,
  options: JsonOption & { passwordStdin?: boolean },
) {
  if (!options.passwordStdin && !isInteractive(streams)) {
    throw new CommandError(EXIT.usage, [
      "There is no terminal to ask on. Say --password-stdin and pipe the password in.",
    ]);
  }
  const password = await readNewPassword(streams);
  const { id } = await withContext(async (context) => {
    await setUserPassword(context, username, password);
    return showUser(context, username);
  });
  if (options.json) return output.json({ id });
  return output.lines([`The password of ${username} is set, all sessions of the user are ended.`]);
}

function addBlock(user: Command, line: CommandLine): void {
  const command = user
    .command("block")
    .description("keep a user out: no sign-in, and all sessions and tokens end")
    .argument("<name>", "the user's name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runBlock(line, username, options));
  examples(command, ["user block anna.berger"]);
}

async function runBlock({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id } = await withContext(async (context) => {
    await blockUser(context, username);
    return showUser(context, username);
  });
  return options.json ? output.json({ id }) : output.lines([`${username} is blocked.`]);
}

function addUnblock(user: Command, line: CommandLine): void {
  const command = user
    .command("unblock")
    .description("let a blocked user sign in again")
    .argument("<name>", "the user's name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runUnblock(line, username, options));
  examples(command, ["user unblock anna.berger"]);
}

async function runUnblock({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id } = await withContext(async (context) => {
    await unblockUser(context, username);
    return showUser(context, username);
  });
  return options.json ? output.json({ id }) : output.lines([`${username} may sign in again.`]);
}
