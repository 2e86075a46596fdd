import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated, requireOptions } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { readNewPassword } from "#app/cli/output/prompts.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { ADDRESS_MEMBERS } from "#app/domain/user/profile.ts";
import { setUser, type UserChanges } from "#app/domain/user/set.server.ts";

type AddOptions = {
  displayName: string;
  givenName?: string;
  familyName?: string;
  email?: string;
  phone?: string;
  picture?: string;
  address?: Record<string, string>;
  group?: string;
  addGroup?: string[];
  permission?: string[];
  locale?: string;
  passwordStdin?: boolean;
  invite?: true;
  json?: boolean;
};

const ADDRESS_HELP = `a member of the postal address (${ADDRESS_MEMBERS.join(", ")}); repeatable`;

/** `gatehouse user add`: adds a user with a password, an invitation, or neither. */
export function addUserAdd(user: Command, line: CommandLine): void {
  const command = user
    .command("add")
    .description("add a user; without a password, the user cannot sign in until one is set")
    .argument("<name>", "user name, used to sign in")
    .option("--display-name <text>", "name shown on pages and in applications")
    .option("--given-name <text>", "given name, for applications")
    .option("--family-name <text>", "family name, for applications")
    .option("--email <address>", "mail address")
    .option("--phone <number>", "phone number")
    .option("--picture <url>", "https URL of a picture")
    .option("--address <member=value>", ADDRESS_HELP, addressMember)
    .option("--group <name>", "home group of the user")
    .option("--add-group <name>", "further group, besides the default groups; repeatable", repeated)
    .option("--permission <id>", "permission that applications receive as a claim; repeatable", repeated)
    .option("--locale <tag>", "preferred language, for example de or en")
    .option("--password-stdin", "read the password from standard input, or ask for it on a terminal")
    .addOption(new Option("--invite", "send a mail with a link to set a password").conflicts("passwordStdin"))
    .addOption(jsonOption())
    .action((username: string, options: AddOptions) => runAdd(line, username, options));
  requireOptions(command, "--display-name");
  examples(command, [
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --invite',
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --password-stdin < password.txt',
    'user add bernd --display-name "Bernd Vogel" --group "North" --permission orders --permission claims --json',
    'user add clara --display-name "Clara Wolf" --group "North" --add-group "Accounting" --add-group "Works council"',
  ]);
}

async function runAdd({ streams, output, withContext }: CommandLine, username: string, options: AddOptions) {
  const { displayName, givenName, familyName, email, phone, picture, address, locale, invite } = options;
  const { group: groupName, addGroup: furtherGroups, permission: permissions } = options;
  if (invite && email === undefined) {
    throw new CommandError(EXIT.usage, ["--invite sends a mail and requires --email."]);
  }
  const password = options.passwordStdin ? await readNewPassword(streams) : null;
  const { id } = await withContext(async (context) => {
    const names = { username, displayName, givenName, familyName };
    const groups = { groupName, furtherGroups };
    const input = { ...names, email, phone, picture, address, ...groups, permissions, locale, password };
    const user = await addUser(context, input);
    if (invite) await inviteUser(context, username);
    return user;
  });
  if (invite) output.note(`An invitation is sent to ${email}.`);
  else if (password === null) {
    output.note(
      `The user has no password yet. Run: gatehouse user set-password ${username}, or gatehouse user invite ${username}`,
    );
  }
  if (options.json) return output.json({ id });
  return output.lines([`Added user ${username} (${id}).`]);
}

/** Parsed options; `--no-…` gives false. */
type SetOptions = {
  displayName?: string;
  givenName?: string | false;
  familyName?: string | false;
  email?: string | false;
  emailVerified?: boolean;
  phone?: string | false;
  picture?: string | false;
  address?: Record<string, string> | false;
  group?: string | false;
  addGroup?: string[];
  removeGroup?: string[];
  permission?: string[] | false;
  locale?: string | false;
  lastDay?: string;
  json?: boolean;
};

/** `gatehouse user set`. */
export function addUserSet(user: Command, line: CommandLine): void {
  const command = user
    .command("set")
    .description("change a user; only the given options change")
    .argument("<name>", "user name")
    .option("--display-name <text>", "name shown on pages and in applications")
    .option("--given-name <text>", "given name, for applications")
    .option("--no-given-name", "remove the given name")
    .option("--family-name <text>", "family name, for applications")
    .option("--no-family-name", "remove the family name")
    .option("--email <address>", "mail address; links that were mailed to the previous one become invalid")
    .option("--no-email", "remove the mail address")
    .option(
      "--email-verified",
      "the mail address is the user's: it can be used to sign in, and applications see it as verified",
    )
    .option("--no-email-verified", "the mail address is not known to be the user's")
    .option("--phone <number>", "phone number")
    .option("--no-phone", "remove the phone number")
    .option("--picture <url>", "https URL of a picture")
    .option("--no-picture", "remove the picture")
    .option("--address <member=value>", `replaces the whole address; ${ADDRESS_HELP}`, addressMember)
    .option("--no-address", "remove the address")
    .option("--group <name>", "home group of the user")
    .option("--no-group", "remove the user from the home group")
    .option("--add-group <name>", "make the user a member of a further group; repeatable", repeated)
    .option("--remove-group <name>", "end the membership of a further group; repeatable", repeated)
    .option("--permission <id>", "replaces all permissions; repeatable", repeated)
    .option("--no-permission", "remove all permissions")
    .option("--locale <tag>", "preferred language, for example de or en")
    .option("--no-locale", "remove the language; the next sign-in sets it")
    .option("--last-day <date>", "last day of access, as YYYY-MM-DD in TIME_ZONE; none removes it")
    .addOption(jsonOption())
    .action((username: string, options: SetOptions) => runSet(line, username, options));
  examples(command, [
    "user set anna.berger --email anna.berger@example.com --email-verified --locale de",
    "user set anna.berger --permission orders --permission claims",
    'user set anna.berger --group "North" --no-phone --json',
    'user set anna.berger --add-group "Accounting" --remove-group "Trainees"',
    "user set anna.berger --last-day 2026-12-31",
  ]);
}

async function runSet({ output, withContext }: CommandLine, username: string, options: SetOptions) {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) {
    throw new CommandError(EXIT.usage, ["No change was given. Run the command with --help for all options."]);
  }
  const { user, isChanged } = await withContext((context) => setUser(context, username, changes));
  if (options.json) return output.json(user);
  return output.lines([isChanged ? `Changed user ${user.username}.` : `User ${user.username} is unchanged.`]);
}

function changesOf({ displayName, email, phone, picture, address, ...options }: SetOptions): UserChanges {
  const { givenName, familyName, emailVerified, group, addGroup, removeGroup, permission, locale, lastDay } = options;
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(givenName === undefined ? {} : { givenName: givenName || null }),
    ...(familyName === undefined ? {} : { familyName: familyName || null }),
    ...(email === undefined ? {} : { email: email || null }),
    ...(emailVerified === undefined ? {} : { emailVerified }),
    ...(phone === undefined ? {} : { phone: phone || null }),
    ...(picture === undefined ? {} : { picture: picture || null }),
    ...(address === undefined ? {} : { address: address || null }),
    ...(group === undefined ? {} : { groupName: group === false ? null : group }),
    ...(addGroup === undefined ? {} : { addGroups: addGroup }),
    ...(removeGroup === undefined ? {} : { removeGroups: removeGroup }),
    ...(permission === undefined ? {} : { permissions: permission || [] }),
    ...(locale === undefined ? {} : { locale: locale || null }),
    ...(lastDay === undefined ? {} : { lastDay: lastDay === "none" ? null : lastDay }),
  };
}

/** Collects the values of --address. Throws InvalidArgumentError. */
function addressMember(
  value: string,
  previous: Readonly<Record<string, string>> | false | undefined,
): Record<string, string> {
  const [, member, text] = /^(\w+)=(.*)$/s.exec(value) ?? [];
  if (member === undefined || text === undefined) throw new InvalidArgumentError("It must be member=value.");
  return { ...previous, [member]: text };
}
