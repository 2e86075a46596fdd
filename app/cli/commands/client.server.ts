import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { requireConfirmation } from "#app/cli/output/confirmation.server.ts";
import { facts, table, timeText, yesNo } from "#app/cli/output/table.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { type ClientView, listClients, showClient } from "#app/domain/client/show.server.ts";
import { addClientAddCommand } from "./client-add.server.ts";
import { printCredentials } from "./client-credentials.server.ts";
import { addClientSet } from "./client-set.server.ts";
import { addClientConsents } from "./consents.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse client`: the applications that people sign in to. */
export function addClientCommands(program: Command, line: CommandLine): void {
  const client = program.command("client").description("register, show and remove the applications people sign in to");
  examples(client, [
    'client add --name "Broker Desk" --redirect-uri https://desk.example.com/callback --snippet openid-client',
    "client list",
    "client rotate-secret broker-desk",
  ]);
  addClientAddCommand(client, line);
  addList(client, line);
  addShow(client, line);
  addClientSet(client, line);
  addRotateSecret(client, line);
  addClientConsents(client, line);
  addRemove(client, line);
}

function addList(client: Command, line: CommandLine): void {
  const command = client
    .command("list")
    .description("list all applications by client_id")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(command, ["client list"]);
}

async function runList({ output, withContext }: CommandLine, options: JsonOption) {
  const clients = await withContext(listClients);
  if (options.json) return output.json(clients.map(underWireName));
  if (clients.length === 0) return output.note("There are no clients yet.");
  return output.lines(
    table(
      ["client_id", "name", "kind", "consent"],
      clients.map((client) => [
        client.id,
        client.name,
        client.public ? "public" : "confidential",
        client.firstParty ? "not asked" : "asked",
      ]),
    ),
  );
}

function addShow(client: Command, line: CommandLine): void {
  const command = client
    .command("show")
    .description("show one application; its secret is never shown")
    .argument("<client_id>", "the application's client_id")
    .addOption(jsonOption())
    .action((clientId: string, options: JsonOption) => runShow(line, clientId, options));
  examples(command, ["client show broker-desk"]);
}

async function runShow({ output, withContext }: CommandLine, clientId: string, options: JsonOption) {
  const client = await withContext((context) => showClient(context, clientId));
  return options.json ? output.json(underWireName(client)) : output.lines(factsOf(client));
}

/** A client's id is called client_id wherever it leaves the house. */
function underWireName({ id, ...rest }: ClientView) {
  return { clientId: id, ...rest };
}

function factsOf(client: ClientView): string[] {
  return facts([
    ["client_id", client.id],
    ["name", client.name],
    ["kind", client.public ? "public" : "confidential"],
    ["redirect URIs", client.redirectUris],
    ["after sign-out", client.postLogoutRedirectUris],
    ["scopes", client.scopes.join(" ")],
    ["consent", client.firstParty ? "not asked (first party)" : "asked"],
    ["PKCE required", yesNo(client.requirePkce)],
    ["authentication", client.authMethod],
    ["ID tokens", client.idTokenAlg],
    ["response modes", client.responseModes?.join(" ") ?? "any"],
    ["confirms account", yesNo(client.confirmAccount)],
    ["registers people at", client.registrationUrl ?? []],
    ["registration hints", client.regHints.join(" ") || []],
    ["may open settings", yesNo(client.mayOpenSettings)],
    ["back from settings to", client.settingsReturnUris],
    ["may introspect", yesNo(client.mayIntrospect)],
    ["may repeat a refresh", yesNo(!client.public || client.refreshLeeway)],
    ["back-channel logout", client.backchannelLogoutUri ?? []],
    ["sign-in starts at", client.initiateLoginUri ?? []],
    ["home page", client.clientUri ?? []],
    ["privacy notice", client.policyUri ?? []],
    ["added", timeText(client.createdAt)],
  ]);
}

function addRotateSecret(client: Command, line: CommandLine): void {
  const command = client
    .command("rotate-secret")
    .description("give an application another secret; the old one is dead at once")
    .argument("<client_id>", "the application's client_id")
    .addOption(jsonOption())
    .action((clientId: string, options: JsonOption) => runRotateSecret(line, clientId, options));
  examples(command, ["client rotate-secret broker-desk --json"]);
}

async function runRotateSecret({ output, withContext }: CommandLine, clientId: string, options: JsonOption) {
  const credentials = await withContext((context) => rotateClientSecret(context, clientId));
  return options.json ? output.json(credentials) : printCredentials(output, credentials);
}

type RemoveOptions = JsonOption & { yes?: boolean };

function addRemove(client: Command, line: CommandLine): void {
  const command = client
    .command("remove")
    .description("remove an application and the consents that were given to it")
    .argument("<client_id>", "the application's client_id")
    .option("--yes", "do not ask; needed where there is no terminal")
    .addOption(jsonOption())
    .action((clientId: string, options: RemoveOptions) => runRemove(line, clientId, options));
  examples(command, ["client remove broker-desk", "client remove broker-desk --yes"]);
}

async function runRemove({ streams, output, withContext }: CommandLine, clientId: string, options: RemoveOptions) {
  await withContext(async (context) => {
    const { name } = await showClient(context, clientId);
    await requireConfirmation(streams, {
      yes: options.yes ?? false,
      question: `Remove ${clientId} (${name})? Nobody can sign in to it any longer.`,
    });
    await removeClient(context, clientId);
  });
  return options.json ? output.json({ clientId }) : output.lines([`Removed ${clientId}.`]);
}
