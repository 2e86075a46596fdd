import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { ADDRESS_HELP, addressMember, examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { setUser, type UserChanges } from "#app/domain/user/set.server.ts";

/** As they are typed: false where `--no-…` takes something away. */
type SetOptions = {
  displayName?: string;
  email?: string | false;
  phone?: string | false;
  picture?: string | false;
  address?: Record<string, string> | false;
  group?: string | false;
  permission?: string[] | false;
  locale?: string | false;
  json?: boolean;
};

/** `gatehouse user set`. */
export function addUserSet(user: Command, line: CommandLine): void {
  const command = user
    .command("set")
    .description("change what is known of a user; what is not named stays as it is")
    .argument("<name>", "the user's name")
    .option("--display-name <text>", "the name people see")
    .option("--email <address>", "mail address; links that were mailed to an older one are dead")
    .option("--no-email", "no mail address any more")
    .option("--phone <number>", "telephone number")
    .option("--no-phone", "no telephone number any more")
    .option("--picture <url>", "https URL of a picture")
    .option("--no-picture", "no picture any more")
    .option("--address <member=value>", `replaces the whole address; ${ADDRESS_HELP}`, addressMember)
    .option("--no-address", "no address any more")
    .option("--group <name>", "the group the user belongs to from now on")
    .option("--no-group", "no group any more")
    .option("--permission <id>", "in the place of all there were; repeat for several", repeated)
    .option("--no-permission", "no permission any more")
    .option("--locale <tag>", "preferred language, for example de or en")
    .option("--no-locale", "the language of the browser")
    .addOption(jsonOption())
    .action((username: string, options: SetOptions) => runSet(line, username, options));
  examples(command, [
    "user set anna.berger --email anna.berger@example.com --locale de",
    "user set anna.berger --permission orders --permission claims",
    'user set anna.berger --group "North" --no-phone --json',
  ]);
}

async function runSet({ output, withContext }: CommandLine, username: string, options: SetOptions) {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) {
    throw new CommandError(EXIT.usage, ["Say what to change; --help names everything that can."]);
  }
  const user = await withContext((context) => setUser(context, username, changes));
  return options.json ? output.json(user) : output.lines([`Changed ${user.username}.`]);
}

function changesOf({ displayName, email, phone, picture, address, ...options }: SetOptions): UserChanges {
  const { group, permission, locale } = options;
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(email === undefined ? {} : { email: email || null }),
    ...(phone === undefined ? {} : { phone: phone || null }),
    ...(picture === undefined ? {} : { picture: picture || null }),
    ...(address === undefined ? {} : { address: address || null }),
    ...(group === undefined ? {} : { groupName: group === false ? null : group }),
    ...(permission === undefined ? {} : { permissions: permission || [] }),
    ...(locale === undefined ? {} : { locale: locale || null }),
  };
}
