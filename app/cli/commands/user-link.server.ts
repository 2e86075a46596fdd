import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { BaseContext } from "#app/context.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { createFactorResetLink, createPasswordLink, createSettingsLink } from "#app/domain/user/links.server.ts";

type LinkOptions = { passwordReset?: true; mfaReset?: true; manage?: true; returnTo?: string; json?: boolean };

/** `gatehouse user link`: creates a link that the administrator passes on to the user. */
export function addUserLink(user: Command, line: CommandLine): void {
  const command = user
    .command("link")
    .description("create a single-use link for a user, valid for 60 minutes (15 minutes with --manage)")
    .argument("<name>", "user name")
    .addOption(new Option("--password-reset", "link to set a new password").conflicts(["mfaReset", "manage"]))
    .addOption(new Option("--mfa-reset", "link that removes all second factors, without a delay").conflicts("manage"))
    .option("--manage", "link to the login settings; sensitive changes still require the password")
    .addOption(
      new Option("--return-to <url>", "with --manage: registered return URL of the settings").conflicts([
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

type LinkKind = {
  create(context: BaseContext, username: string, options: LinkOptions): Promise<{ url: string; expiresAt: Date }>;
  /** Actions that the link allows, as the end of a sentence. */
  power: string;
};

const KINDS = {
  passwordReset: {
    create: (context, username) => createPasswordLink(context, username),
    power: "take over the account",
  },
  mfaReset: { create: createFactorResetLink, power: "remove all second factors of the account" },
  manage: {
    create: (context, username, { returnTo = null }) => createSettingsLink(context, username, { returnTo }),
    power: "see the account's login settings and end its sessions",
  },
} as const satisfies Record<string, LinkKind>;

async function runLink({ output, withContext }: CommandLine, username: string, options: LinkOptions) {
  const { create, power }: LinkKind = KINDS[kindOf(options)];
  const { url, expiresAt } = await withContext((context) => create(context, username, options));
  if (options.json) return output.json({ url, expires_at: expiresAt.toISOString() });
  output.note(
    `Single-use, valid until ${output.time(expiresAt)}. Anyone with this link can ${power}: pass it on confidentially.`,
  );
  return output.lines([url]);
}

function kindOf({ passwordReset, mfaReset, manage }: LinkOptions): keyof typeof KINDS {
  if (passwordReset) return "passwordReset";
  if (mfaReset) return "mfaReset";
  if (manage) return "manage";
  throw new CommandError(EXIT.usage, ["missing option: one of --password-reset, --mfa-reset, --manage"]);
}

type InviteOptions = { json?: boolean };

/** `gatehouse user invite`: sends a mail with a link to set the first password. */
export function addUserInvite(user: Command, line: CommandLine): void {
  const command = user
    .command("invite")
    .description("mail a link to set the first password; invalidates earlier links")
    .argument("<name>", "user name")
    .addOption(jsonOption())
    .action((username: string, options: InviteOptions) => runInvite(line, username, options));
  examples(command, ["user invite anna.berger"]);
}

async function runInvite({ output, withContext }: CommandLine, username: string, options: InviteOptions) {
  const { email, expiresAt } = await withContext((context) => inviteUser(context, username));
  if (options.json) return output.json({ email, expires_at: expiresAt.toISOString() });
  return output.lines([`An invitation is sent to ${email}. Its link is valid until ${output.time(expiresAt)}.`]);
}
