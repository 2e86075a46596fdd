import { type Command, Option } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { isInteractive } from "#app/cli/output/output.server.ts";
import { prompt } from "#app/cli/output/prompts.server.ts";
import { timeText } from "#app/cli/output/table.ts";
import { type AnswerOptions, type Answers, askAll } from "#app/cli/setup/answers.server.ts";
import { type AdministratorState, createLink, ensureAdministrator } from "#app/cli/setup/first-administrator.server.ts";
import { type Installation, writeInstallation } from "#app/cli/setup/installation.server.ts";
import { type Layout, layoutUnder } from "#app/cli/setup/layout.server.ts";
import { showLink, showProblems, showSettings } from "#app/cli/setup/report.server.ts";
import {
  createProgram,
  type Program,
  requireServiceUser,
  type ServiceUser,
} from "#app/cli/setup/service-user.server.ts";
import { environmentOf, readSettings, type Settings } from "#app/cli/setup/settings.server.ts";
import { prepareFolders, requireKeyOfDatabase } from "#app/cli/setup/write.server.ts";
import { findSystemService } from "#app/cli/system-service.server.ts";
import type { Config } from "#app/config/config.ts";
import { checkConfigReport } from "#app/config/report.server.ts";

type SetupOptions = AnswerOptions & { newLink?: boolean; json?: boolean; root: string; serviceUser: string };

const SECRETS = `
Secrets are no options, because other processes can read these: an option with FILE reads a file of one line, "-"
reads standard input; on a terminal setup asks for them without echo.
Setup changes no existing setting. Run again, it continues an earlier setup, shows what is set, and creates a new link while
no administrator can sign in.`;

/** `gatehouse setup`: from an installed package to the link of the first administrator. */
export function addSetupCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("setup")
    .description("configure and start a new installation, and print the link of the first administrator")
    .option("--address <url>", "public address, e.g. https://login.example.com")
    .option("--product-name <name>", "name on pages and in mails")
    .option("--imprint <url>", "address of the imprint")
    .option("--mail <kind>", "smtp, microsoft365 or none")
    .option("--mail-from <address>", "sender of mails")
    .option("--smtp-server <host:port>", "with --mail smtp: mail server")
    .option("--smtp-user <name>", "with --mail smtp: user name, if the mail server requires one")
    .option("--smtp-password-file <file>", "with --smtp-user: file with the password")
    .option("--mail-tenant <id>", "with --mail microsoft365: directory (tenant) id")
    .option("--mail-client-id <id>", "with --mail microsoft365: application (client) id")
    .option("--mail-client-secret-file <file>", "with --mail microsoft365: file with the client secret")
    .option("--proxy <proxy>", "caddy, nginx or own")
    .option("--admin-name <name>", "name of the first administrator")
    .option("--admin-email <address>", "mail address of the first administrator")
    .option("--admin-username <name>", "user name of the first administrator; default: from the mail address")
    .option("--new-link", "create a new link, which ends the earlier one")
    .addOption(new Option("--root <folder>", "folder in place of /, for tests").default("/").hideHelp())
    .addOption(new Option("--service-user <name>", "user of the service").default("gatehouse").hideHelp())
    .addOption(jsonOption())
    .addHelpText("after", SECRETS)
    .action((options: SetupOptions) => runSetup(line, options));
  examples(command, [
    "setup",
    'setup --address https://login.example.com --product-name "Example Brokers" --imprint https://www.example.com/imprint ' +
      '--mail none --proxy caddy --admin-name "Anna Berger" --admin-email anna.berger@example.com',
    "setup --new-link",
  ]);
}

async function runSetup(line: CommandLine, options: SetupOptions) {
  const { streams, output } = line;
  const layout = layoutUnder(options.root);
  const user = requireServiceUser(options.serviceUser, { isSystem: options.root === "/" });
  requireKeyOfDatabase(layout);
  const existing = readSettings(layout);
  const earlier = await findEarlier(line, { layout, user, existing });
  const answers = await askAll({ streams, layout, existing, needsAdministrator: earlier === null }, options);
  const installation = writeInstallation({ layout, user, existing }, answers);
  const environment = environmentOf(installation.settings);
  for (const text of checkConfigReport(environment).lines) output.note(text);
  const { config } = requireConfig(environment);
  const { timeZone } = config;
  const program = programFor(line, { layout, user, settings: installation.settings });
  // Like every command that opens the database, this one migrates it first.
  const found = earlier ?? (await ensureAdministrator(program, answers.administrator));
  await start(line, { layout, config, installation, answers, isFinished: found.kind === "ready" });
  await showProblems(output, program);
  const which = await linkWanted(streams, found, { ...options, timeZone });
  const state = found.kind === "ready" ? found : await createLink(program, which);
  if (options.json) {
    const { username: administrator, linkExpiresAt: expiresAt, url } = state;
    const proxy = installation.proxyFile?.file ?? null;
    return output.json({ issuer: installation.settings.env["ISSUER"], proxy, administrator, url, expiresAt });
  }
  showSettings(output, { layout, installation, state });
  return showLink(output, state, timeZone);
}

/** Returns the administrator whom an earlier setup has added; null if there is none. */
async function findEarlier(
  line: CommandLine,
  { layout, user, existing }: { layout: Layout; user: ServiceUser; existing: Settings },
) {
  if (existing.env["ISSUER"] === undefined || existing.secrets["SECRET_KEYS"] === undefined) return null;
  prepareFolders(layout, user);
  const state = await ensureAdministrator(programFor(line, { layout, user, settings: existing }), null);
  return state.kind === "none" ? null : state;
}

function programFor(
  { streams, env }: CommandLine,
  { layout, user, settings }: { layout: Layout; user: ServiceUser; settings: Settings },
): Program {
  const path = env["PATH"] ?? "/usr/bin:/bin";
  return createProgram(environmentOf(settings), { user, folder: layout.dataFolder, path, streams });
}

type Start = { layout: Layout; config: Config; installation: Installation; answers: Answers; isFinished: boolean };

/**
 * Starts the service, lets the proxy load its file, and waits until the service is ready. Until setup is finished, the
 * proxy loads its file again: an earlier setup may have ended before it did. Throws CommandError (failed).
 */
async function start({ output }: CommandLine, { layout, config, installation, answers, isFinished }: Start) {
  const { proxyFile, isChanged } = installation;
  const isUsable = proxyFile !== null && proxyFile.problem.length === 0;
  const proxy = isUsable && (proxyFile.isNew || !isFinished) ? answers.proxy : null;
  const service = findSystemService(layout.root, { again: AGAIN });
  if (service === null) {
    output.note("systemd does not run here. Start the service as its user:\n  gatehouse serve");
    if (proxy !== null) output.note(`Then start or reload ${proxy}.`);
  } else {
    for (const command of commandsOfStart({ isChanged, proxy })) {
      output.note(`systemctl ${command.join(" ")}`);
      service.systemctl(...command);
    }
    const problem = await service.waitUntilReady(config);
    if (problem !== null) {
      throw new CommandError(EXIT.failed, [...problem, `Solve the problem, then run ${AGAIN} again, which continues.`]);
    }
  }
  for (const text of proxyFile?.problem ?? []) output.note(text);
}

const AGAIN = "gatehouse setup";

/** `isChanged`: a running service has to be restarted. `proxy`: the service that has to load its file. */
function commandsOfStart({ isChanged, proxy }: { isChanged: boolean; proxy: string | null }): string[][] {
  return [
    ["daemon-reload"],
    ["enable", "gatehouse"],
    [isChanged ? "restart" : "start", "gatehouse"],
    ...(proxy === null ? [] : [["reload-or-restart", proxy]]),
  ];
}

/** Returns which link to create: on a terminal, the user decides whether a new one ends the earlier one. */
async function linkWanted(
  streams: CommandLine["streams"],
  state: AdministratorState,
  { newLink, timeZone }: Pick<SetupOptions, "newLink"> & { timeZone: string },
) {
  if (newLink) return "new";
  if (state.kind !== "waiting" || state.linkExpiresAt === null || !isInteractive(streams)) return "missing";
  const valid = `A link was created before; it is valid until ${timeText(state.linkExpiresAt, timeZone)}.`;
  const answer = await prompt(streams, `${valid} Create a new one, which ends it? [y/N] `);
  return /^y(es)?$/i.test(answer?.trim() ?? "") ? "new" : "missing";
}
