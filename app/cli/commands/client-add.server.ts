import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { addClient } from "#app/domain/client/add.server.ts";
import { type NewClientInput, RESPONSE_MODES } from "#app/domain/client/new-client.ts";
import { showClient } from "#app/domain/client/show.server.ts";
import { printCredentials } from "./client-credentials.server.ts";
import { SNIPPETS, type SnippetKind, snippetFor } from "./client-snippet.ts";

/** As they are typed: what may be repeated is named in the singular, and PKCE is what can be switched off. */
type AddOptions = Omit<
  NewClientInput,
  "redirectUris" | "postLogoutRedirectUris" | "scopes" | "responseModes" | "regHints" | "settingsReturnUris"
> & {
  json?: boolean;
  redirectUri: string[];
  postLogoutRedirectUri?: string[];
  scope?: string[];
  responseMode?: NonNullable<NewClientInput["responseModes"]>;
  regHint?: string[];
  settingsReturnUri?: string[];
  pkce: boolean;
  snippet?: SnippetKind;
};

const RESPONSE_MODE_HELP = `an answer it may ask for: ${RESPONSE_MODES.join(", ")}; repeat for several (without: any)`;

/** `gatehouse client add`. */
export function addClientAddCommand(client: Command, line: CommandLine): void {
  const command = client
    .command("add")
    .description("register an application; its secret is printed this once")
    .option("--id <client_id>", "the client_id; one is made without it")
    .requiredOption("--name <text>", "the name people see when they are asked")
    .requiredOption("--redirect-uri <uri>", "where a sign-in may end; repeat for several", repeated)
    .option("--post-logout-redirect-uri <uri>", "where a sign-out may end; repeat for several", repeated)
    .option("--scope <id>", "a scope it may ask for; repeat for several (without: openid profile email)", repeated)
    .option("--first-party", "an application of your own: nobody is asked for consent")
    .option("--public", "an application that cannot keep a secret: in a browser, on a phone")
    .option("--no-pkce", "accept sign-ins without PKCE; only for applications that cannot do it")
    .addOption(
      new Option("--auth-method <method>", "how it proves who it is (without: client_secret_basic)").choices([
        "client_secret_basic",
        "client_secret_post",
        "client_secret_jwt",
      ]),
    )
    .addOption(
      new Option("--id-token-alg <alg>", "how its ID tokens are signed (without: RS256)").choices(["RS256", "ES256"]),
    )
    .option("--response-mode <mode>", RESPONSE_MODE_HELP, repeated)
    .option("--confirm-account", "show people who they are signed in as before going on")
    .option("--registration-url <uri>", "where it registers people who have no account yet")
    .option("--reg-hint <key>", "a hint for it that a sign-in request may carry; repeat for several", repeated)
    .option("--may-open-settings", "it may open the login settings of people who are signed in to it")
    .option("--settings-return-uri <uri>", "where the login settings lead back to; repeat for several", repeated)
    .option("--may-introspect", "a resource server: it may ask about everybody's tokens")
    .option("--refresh-leeway", "a public application that may repeat a refresh within 10 seconds")
    .option("--backchannel-logout-uri <uri>", "told by the server when a session ends")
    .option("--initiate-login-uri <uri>", "where a sign-in starts anew when one has expired")
    .option("--client-uri <uri>", "its home page, shown to people")
    .option("--policy-uri <uri>", "its privacy notice, linked where people are asked for consent")
    .addOption(new Option("--snippet <kind>", "print a start in code as well").choices(SNIPPETS))
    .addOption(jsonOption())
    .action((options: AddOptions) => runAdd(line, options));
  examples(command, [
    'client add --id broker-desk --name "Broker Desk" --redirect-uri https://desk.example.com/callback --json',
    'client add --name "Phone" --public --redirect-uri com.example.phone:/callback --scope openid --scope offline',
  ]);
}

async function runAdd({ output, withContext }: CommandLine, options: AddOptions) {
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

function toNewClient({ json: _json, snippet: _snippet, pkce, ...options }: AddOptions): NewClientInput {
  const { redirectUri, postLogoutRedirectUri, scope, responseMode, regHint, settingsReturnUri, ...same } = options;
  return {
    ...same,
    redirectUris: redirectUri,
    postLogoutRedirectUris: postLogoutRedirectUri,
    scopes: scope,
    requirePkce: pkce,
    responseModes: responseMode,
    regHints: regHint,
    settingsReturnUris: settingsReturnUri,
  };
}
