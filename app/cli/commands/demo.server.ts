import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { stopSignal } from "#app/cli/output/signals.server.ts";
import { table } from "#app/cli/output/table.ts";
import type { Serve, ServeOptions } from "#app/cli/serve.ts";
import type { Config } from "#app/config/config.ts";
import { createBaseContext, createLog, systemRandom } from "#app/context.server.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import type { FileListener } from "#app/mail/transport.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import type { FakeProviders } from "#demo/fake-provider/demo-providers.ts";
import { DEMO_PEOPLE, readDemoPasswords } from "./demo-accounts.server.ts";
import { ensureDemoConnections } from "./demo-connections.server.ts";
import { type DemoClientUris, ensureDemoClient, ensureDemoPeople } from "./demo-data.server.ts";
import { demoEnvironment, ensureDemoKey } from "./demo-environment.server.ts";

type DemoOptions = { json?: boolean };

/** `gatehouse demo`: a server with a few people, and a small application that they can sign in to. */
export function addDemoCommand(program: Command, line: CommandLine, serve: Serve): void {
  const command = program
    .command("demo")
    .description("try it out: a server with a few accounts and an application to sign in to, in data/demo")
    .addOption(jsonOption())
    .action((options: DemoOptions) => runDemo(line, serve, options));
  examples(command, ["demo", "PORT=4000 DEMO_APP_PORT=4001 gatehouse demo"]);
}

async function runDemo({ env, output }: CommandLine, serve: Serve, options: DemoOptions) {
  const demo = demoEnvironment(env);
  ensureDemoKey(systemRandom);
  const passwords = readDemoPasswords(systemRandom);
  // Read on demand, as the application below: no other command needs the providers.
  const { prepareFakeProviders } = await import("#demo/fake-provider/demo-providers.ts");
  const fakeProviders = await prepareFakeProviders({ port: demo.providersPort, serviceUrl: demo.issuer });
  const { config } = requireConfig({ ...demo.env, ...fakeProviders.env });
  const setting = { config, log: createLog(config.logLevel) };
  // The server comes first: it alone may hold the demo's database, and a second demo ends here before it changes anything.
  const fileListener: FileListener = (mail, file) => output.note(tellMail(mail, { file, issuer: config.issuer }));
  const service = await serve({ ...setting, development: false, fileListener });
  const running: { close(): Promise<unknown> }[] = [service];
  try {
    running.unshift(await fakeProviders.start());
    const app = await startApp(setting, demo.appPort, { passwords, issuers: fakeProviders.issuers });
    running.unshift(app);
    const told = {
      issuer: config.issuer,
      appUrl: app.url,
      providersUrl: fakeProviders.url,
      accounts: accountsOf(passwords),
    };
    // Whoever reads what follows may stop the demo at once.
    const stopped = stopSignal();
    if (options.json) output.json(told);
    else output.lines(tell(told));
    await stopped;
  } finally {
    for (const part of running) await part.close();
  }
}

/** What the demo puts into its database. */
type DemoPeople = { passwords: ReadonlyMap<string, string>; issuers: FakeProviders["issuers"] };

/** Prepares the database beside the running server, and starts the application. */
async function startApp({ config, log }: Pick<ServeOptions, "config" | "log">, port: number, people: DemoPeople) {
  // Read on demand: no other command needs the application.
  const { demoAppUris, startDemoApp } = await import("#demo/app.ts");
  const { clientId, clientSecret } = await prepare({ config, log }, demoAppUris(port), people);
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
  { passwords, issuers }: DemoPeople,
) {
  const context = await createBaseContext({ ...setting, epochOf: takeIntoService });
  try {
    await ensureDemoPeople(context, passwords);
    await ensureDemoConnections(context, issuers);
    return await ensureDemoClient(context, uris);
  } finally {
    await context.store.close();
  }
}

/** Nobody gets the demo's mails: what they ask for is said here. */
function tellMail({ to, subject, text }: MailMessage, { file, issuer }: { file: string; issuer: string }): string {
  const links = text.split(/\s+/).filter((word) => word.startsWith(`${issuer}/`));
  return [`Mail to ${to.name}: ${subject} (${file})`, ...links.map((link) => `  ${link}`)].join("\n");
}

type Account = { username: string; displayName: string; password: string };

function accountsOf(passwords: ReadonlyMap<string, string>): Account[] {
  return DEMO_PEOPLE.map(({ username, displayName }) => ({
    username,
    displayName,
    password: passwords.get(username) ?? "",
  }));
}

type Told = { issuer: string; appUrl: string; providersUrl: string; accounts: Account[] };

function tell({ issuer, appUrl, providersUrl, accounts }: Told): string[] {
  const rows = accounts.map(({ username, password, displayName }) => [username, password, displayName]);
  return [
    "",
    `Gatehouse runs at ${issuer}, and beside it a small application whose people sign in with it.`,
    "",
    ...table(["user name", "password", "name"], rows).map((row) => `  ${row}`),
    "",
    `Three small OpenID providers at ${providersUrl} play Google, Microsoft and Apple: press their buttons too. Anna's`,
    "Google account opens both of hers; Eva has none yet and can register.",
    "",
    `Now open ${appUrl} and press Sign in. Ctrl-C stops all of it.`,
  ];
}
