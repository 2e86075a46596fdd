import { type Command, Option } from "commander";
import { createFactorResetLink } from "#app/domain/user/factor-reset-link.server.ts";
import { createPasswordLink } from "#app/domain/user/password-link.server.ts";
import { timeText } from "./columns.ts";
import { CommandError } from "./command-error.ts";
import type { CommandLine } from "./command-line.server.ts";
import { examples, jsonOption } from "./command-options.ts";
import { EXIT } from "./exit-codes.ts";

type LinkOptions = { passwordReset?: true; mfaReset?: true; json?: boolean };

/** What each kind of link is made with, and what whoever has it can do. */
const KINDS = {
  passwordReset: { create: createPasswordLink, power: "take over the account" },
  mfaReset: { create: createFactorResetLink, power: "remove all second factors of the account" },
} as const;

/** `gatehouse user link`: a link to hand over to somebody who cannot get one by mail. */
export function addUserLink(user: Command, line: CommandLine): void {
  const command = user
    .command("link")
    .description("make a link to hand over to a user: good for an hour, once, and only the newest of its kind")
    .argument("<name>", "the name to sign in with")
    .addOption(new Option("--password-reset", "a link to a new password").conflicts("mfaReset"))
    .option("--mfa-reset", "a link that removes all second factors; it works at once")
    .addOption(jsonOption())
    .action((username: string, options: LinkOptions) => runLink(line, username, options));
  examples(command, [
    "user link anna.berger --password-reset",
    "user link anna.berger --mfa-reset",
    "user link anna.berger --password-reset --json",
  ]);
}

async function runLink({ output, withContext }: CommandLine, username: string, options: LinkOptions) {
  const { create, power } = KINDS[kindOf(options)];
  const { url, expiresAt } = await withContext((context) => create(context, username));
  if (options.json) return output.json({ url, expires_at: expiresAt.toISOString() });
  output.note(`Good once, until ${timeText(expiresAt)}. Whoever has it can ${power}: hand it over safely.`);
  return output.lines([url]);
}

function kindOf({ passwordReset, mfaReset }: LinkOptions): keyof typeof KINDS {
  if (passwordReset) return "passwordReset";
  if (mfaReset) return "mfaReset";
  throw new CommandError(EXIT.usage, ["Say which link: --password-reset or --mfa-reset."]);
}
