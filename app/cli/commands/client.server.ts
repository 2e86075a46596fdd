import { Argument, type Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import { properties, table, yesNo } from "#app/cli/output/table.ts";
import { SNIPPETS, type SnippetKind, snippetFor } from "#app/cli/snippets/snippet.ts";
import { describeAccess } from "#app/domain/client/access.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { rotateClientSecret } from "#app/domain/client/rotate-secret.server.ts";
import { type ClientView, listClients, showClient } from "#app/domain/client/show.server.ts";
import { addClientAddCommand, printCredentials } from "./client-add.server.ts";
import { addClientPreview } from "./client-preview.server.ts";
import { addClientSet } from "./client-set.server.ts";
import { addClientTry } from "./client-try.server.ts";
import { addClientConsents } from "./consents.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse client`. */
export function addClientCommands(program: Command, line: CommandLine): void {
  const client = program.command("client").description("register, show, change and remove clients (applications)");
  examples(client, [
    'client add --name "Broker Desk" --redirect-uri https://desk.example.com/callback --everyone --snippet openid-client',
    "client list",
    "client rotate-secret broker-desk",
  ]);
  addClientAddCommand(client, line);
  addList(client, line);
  addShow(client, line);
  addClientSet(client, line);
  addSnippet(client, line);
  addClientTry(client, line);
  addClientPreview(client, line);
  addRotateSecret(client, line);
  addClientConsents(client, line);
  addRemove(client, line);
}

function addList(client: Command, line: CommandLine): void {
  const command = client
    .command("list")
    .description("list all clients by client_id")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(command, ["client list"]);
}

async function runList({ output, withExistingContext }: CommandLine, options: JsonOption) {
  const clients = await withExistingContext(listClients);
  if (options.json) return output.json(clients.map(withClientId));
  if (clients.length === 0) return output.note("There are no clients yet.");
  return output.lines(
    table(
      ["client_id", "name", "kind", "consent", "open to"],
      clients.map((client) => [
        client.id,
        client.name,
        client.public ? "public" : "confidential",
        client.firstParty ? "not asked" : "asked",
        accessText(client),
      ]),
    ),
  );
}

/** Returns to whom a client is open; "-" for one that signs no users in. */
function accessText(client: ClientView): string {
  return client.redirectUris.length === 0 ? "-" : describeAccess(client);
}

function addShow(client: Command, line: CommandLine): void {
  const command = client
    .command("show")
    .description("show a client; its secret is never shown")
    .argument("<client_id>", "client_id of the client")
    .addOption(jsonOption())
    .action((clientId: string, options: JsonOption) => runShow(line, clientId, options));
  examples(command, ["client show broker-desk"]);
}

async function runShow({ output, withExistingContext }: CommandLine, clientId: string, options: JsonOption) {
  const client = await withExistingContext((context) => showClient(context, clientId));
  return options.json ? output.json(withClientId(client)) : output.lines(clientLines(client, output.time));
}

/** JSON output names the id of a client `client_id`. */
function withClientId({ id, ...rest }: ClientView) {
  return { clientId: id, ...rest };
}

function clientLines(client: ClientView, timeText: CommandLine["output"]["time"]): string[] {
  return properties([
    ["client_id", client.id],
    ["name", client.name],
    ["kind", client.public ? "public" : "confidential"],
    ["redirect URIs", client.redirectUris],
    ["after sign-out", client.postLogoutRedirectUris],
    ["scopes", client.scopes.join(" ")],
    ["consent", client.firstParty ? "not asked (first party)" : "asked"],
    ["open to", accessText(client)],
    ["second factor", client.requireMfa ? "required" : "as configured"],
    ["PKCE required", yesNo(client.requirePkce)],
    ["authentication", client.authMethod],
    ["ID tokens", client.idTokenAlg],
    ["response modes", client.responseModes?.join(" ") ?? "any"],
    ["confirm account", yesNo(client.confirmAccount)],
    ["registration URL", client.registrationUrl ?? []],
    ["registration hints", client.regHints.join(" ") || []],
    ["may open settings", yesNo(client.mayOpenSettings)],
    ["settings return URIs", client.settingsReturnUris],
    ["may introspect", yesNo(client.mayIntrospect)],
    ["refresh leeway", yesNo(!client.public || client.refreshLeeway)],
    ["back-channel logout", client.backchannelLogoutUri ?? []],
    ["initiate login URI", client.initiateLoginUri ?? []],
    ["home page", client.clientUri ?? []],
    ["privacy policy", client.policyUri ?? []],
    ["logo", client.logo?.mediaType ?? []],
    ["added", timeText(client.createdAt)],
  ]);
}

function addSnippet(client: Command, line: CommandLine): void {
  const command = client
    .command("snippet")
    .description("print sample code for a client; it reads the client secret from the environment")
    .argument("<client_id>", "client_id of the client")
    .addArgument(new Argument("<library>", "library or module of the application").choices(SNIPPETS))
    .addOption(jsonOption())
    .action((clientId: string, kind: SnippetKind, options: JsonOption) => runSnippet(line, clientId, kind, options));
  examples(command, ["client snippet broker-desk openid-client", "client snippet broker-desk spring"]);
}

async function runSnippet(
  { output, withExistingContext }: CommandLine,
  clientId: string,
  kind: SnippetKind,
  options: JsonOption,
) {
  const snippet = await withExistingContext(async (context) =>
    snippetFor(kind, context.config.issuer, await showClient(context, clientId)),
  );
  return options.json ? output.json({ clientId, snippet }) : output.lines([snippet]);
}

function addRotateSecret(client: Command, line: CommandLine): void {
  const command = client
    .command("rotate-secret")
    .description("replace the secret of a client; the previous one stops working immediately")
    .argument("<client_id>", "client_id of the client")
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
    .description("remove a client and all consents to it, and log its users out there (back-channel logout)")
    .argument("<client_id>", "client_id of the client")
    .option("--yes", "skip the confirmation; required without a terminal")
    .addOption(jsonOption())
    .action((clientId: string, options: RemoveOptions) => runRemove(line, clientId, options));
  examples(command, ["client remove broker-desk", "client remove broker-desk --yes"]);
}

async function runRemove({ streams, output, withContext }: CommandLine, clientId: string, options: RemoveOptions) {
  await withContext(async (context) => {
    const { name } = await showClient(context, clientId);
    await requireConfirmation(streams, {
      yes: options.yes ?? false,
      question: `Remove ${clientId} (${name})? Users can no longer sign in to it.`,
    });
    await removeClient(context, clientId);
  });
  return options.json ? output.json({ clientId }) : output.lines([`Removed client ${clientId}.`]);
}
