import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { timeText } from "#app/cli/output/table.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";

/** `gatehouse user invite`: a mail with which a new user sets a first password. */
export function addUserInvite(user: Command, line: CommandLine): void {
  const command = user
    .command("invite")
    .description("send a user without a password a mail with a link to set one; an older link dies")
    .argument("<name>", "the name to sign in with")
    .addOption(jsonOption())
    .action((username: string, options: { json?: boolean }) => runInvite(line, username, options));
  examples(command, ["user invite anna.berger"]);
}

async function runInvite({ output, withContext }: CommandLine, username: string, options: { json?: boolean }) {
  const { email, expiresAt } = await withContext((context) => inviteUser(context, username));
  if (options.json) return output.json({ email, expires_at: expiresAt.toISOString() });
  return output.lines([`The invitation goes to ${email}; its link is good until ${timeText(expiresAt)}.`]);
}
