import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import { properties, table, yesNo } from "#app/cli/output/table.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { listUsers, showUser, showUserAccess, type UserAccess } from "#app/domain/user/show.server.ts";
import type { UserView } from "#app/domain/user/view.server.ts";
import { addUserConsents } from "./consents.server.ts";
import {
  addUserBlock,
  addUserEndSessions,
  addUserSetPassword,
  addUserUnblock,
  addUserUnlock,
} from "./user-access.server.ts";
import { addUserAdd, addUserSet } from "./user-edit.server.ts";
import { addUserImport } from "./user-import.server.ts";
import { addUserInvite, addUserLink } from "./user-link.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse user`. */
export function addUserCommands(program: Command, line: CommandLine): void {
  const user = program.command("user").description("add, list, change and remove users");
  examples(user, [
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --password-stdin < password.txt',
    "user list",
    "user block anna.berger",
  ]);
  addUserAdd(user, line);
  addList(user, line);
  addShow(user, line);
  addUserSet(user, line);
  addRemove(user, line);
  addUserSetPassword(user, line);
  addUserBlock(user, line);
  addUserUnblock(user, line);
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

async function runList({ output, withExistingContext }: CommandLine, options: JsonOption) {
  const users = await withExistingContext(listUsers);
  if (options.json) return output.json(users);
  if (users.length === 0) return output.note("There are no users yet.");
  return output.lines(
    table(
      ["name", "display name", "group", "status", "password", "further groups"],
      users.map((user) => [
        ...[user.username, user.displayName, user.group ?? "-", user.status, yesNo(user.hasPassword)],
        String(user.furtherGroups.length),
      ]),
    ),
  );
}

function addShow(user: Command, line: CommandLine): void {
  const command = user
    .command("show")
    .description("show a user")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runShow(line, username, options));
  examples(command, ["user show anna.berger"]);
}

async function runShow({ output, withExistingContext }: CommandLine, username: string, options: JsonOption) {
  const user = await withExistingContext((context) => showUserAccess(context, username));
  return options.json ? output.json(user) : output.lines(userLines(user, output.time));
}

function userLines(user: UserView & UserAccess, timeText: CommandLine["output"]["time"]): string[] {
  return properties([
    ["name", user.username],
    ["display name", user.displayName],
    ["given name", user.givenName ?? []],
    ["family name", user.familyName ?? []],
    ["id", user.id],
    ["status", user.status],
    ["block reason", user.blockReason ?? []],
    ["last day", user.lastDay ?? []],
    ["role", user.role ?? []],
    ["email", user.email === null ? [] : `${user.email} (${user.emailVerified ? "verified" : "not verified"})`],
    ["phone", user.phone ?? []],
    ["picture", user.picture ?? []],
    ["address", Object.entries(user.address ?? {}).map(([member, text]) => `${member}: ${text}`)],
    ["group", user.group ?? []],
    ["further groups", user.furtherGroups],
    ["permissions", user.permissions],
    ["language", user.locale ?? []],
    ["password set", timeText(user.passwordSetAt)],
    ["authenticator app", yesNo(user.factors.totp > 0)],
    ["security keys", String(user.factors.securityKeys)],
    ["passkeys", String(user.factors.passkeys)],
    ["recovery codes left", String(user.factors.recoveryCodesLeft)],
    ["connected accounts", user.accounts.join(" ") || "none"],
    ["sessions", String(user.sessions)],
    ["added", timeText(user.createdAt)],
  ]);
}

type RemoveOptions = JsonOption & { yes?: boolean };

function addRemove(user: Command, line: CommandLine): void {
  const command = user
    .command("remove")
    .description(
      "remove a user with all factors, sessions, tokens, external accounts and consents; audit events remain",
    )
    .argument("<name>", "user name")
    .option("--yes", "skip the confirmation; required without a terminal")
    .addOption(jsonOption())
    .action((username: string, options: RemoveOptions) => runRemove(line, username, options));
  examples(command, ["user remove anna.berger", "user remove anna.berger --yes --json"]);
}

async function runRemove({ streams, output, withContext }: CommandLine, username: string, options: RemoveOptions) {
  const { id } = await withContext(async (context) => {
    const { displayName } = await showUser(context, username);
    await requireConfirmation(streams, {
      yes: options.yes ?? false,
      question: `Remove ${username} (${displayName})? A user who is added again gets a new user id.`,
    });
    return removeUser(context, username);
  });
  return options.json ? output.json({ id }) : output.lines([`Removed user ${username}.`]);
}
