import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { jsonOption } from "#app/cli/command-options.ts";
import { stopSignal } from "#app/cli/output/signals.server.ts";
import { table } from "#app/cli/output/table.ts";
import type { Serve, ServeOptions } from "#app/cli/service.ts";
import type { Config } from "#app/config/config.ts";
import { createBaseContext, createLog, systemRandom } from "#app/context.server.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import type { FileListener } from "#app/mail/transport.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { type FakeProviders, prepareFakeProviders } from "#demo/fake-provider/demo-providers.ts";
import { demoAppUris, startDemoApp } from "./app.ts";
import { DEMO_USERS, type DemoClientUris, ensureDemoClient, ensureDemoConnections, ensureDemoUsers } from "./data.ts";
import { demoEnvironment, ensureDemoKey, readDemoPasswords } from "./environment.ts";

type DemoOptions = { json?: boolean };

/** The demo: a server with a few users, a small application, and three fake providers. */
export function addDemoCommand(program: Command, line: CommandLine, serve: Serve): void {
  program
    .command("demo")
    .description("run a demo in data/demo: a server with a few users, and an application to sign in to")
    .addOption(jsonOption())
    .action((options: DemoOptions) => runDemo(line, serve, options));
}

async function runDemo({ env, output }: CommandLine, serve: Serve, options: DemoOptions) {
  const demo = demoEnvironment(env);
  ensureDemoKey(systemRandom);
  const passwords = readDemoPasswords(systemRandom);
  const fakeProviders = await prepareFakeProviders({ port: demo.providersPort, serviceUrl: demo.issuer });
  const { config } = requireConfig({ ...demo.env, ...fakeProviders.env });
  const setting = { config, log: createLog(config.logLevel) };
  // The server starts first: it takes the server lock, so that a second demo fails here before it changes anything.
  const fileListener: FileListener = (mail, file) => output.note(mailText(mail, { file, issuer: config.issuer }));
  const server = await serve({ ...setting, fileListener });
  const running: { close(): Promise<unknown> }[] = [server];
  try {
    running.unshift(await fakeProviders.start());
    const app = await startApp(setting, demo.appPort, { passwords, issuers: fakeProviders.issuers });
    running.unshift(app);
    const started = {
      issuer: config.issuer,
      appUrl: app.url,
      providersUrl: fakeProviders.url,
      accounts: accountsOf(passwords),
    };
    // Registered before the output, because its reader may stop the demo immediately.
    const stopped = stopSignal();
    if (options.json) output.json(started);
    else output.lines(startLines(started));
    await stopped;
  } finally {
    for (const service of running) await service.close();
  }
}

/** Accounts of the demo: passwords by user name, and issuers of the fake providers. */
type DemoAccounts = { passwords: ReadonlyMap<string, string>; issuers: FakeProviders["issuers"] };

/** Writes the demo's data to the database of the running server and starts the application. */
async function startApp({ config, log }: Pick<ServeOptions, "config" | "log">, port: number, accounts: DemoAccounts) {
  const { clientId, clientSecret } = await prepare({ config, log }, demoAppUris(port), accounts);
  return startDemoApp({
    issuer: config.issuer,
    issuerName: config.productName,
    port,
    clientId,
    clientSecret: clientSecret ?? "",
    allowInsecure: true,
  });
}

async function prepare(
  setting: { config: Config; log: ServeOptions["log"] },
  uris: DemoClientUris,
  { passwords, issuers }: DemoAccounts,
) {
  const context = await createBaseContext({ ...setting, epochOf: takeIntoService });
  try {
    await ensureDemoUsers(context, passwords);
    await ensureDemoConnections(context, issuers);
    return await ensureDemoClient(context, uris);
  } finally {
    await context.store.close();
  }
}

/** Describes a mail that was written to a file, with its links. */
function mailText({ to, subject, text }: MailMessage, { file, issuer }: { file: string; issuer: string }): string {
  const links = text.split(/\s+/).filter((word) => word.startsWith(`${issuer}/`));
  return [`Mail to ${to.name || to.address}: ${subject} (${file})`, ...links.map((link) => `  ${link}`)].join("\n");
}

type Account = { username: string; displayName: string; password: string };

function accountsOf(passwords: ReadonlyMap<string, string>): Account[] {
  return DEMO_USERS.map(({ username, displayName }) => ({
    username,
    displayName,
    password: passwords.get(username) ?? "",
  }));
}

type Started = { issuer: string; appUrl: string; providersUrl: string; accounts: Account[] };

function startLines({ issuer, appUrl, providersUrl, accounts }: Started): string[] {
  const rows = accounts.map(({ username, password, displayName }) => [username, password, displayName]);
  return [
    "",
    `Gatehouse runs at ${issuer}, with a small application whose users sign in with it.`,
    "",
    ...table(["user name", "password", "name"], rows).map((row) => `  ${row}`),
    "",
    `Three fake OpenID providers at ${providersUrl} replace Google, Microsoft and Apple. Anna's Google account is`,
    "connected to both of her accounts; Eva has no account yet and can register.",
    "",
    `Carla administers people and groups at ${issuer}/manage/admin. Her first sign-in sets up a second factor.`,
    "",
    `Open ${appUrl} and press Sign in. Press Ctrl-C to stop the demo.`,
  ];
}
