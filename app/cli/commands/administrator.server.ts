import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { BaseContext } from "#app/context.server.ts";
import {
  ADMINISTRATORS_GROUP,
  addFirstAdministrator,
  createSetupLink,
  findFirstAdministrator,
} from "#app/domain/administrator/first-administrator.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";

type Options = { username?: string; displayName?: string; email?: string; link?: "missing" | "new" };

/**
 * `gatehouse administrator`, which setup runs as the user of the service: shows the first administrator. With
 * `--username`, adds one if there is none; with `--link`, creates the link with which that user chooses a password.
 */
export function addAdministratorCommand(program: Command, line: CommandLine): void {
  program
    .command("administrator", { hidden: true })
    .description("show, add or invite the first administrator; part of gatehouse setup")
    .option("--username <name>", "user name")
    .option("--display-name <name>", "display name")
    .option("--email <address>", "mail address")
    .option("--link <which>", "missing: create a link if none is valid; new: in any case")
    .addOption(jsonOption())
    .action((options: Options) => runAdministrator(line, options));
}

async function runAdministrator({ output, withContext }: CommandLine, options: Options) {
  output.json(await withContext((context) => prepare(context, options)));
}

async function prepare(context: BaseContext, options: Options) {
  const found = await findFirstAdministrator(context);
  if (found.kind === "none" && options.username !== undefined) await add(context, options.username, options);
  const state = await findFirstAdministrator(context);
  const username = state.kind === "none" ? null : state.username;
  const linkExpiresAt = state.kind === "waiting" ? state.linkExpiresAt : null;
  const isWanted = options.link === "new" || (options.link === "missing" && linkExpiresAt === null);
  if (state.kind !== "waiting" || !isWanted) return { kind: state.kind, username, linkExpiresAt, url: null };
  const { url, expiresAt } = await createSetupLink(context, state.username);
  return { kind: state.kind, username, linkExpiresAt: expiresAt, url };
}

async function add(context: BaseContext, username: string, { displayName = username, email = "" }: Options) {
  const added = await addFirstAdministrator(context, { username, displayName, email }).catch((error: unknown) => {
    if (hasCode(error, "username not available")) throw nameTaken(username);
    throw error;
  });
  if (added.kind === "added") return;
  throw new CommandError(EXIT.refused, [
    `The group ${ADMINISTRATORS_GROUP} exists, but does not require a second factor of its members.`,
    `Run: gatehouse group set ${ADMINISTRATORS_GROUP} --require-mfa`,
  ]);
}

function nameTaken(username: string): CommandError {
  return new CommandError(EXIT.refused, [
    `There is a user ${username}, who is not in the group ${ADMINISTRATORS_GROUP}.`,
    "Name another user for the first administrator (gatehouse setup --admin-username NAME), or add this one to the group:",
    `  gatehouse user set ${username} --add-group ${ADMINISTRATORS_GROUP}`,
  ]);
}
