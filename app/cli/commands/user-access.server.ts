import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { requireConfirmation } from "#app/cli/output/confirmation.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { showUser } from "#app/domain/user/show.server.ts";
import { unlockUser } from "#app/domain/user/unlock.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse user unlock`. */
export function addUserUnlock(user: Command, line: CommandLine): void {
  const command = user
    .command("unlock")
    .description("forget a user's wrong passwords and codes, so that the next attempt is heard")
    .argument("<name>", "the user's name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runUnlock(line, username, options));
  examples(command, ["user unlock anna.berger"]);
}

async function runUnlock({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id } = await withContext((context) => unlockUser(context, username));
  return options.json ? output.json({ id }) : output.lines([`${username} may try again.`]);
}

/** `gatehouse user end-sessions`. */
export function addUserEndSessions(user: Command, line: CommandLine): void {
  const command = user
    .command("end-sessions")
    .description("sign a user out everywhere: all sessions, tokens and open pages end")
    .argument("<name>", "the user's name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runEndSessions(line, username, options));
  examples(command, ["user end-sessions anna.berger"]);
}

async function runEndSessions({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id } = await withContext((context) => endSessionsOfUser(context, username));
  return options.json ? output.json({ id }) : output.lines([`All sessions of ${username} are ended.`]);
}

type RemoveOptions = JsonOption & { yes?: boolean };

/** `gatehouse user remove`. */
export function addUserRemove(user: Command, line: CommandLine): void {
  const command = user
    .command("remove")
    .description("remove a user with factors, sessions, tokens, external accounts and consents; the audit trail stays")
    .argument("<name>", "the user's name")
    .option("--yes", "do not ask; needed where there is no terminal")
    .addOption(jsonOption())
    .action((username: string, options: RemoveOptions) => runRemove(line, username, options));
  examples(command, ["user remove anna.berger", "user remove anna.berger --yes --json"]);
}

async function runRemove({ streams, output, withContext }: CommandLine, username: string, options: RemoveOptions) {
  const { id } = await withContext(async (context) => {
    const { displayName } = await showUser(context, username);
    await requireConfirmation(streams, {
      yes: options.yes ?? false,
      question: `Remove ${username} (${displayName})? A user who is added again is another one to the applications.`,
    });
    return removeUser(context, username);
  });
  return options.json ? output.json({ id }) : output.lines([`Removed ${username}.`]);
}
