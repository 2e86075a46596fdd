import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { timeText } from "#app/cli/output/table.ts";
import type { BaseContext } from "#app/context.server.ts";
import { createFactorResetLink } from "#app/domain/user/factor-reset-link.server.ts";
import { createPasswordLink } from "#app/domain/user/password-link.server.ts";
import { createSettingsLink } from "#app/domain/user/settings-link.server.ts";

type LinkOptions = { passwordReset?: true; mfaReset?: true; manage?: true; returnTo?: string; json?: boolean };

type Kind = {
  create(context: BaseContext, username: string, options: LinkOptions): Promise<{ url: string; expiresAt: Date }>;
  /** What whoever has the link can do. */
  power: string;
};

const KINDS = {
  passwordReset: { create: createPasswordLink, power: "take over the account" },
  mfaReset: { create: createFactorResetLink, power: "remove all second factors of the account" },
  manage: {
    create: (context, username, { returnTo = null }) => createSettingsLink(context, username, { returnTo }),
    power: "see the account's login settings and end its sessions",
  },
} as const satisfies Record<string, Kind>;

/** `gatehouse user link`: a link to hand over to somebody who cannot get one by mail. */
export function addUserLink(user: Command, line: CommandLine): void {
  const command = user
    .command("link")
    .description("make a link to hand over to a user, good once: for an hour, or for 15 minutes to the settings")
    .argument("<name>", "the name to sign in with")
    .addOption(new Option("--password-reset", "a link to a new password").conflicts(["mfaReset", "manage"]))
    .addOption(
      new Option("--mfa-reset", "a link that removes all second factors; it works at once").conflicts("manage"),
    )
    .option("--manage", "a link to the login settings; what matters there asks for the password still")
    .addOption(
      new Option("--return-to <url>", "with --manage: where the settings lead back to, as registered").conflicts([
        ...["passwordReset", "mfaReset"],
      ]),
    )
    .addOption(jsonOption())
    .action((username: string, options: LinkOptions) => runLink(line, username, options));
  examples(command, [
    "user link anna.berger --password-reset",
    "user link anna.berger --mfa-reset",
    "user link anna.berger --manage --return-to https://suite.example.com/account",
    "user link anna.berger --password-reset --json",
  ]);
}

async function runLink({ output, withContext }: CommandLine, username: string, options: LinkOptions) {
  const { create, power }: Kind = KINDS[kindOf(options)];
  const { url, expiresAt } = await withContext((context) => create(context, username, options));
  if (options.json) return output.json({ url, expires_at: expiresAt.toISOString() });
  output.note(`Good once, until ${timeText(expiresAt)}. Whoever has it can ${power}: hand it over safely.`);
  return output.lines([url]);
}

function kindOf({ passwordReset, mfaReset, manage }: LinkOptions): keyof typeof KINDS {
  if (passwordReset) return "passwordReset";
  if (mfaReset) return "mfaReset";
  if (manage) return "manage";
  throw new CommandError(EXIT.usage, ["Say which link: --password-reset, --mfa-reset or --manage."]);
}
