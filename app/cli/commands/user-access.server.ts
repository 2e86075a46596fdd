import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { isInteractive } from "#app/cli/output/output.server.ts";
import { readNewPassword } from "#app/cli/output/prompts.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { showUser } from "#app/domain/user/show.server.ts";
import { unlockUser } from "#app/domain/user/unlock.server.ts";

type JsonOption = { json?: boolean };
type PasswordOptions = JsonOption & { passwordStdin?: boolean };

/** `gatehouse user set-password`. */
export function addUserSetPassword(user: Command, line: CommandLine): void {
  const command = user
    .command("set-password")
    .description("set the password of a user and end all sessions of the user")
    .argument("<name>", "user name")
    .option("--password-stdin", "read the password from standard input; default on a terminal: ask for it")
    .addOption(jsonOption())
    .action((username: string, options: PasswordOptions) => runSetPassword(line, username, options));
  examples(command, ["user set-password anna.berger", "user set-password anna.berger --password-stdin < password.txt"]);
}

async function runSetPassword(
  { streams, output, withContext }: CommandLine,
  username: string,
  options: PasswordOptions,
) {
  if (!options.passwordStdin && !isInteractive(streams)) {
    throw new CommandError(EXIT.usage, [
      "There is no terminal to ask for the password. Use --password-stdin and pipe the password in.",
    ]);
  }
  const password = await readNewPassword(streams);
  const { id } = await withContext(async (context) => {
    await setUserPassword(context, username, password);
    return showUser(context, username);
  });
  if (options.json) return output.json({ id });
  return output.lines([`Set the password of ${username} and ended all sessions of the user.`]);
}

/** `gatehouse user block`. */
export function addUserBlock(user: Command, line: CommandLine): void {
  const command = user
    .command("block")
    .description("block a user: sign-in is refused, and all sessions and tokens end")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runBlock(line, username, options));
  examples(command, ["user block anna.berger"]);
}

async function runBlock({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id, isChanged } = await withContext(async (context) => {
    const isBlocked = await blockUser(context, username);
    return { ...(await showUser(context, username)), isChanged: isBlocked };
  });
  if (options.json) return output.json({ id });
  return output.lines([
    isChanged ? `Blocked ${username}.` : `User ${username} is blocked already. Nothing was changed.`,
  ]);
}

/** `gatehouse user unblock`. */
export function addUserUnblock(user: Command, line: CommandLine): void {
  const command = user
    .command("unblock")
    .description("allow a blocked user to sign in again")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runUnblock(line, username, options));
  examples(command, ["user unblock anna.berger"]);
}

async function runUnblock({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id, isChanged } = await withContext(async (context) => {
    const isUnblocked = await unblockUser(context, username);
    return { ...(await showUser(context, username)), isChanged: isUnblocked };
  });
  if (options.json) return output.json({ id });
  return output.lines([isChanged ? `Unblocked ${username}.` : `User ${username} is not blocked. Nothing was changed.`]);
}

/** `gatehouse user unlock`. */
export function addUserUnlock(user: Command, line: CommandLine): void {
  const command = user
    .command("unlock")
    .description("reset the counters of wrong passwords and codes, so that the user can try again at once")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runUnlock(line, username, options));
  examples(command, ["user unlock anna.berger"]);
}

async function runUnlock({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id } = await withContext((context) => unlockUser(context, username));
  return options.json ? output.json({ id }) : output.lines([`Unlocked ${username}.`]);
}

/** `gatehouse user end-sessions`. */
export function addUserEndSessions(user: Command, line: CommandLine): void {
  const command = user
    .command("end-sessions")
    .description("sign a user out everywhere: all sessions and tokens end")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: JsonOption) => runEndSessions(line, username, options));
  examples(command, ["user end-sessions anna.berger"]);
}

async function runEndSessions({ output, withContext }: CommandLine, username: string, options: JsonOption) {
  const { id } = await withContext((context) => endSessionsOfUser(context, username));
  return options.json ? output.json({ id }) : output.lines([`Ended all sessions of ${username}.`]);
}
