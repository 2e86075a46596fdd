import type { Command } from "commander";
import { createPasswordLink } from "#app/domain/user/password-link.server.ts";
import { timeText } from "./columns.ts";
import type { CommandLine } from "./command-line.server.ts";
import { examples, jsonOption } from "./command-options.ts";

type LinkOptions = { passwordReset: true; json?: boolean };

/** `gatehouse user link`: a link to hand over to somebody who cannot get one by mail. */
export function addUserLink(user: Command, line: CommandLine): void {
  const command = user
    .command("link")
    .description("make a link for a user to choose a password with: good for an hour, once, and only the newest")
    .argument("<name>", "the name to sign in with")
    .requiredOption("--password-reset", "a link to a new password")
    .addOption(jsonOption())
    .action((username: string, options: LinkOptions) => runLink(line, username, options));
  examples(command, ["user link anna.berger --password-reset", "user link anna.berger --password-reset --json"]);
}

async function runLink({ output, withContext }: CommandLine, username: string, { json }: LinkOptions) {
  const { url, expiresAt } = await withContext((context) => createPasswordLink(context, username));
  if (json) return output.json({ url, expires_at: expiresAt.toISOString() });
  output.note(`Good once, until ${timeText(expiresAt)}. Whoever has it can take over the account: hand it over safely.`);
  return output.lines([url]);
}
