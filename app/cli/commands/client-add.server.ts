import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated, requireOptions } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Output } from "#app/cli/output/output.server.ts";
import { properties } from "#app/cli/output/table.ts";
import { requireUsable, SNIPPETS, type SnippetKind, snippetFor } from "#app/cli/snippets/snippet.ts";
import { addClient, type ClientCredentials } from "#app/domain/client/add.server.ts";
import { type NewClientInput, RESPONSE_MODES } from "#app/domain/client/new-client.ts";
import { showClient } from "#app/domain/client/show.server.ts";

/** Parsed options. Repeatable options have singular names; `--no-pkce` gives `pkce: false`. */
type AddOptions = Omit<
  NewClientInput,
  | "redirectUris"
  | "postLogoutRedirectUris"
  | "scopes"
  | "access"
  | "groups"
  | "responseModes"
  | "regHints"
  | "settingsReturnUris"
> & {
  json?: boolean;
  everyone?: true;
  allowGroup?: string[];
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  scope?: string[];
  responseMode?: NonNullable<NewClientInput["responseModes"]>;
  regHint?: string[];
  settingsReturnUri?: string[];
  pkce: boolean;
  snippet?: SnippetKind;
};

const RESPONSE_MODE_HELP = `allowed response mode: ${RESPONSE_MODES.join(", ")}; repeatable (default: all)`;

/** `gatehouse client add`. */
export function addClientAddCommand(client: Command, line: CommandLine): void {
  const command = client
    .command("add")
    .description("register a client; its secret is printed once")
    .option("--id <client_id>", "client_id (default: generated)")
    .option("--name <text>", "name shown on the consent page")
    .option("--redirect-uri <uri>", "allowed redirect URI; repeatable; required unless --may-introspect", repeated)
    .option("--post-logout-redirect-uri <uri>", "allowed redirect URI after logout; repeatable", repeated)
    .option("--scope <id>", "scope (default: openid profile email); repeatable", repeated)
    .addOption(everyoneOption("open to every user"))
    .option("--allow-group <name>", "open to the members of this group; repeatable", repeated)
    .option("--first-party", "first-party client: consent is not requested")
    .option("--require-mfa", "require a second factor of every user")
    .option("--public", "public client without a secret: a browser or mobile application")
    .option("--no-pkce", "accept authorization requests without PKCE; only for clients that do not support it")
    .addOption(
      new Option("--auth-method <method>", "client authentication method (default: client_secret_basic)").choices([
        "client_secret_basic",
        "client_secret_post",
        "client_secret_jwt",
      ]),
    )
    .addOption(
      new Option("--id-token-alg <alg>", "signing algorithm of ID tokens (default: RS256)").choices(["RS256", "ES256"]),
    )
    .option("--response-mode <mode>", RESPONSE_MODE_HELP, repeated)
    .option("--confirm-account", "show the signed-in account before continuing")
    .option("--registration-url <uri>", "URL where the client registers users without an account")
    .option("--reg-hint <key>", "registration hint that an authorization request may contain; repeatable", repeated)
    .option("--may-open-settings", "allow the client to open the login settings of its users")
    .option("--settings-return-uri <uri>", "allowed return URL of the login settings; repeatable", repeated)
    .option("--may-introspect", "resource server: allow introspection of all tokens")
    .option("--refresh-leeway", "public client: allow a refresh token to be used again within 10 seconds")
    .option("--backchannel-logout-uri <uri>", "URL that receives back-channel logout tokens")
    .option("--initiate-login-uri <uri>", "URL that starts a sign-in, from the start page and after an expired one")
    .option("--client-uri <uri>", "home page, linked on the start page and the pages of a sign-in")
    .option("--policy-uri <uri>", "privacy policy, linked on the consent page")
    .addOption(new Option("--snippet <kind>", "also print sample code").choices(SNIPPETS))
    .addOption(jsonOption())
    .action((options: AddOptions) => runAdd(line, options));
  requireOptions(command, "--name");
  examples(command, [
    'client add --id broker-desk --name "Broker Desk" --redirect-uri https://desk.example.com/callback --everyone',
    'client add --name "Ledger" --redirect-uri https://ledger.example.com/callback --allow-group Accounting --json',
    'client add --id orders-api --name "Orders API" --may-introspect',
    'client add --name "Phone" --public --redirect-uri com.example.phone:/callback --scope openid --scope offline --everyone',
  ]);
}

/** Returns the option --everyone, which excludes those for groups. */
export function everyoneOption(description: string): Option {
  return new Option("--everyone", description).conflicts(["allowGroup", "disallowGroup"]);
}

async function runAdd({ output, withContext }: CommandLine, options: AddOptions) {
  requireAccess(options);
  // Before the client is registered, because its secret is printed once.
  if (options.snippet) requireUsable(options.snippet, snippetClient(options));
  const { credentials, snippet } = await withContext(async (context) => {
    const added = await addClient(context, toNewClient(options));
    const view = await showClient(context, added.clientId);
    const { issuer } = context.config;
    return { credentials: added, snippet: options.snippet ? snippetFor(options.snippet, issuer, view) : null };
  });
  if (options.json) return output.json(snippet === null ? credentials : { ...credentials, snippet });
  printCredentials(output, credentials);
  if (snippet !== null) output.lines(["", snippet]);
}

/** An administrator decides who may use a client. A client without redirect URI signs no users in. */
function requireAccess({ everyone, allowGroup, redirectUri, mayIntrospect }: AddOptions): void {
  if (everyone || allowGroup || (mayIntrospect && !redirectUri)) return;
  throw new CommandError(EXIT.usage, [
    "missing option: one of --everyone, --allow-group",
    "  --everyone: every user may use the application",
    "  --allow-group NAME: only members of this group may; repeatable. List all groups: gatehouse group list",
  ]);
}

function snippetClient({ redirectUri = [], public: isPublic, authMethod, idTokenAlg = "RS256" }: AddOptions) {
  const method = isPublic ? ("none" as const) : (authMethod ?? "client_secret_basic");
  return { redirectUris: redirectUri, authMethod: method, idTokenAlg };
}

function toNewClient({ json: _json, snippet: _snippet, pkce, ...options }: AddOptions): NewClientInput {
  const { everyone, allowGroup = [], redirectUri, postLogoutRedirectUri, scope, ...others } = options;
  const { responseMode, regHint, settingsReturnUri, ...same } = others;
  return {
    ...same,
    // A client that signs no users in needs no decision and is closed, in case it gets a redirect URI later.
    access: everyone ? "everyone" : "groups",
    groups: allowGroup,
    redirectUris: redirectUri,
    postLogoutRedirectUris: postLogoutRedirectUri,
    scopes: scope,
    requirePkce: pkce,
    responseModes: responseMode,
    regHints: regHint,
    settingsReturnUris: settingsReturnUri,
  };
}

/** Prints client_id and client_secret as text. */
export function printCredentials(output: Output, { clientId, clientSecret }: ClientCredentials): void {
  const secret = clientSecret === null ? [] : [["client_secret", clientSecret] as const];
  output.lines(properties([["client_id", clientId], ...secret]));
  if (clientSecret !== null) output.note("Store the secret now: it is not shown again.");
}
