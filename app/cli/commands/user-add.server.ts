import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { ADDRESS_HELP, addressMember, examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { readNewPassword } from "#app/cli/output/password-input.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";

type AddOptions = {
  displayName: string;
  email?: string;
  phone?: string;
  picture?: string;
  address?: Record<string, string>;
  group?: string;
  permission?: string[];
  locale?: string;
  passwordStdin?: boolean;
  invite?: true;
  json?: boolean;
};

/** `gatehouse user add`: a new user, with a password, an invitation to set one, or neither. */
export function addUserAdd(user: Command, line: CommandLine): void {
  const command = user
    .command("add")
    .description("add a user; without a password nobody can sign in as this user until one is set")
    .argument("<name>", "the name to sign in with")
    .requiredOption("--display-name <text>", "the name people see")
    .option("--email <address>", "mail address")
    .option("--phone <number>", "telephone number")
    .option("--picture <url>", "https URL of a picture")
    .option("--address <member=value>", ADDRESS_HELP, addressMember)
    .option("--group <name>", "the group the user belongs to")
    .option("--permission <id>", "a permission that applications are told; repeat for several", repeated)
    .option("--locale <tag>", "preferred language, for example de or en")
    .option("--password-stdin", "read the password from standard input, or ask for it on a terminal")
    .addOption(new Option("--invite", "send a mail with a link to set a password").conflicts("passwordStdin"))
    .addOption(jsonOption())
    .action((username: string, options: AddOptions) => runAdd(line, username, options));
  examples(command, [
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --invite',
    'user add anna.berger --display-name "Anna Berger" --email anna@example.com --password-stdin < password.txt',
    'user add bernd --display-name "Bernd Vogel" --group "North" --permission orders --permission claims --json',
  ]);
}

async function runAdd({ streams, output, withContext }: CommandLine, username: string, options: AddOptions) {
  const { displayName, email, phone, picture, address, locale, invite } = options;
  const { group: groupName, permission: permissions } = options;
  if (invite && email === undefined) {
    throw new CommandError(EXIT.usage, ["An invitation goes by mail: say --email, too."]);
  }
  const password = options.passwordStdin ? await readNewPassword(streams) : null;
  const { id } = await withContext(async (context) => {
    const facts = { username, displayName, email, phone, picture, address, groupName, permissions, locale, password };
    const user = await addUser(context, facts);
    if (invite) await inviteUser(context, username);
    return user;
  });
  if (invite) output.note(`The invitation goes to ${email}.`);
  else if (password === null) {
    output.note(`There is no password yet: gatehouse user set-password ${username}, or user invite ${username}`);
  }
  if (options.json) return output.json({ id });
  return output.lines([`Added ${username} (${id}).`]);
}
