import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { RESPONSE_MODES } from "#app/domain/client/new-client.ts";
import { type ClientChanges, setClient } from "#app/domain/client/set.server.ts";

/** As they are typed: false where `--no-…` takes something away. */
type SetOptions = {
  name?: string;
  redirectUri?: string[];
  postLogoutRedirectUri?: string[] | false;
  scope?: string[];
  firstParty?: boolean;
  pkce?: boolean;
  authMethod?: NonNullable<ClientChanges["authMethod"]>;
  idTokenAlg?: NonNullable<ClientChanges["idTokenAlg"]>;
  responseMode?: NonNullable<ClientChanges["responseModes"]> | false;
  confirmAccount?: boolean;
  registrationUrl?: string | false;
  regHint?: string[] | false;
  mayOpenSettings?: boolean;
  settingsReturnUri?: string[] | false;
  mayIntrospect?: boolean;
  refreshLeeway?: boolean;
  backchannelLogoutUri?: string | false;
  initiateLoginUri?: string | false;
  clientUri?: string | false;
  policyUri?: string | false;
  json?: boolean;
};

const KIND =
  "What is repeated takes the place of all there was. Whether it keeps a secret stays: remove it and add another one.";

/** `gatehouse client set`. */
export function addClientSet(client: Command, line: CommandLine): void {
  const command = client
    .command("set")
    .description("change an application; what is not named stays as it is")
    .argument("<client_id>", "the application's client_id");
  addOptions(command);
  command
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `\n${KIND}\nWith fewer scopes, or without --first-party, all it holds ends: codes and tokens.`,
    )
    .action((clientId: string, options: SetOptions) => runSet(line, clientId, options));
  examples(command, [
    "client set broker-desk --redirect-uri https://desk.example.com/callback --redirect-uri https://new.example.com/callback",
    "client set broker-desk --scope openid --scope profile --no-first-party",
    "client set broker-desk --no-policy-uri --json",
  ]);
}

function addOptions(command: Command): void {
  command
    .option("--name <text>", "the name people see when they are asked")
    .option("--redirect-uri <uri>", "where a sign-in may end; repeat for several", repeated)
    .option("--post-logout-redirect-uri <uri>", "where a sign-out may end; repeat for several", repeated)
    .option("--no-post-logout-redirect-uri", "a sign-out ends at our own page")
    .option("--scope <id>", "a scope it may ask for; repeat for several", repeated)
    .option("--first-party", "nobody is asked for consent")
    .option("--no-first-party", "people are asked for consent")
    .option("--pkce", "accept sign-ins with PKCE only")
    .option("--no-pkce", "accept sign-ins without PKCE; only for applications that cannot do it")
    .addOption(
      new Option("--auth-method <method>", "how it proves who it is").choices([
        "client_secret_basic",
        "client_secret_post",
        "client_secret_jwt",
      ]),
    )
    .addOption(new Option("--id-token-alg <alg>", "how its ID tokens are signed").choices(["RS256", "ES256"]))
    .option("--response-mode <mode>", `an answer it may ask for: ${RESPONSE_MODES.join(", ")}; repeat`, repeated)
    .option("--no-response-mode", "it may ask for any")
    .option("--confirm-account", "show people who they are signed in as before going on")
    .option("--no-confirm-account", "use a living session without a question")
    .option("--registration-url <uri>", "where it registers people who have no account yet")
    .option("--no-registration-url", "it registers nobody")
    .option("--reg-hint <key>", "a hint for it that a sign-in request may carry; repeat for several", repeated)
    .option("--no-reg-hint", "it takes no hints")
    .option("--may-open-settings", "it may open the login settings of people who are signed in to it")
    .option("--no-may-open-settings", "it may not")
    .option("--settings-return-uri <uri>", "where the login settings lead back to; repeat for several", repeated)
    .option("--no-settings-return-uri", "they lead back nowhere")
    .option("--may-introspect", "a resource server: it may ask about everybody's tokens")
    .option("--no-may-introspect", "it may ask about its own tokens")
    .option("--refresh-leeway", "a public application that may repeat a refresh within 10 seconds")
    .option("--no-refresh-leeway", "a refresh token that comes twice revokes the sign-in at once")
    .option("--backchannel-logout-uri <uri>", "told by the server when a session ends")
    .option("--no-backchannel-logout-uri", "it is not told")
    .option("--initiate-login-uri <uri>", "where a sign-in starts anew when one has expired")
    .option("--no-initiate-login-uri", "people start anew at APP_URL")
    .option("--client-uri <uri>", "its home page, shown to people")
    .option("--no-client-uri", "it has no home page")
    .option("--policy-uri <uri>", "its privacy notice, linked where people are asked for consent")
    .option("--no-policy-uri", "it has no privacy notice");
}

async function runSet({ output, withContext }: CommandLine, clientId: string, options: SetOptions) {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) {
    throw new CommandError(EXIT.usage, ["Say what to change; --help names everything that can."]);
  }
  const { id, ...client } = await withContext((context) => setClient(context, clientId, changes));
  return options.json ? output.json({ clientId: id, ...client }) : output.lines([`Changed ${id}.`]);
}

/** What each option is called inside, and what it becomes when `--no-…` takes it away. */
const FIELDS = {
  name: { field: "name" },
  redirectUri: { field: "redirectUris" },
  postLogoutRedirectUri: { field: "postLogoutRedirectUris", without: [] },
  scope: { field: "scopes" },
  firstParty: { field: "firstParty" },
  pkce: { field: "requirePkce" },
  authMethod: { field: "authMethod" },
  idTokenAlg: { field: "idTokenAlg" },
  responseMode: { field: "responseModes", without: null },
  confirmAccount: { field: "confirmAccount" },
  registrationUrl: { field: "registrationUrl", without: null },
  regHint: { field: "regHints", without: [] },
  mayOpenSettings: { field: "mayOpenSettings" },
  settingsReturnUri: { field: "settingsReturnUris", without: [] },
  mayIntrospect: { field: "mayIntrospect" },
  refreshLeeway: { field: "refreshLeeway" },
  backchannelLogoutUri: { field: "backchannelLogoutUri", without: null },
  initiateLoginUri: { field: "initiateLoginUri", without: null },
  clientUri: { field: "clientUri", without: null },
  policyUri: { field: "policyUri", without: null },
} as const satisfies Record<keyof Omit<SetOptions, "json">, { field: keyof ClientChanges; without?: unknown }>;

function changesOf({ json: _json, ...options }: SetOptions): ClientChanges {
  const given = Object.entries(FIELDS).flatMap(([option, facts]) => {
    const value: unknown = new Map(Object.entries(options)).get(option);
    if (value === undefined) return [];
    return [[facts.field, value === false && "without" in facts ? facts.without : value]];
  });
  return Object.fromEntries(given);
}
