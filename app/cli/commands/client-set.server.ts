import { type Command, Option } from "commander";
import { openClient } from "#app/cli/client-try/open-client.ts";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Logo } from "#app/config/config.ts";
import { readLogo } from "#app/config/logo.server.ts";
import { describeAccess, isClosed } from "#app/domain/client/access.ts";
import { RESPONSE_MODES } from "#app/domain/client/new-client.ts";
import {
  type ChangedClient,
  type ClientChanges,
  previewClientChanges,
  setClient,
} from "#app/domain/client/set.server.ts";
import { everyoneOption } from "./client-add.server.ts";

/** Parsed options; `--no-…` gives false. `logo` is true without `--no-logo`. */
type SetOptions = {
  name?: string;
  redirectUri?: string[] | false;
  postLogoutRedirectUri?: string[] | false;
  scope?: string[];
  everyone?: true;
  allowGroup?: string[];
  disallowGroup?: string[];
  firstParty?: boolean;
  requireMfa?: boolean;
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
  logoFile?: string;
  logo: boolean;
  dryRun?: boolean;
  json?: boolean;
};

const NOTES = `
Repeatable options replace all previous values, except --allow-group and --disallow-group, which add and remove groups.
To change between public and confidential, remove and add the client.
Removing a scope, or --no-first-party, revokes all codes and tokens of the client. Closing the client for users, by
--allow-group of a client that is open to everyone or by --disallow-group, revokes those of these users and logs them out
at the client (back-channel logout). --dry-run shows how many there are.`;

/** `gatehouse client set`. */
export function addClientSet(client: Command, line: CommandLine): void {
  const command = client
    .command("set")
    .description("change a client; only the given options change")
    .argument("<client_id>", "client_id of the client");
  addOptions(command);
  command
    .option("--dry-run", "check the change and print how many users lose access; change nothing")
    .addOption(jsonOption())
    .addHelpText("after", NOTES)
    .action((clientId: string, options: SetOptions) => runSet(line, clientId, options));
  examples(command, [
    "client set broker-desk --redirect-uri https://desk.example.com/callback --redirect-uri https://new.example.com/callback",
    "client set broker-desk --scope openid --scope profile --no-first-party",
    "client set ledger --allow-group Accounting --dry-run",
    "client set ledger --disallow-group Sales --require-mfa",
    "client set ledger --logo-file ledger.svg",
    "client set broker-desk --no-policy-uri --json",
  ]);
}

function addOptions(command: Command): void {
  command
    .option("--name <text>", "name shown on the consent page")
    .option("--redirect-uri <uri>", "allowed redirect URI; repeatable", repeated)
    .option("--no-redirect-uri", "remove all; only for clients with --may-introspect, which then sign no users in")
    .option("--post-logout-redirect-uri <uri>", "allowed redirect URI after logout; repeatable", repeated)
    .option("--no-post-logout-redirect-uri", "remove all; a logout ends at the page of Gatehouse")
    .option("--scope <id>", "allowed scope; repeatable", repeated)
    .addOption(everyoneOption("open to every user; removes all groups"))
    .option(
      "--allow-group <name>",
      "open to the members of this group, and to no user outside of groups; repeatable",
      repeated,
    )
    .option("--disallow-group <name>", "no longer open to the members of this group; repeatable", repeated)
    .option("--first-party", "first-party client: consent is not requested")
    .option("--no-first-party", "consent is requested")
    .option("--require-mfa", "require a second factor of every user")
    .option("--no-require-mfa", "do not require one beyond MFA_POLICY, the groups and the users' own settings")
    .option("--pkce", "require PKCE")
    .option("--no-pkce", "accept authorization requests without PKCE; only for clients that do not support it")
    .addOption(
      new Option("--auth-method <method>", "client authentication method").choices([
        "client_secret_basic",
        "client_secret_post",
        "client_secret_jwt",
      ]),
    )
    .addOption(new Option("--id-token-alg <alg>", "signing algorithm of ID tokens").choices(["RS256", "ES256"]))
    .option("--response-mode <mode>", `allowed response mode: ${RESPONSE_MODES.join(", ")}; repeatable`, repeated)
    .option("--no-response-mode", "allow any response mode")
    .option("--confirm-account", "show the signed-in account before continuing")
    .option("--no-confirm-account", "use an active session without a question")
    .option("--registration-url <uri>", "URL where the client registers users without an account")
    .option("--no-registration-url", "remove the registration URL")
    .option("--reg-hint <key>", "registration hint that an authorization request may contain; repeatable", repeated)
    .option("--no-reg-hint", "remove all registration hints")
    .option("--may-open-settings", "allow the client to open the login settings of its users")
    .option("--no-may-open-settings", "do not allow it")
    .option("--settings-return-uri <uri>", "allowed return URL of the login settings; repeatable", repeated)
    .option("--no-settings-return-uri", "remove all return URLs")
    .option("--may-introspect", "resource server: allow introspection of all tokens")
    .option("--no-may-introspect", "allow introspection of its own tokens only")
    .option("--refresh-leeway", "public client: allow a refresh token to be used again within 10 seconds")
    .option("--no-refresh-leeway", "a reused refresh token revokes the grant")
    .option("--backchannel-logout-uri <uri>", "URL that receives back-channel logout tokens")
    .option("--no-backchannel-logout-uri", "remove the back-channel logout URL")
    .option("--initiate-login-uri <uri>", "URL that starts a sign-in, from the start page and after an expired one")
    .option("--no-initiate-login-uri", "a new sign-in starts at APP_URL")
    .option("--client-uri <uri>", "home page, linked on the start page and the pages of a sign-in")
    .option("--no-client-uri", "remove the home page")
    .option("--policy-uri <uri>", "privacy policy, linked on the consent page")
    .option("--no-policy-uri", "remove the privacy policy")
    .option("--logo-file <path>", "logo on the start page: an SVG or PNG file, as LOGO_FILE")
    .option("--no-logo", "remove the logo");
}

async function runSet({ output, withContext }: CommandLine, clientId: string, options: SetOptions) {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) {
    throw new CommandError(EXIT.usage, ["No change was given. Run the command with --help for all options."]);
  }
  const change = options.dryRun ? previewClientChanges : setClient;
  const { id, isChanged, ...client } = await withContext((context) => change(context, clientId, changes));
  if (options.json) return output.json({ clientId: id, ...client });
  const isAccessGiven = Boolean(options.everyone || options.allowGroup || options.disallowGroup);
  output.lines([
    resultLine(id, isChanged, options),
    ...(isAccessGiven || options.dryRun ? accessLines(client, options) : []),
  ]);
  if (client.redirectUris.length > 0 && isClosed(client)) output.note(`No user may use it. ${openClient(id)}`);
}

function resultLine(id: string, isChanged: boolean, { dryRun }: SetOptions): string {
  if (dryRun) return `Nothing was changed: this was a check of the change of client ${id}.`;
  return isChanged ? `Changed client ${id}.` : `Client ${id} is unchanged.`;
}

/** Reports to whom the client is open, and how many of its users are not among them. */
function accessLines(
  { access, groups, lostAccess }: Omit<ChangedClient, "id" | "isChanged">,
  { dryRun }: SetOptions,
): string[] {
  const users = lostAccess === 1 ? "1 user" : `${lostAccess} users`;
  return [
    `It ${dryRun ? "would be" : "is"} open to ${describeAccess({ access, groups })}.`,
    dryRun ? `${users} would lose access.` : `${users} lost access; their tokens were revoked.`,
  ];
}

/** The field of each option, and its value after `--no-…`. */
const FIELDS = {
  name: { field: "name" },
  redirectUri: { field: "redirectUris", without: [] },
  postLogoutRedirectUri: { field: "postLogoutRedirectUris", without: [] },
  scope: { field: "scopes" },
  allowGroup: { field: "allowGroups" },
  disallowGroup: { field: "disallowGroups" },
  firstParty: { field: "firstParty" },
  requireMfa: { field: "requireMfa" },
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
} as const satisfies Record<
  keyof Omit<SetOptions, "everyone" | "logoFile" | "logo" | "dryRun" | "json">,
  { field: keyof ClientChanges; without?: unknown }
>;

function changesOf({ everyone, logoFile, logo, ...options }: SetOptions): ClientChanges {
  const given = Object.entries(FIELDS).flatMap(([option, target]) => {
    const value: unknown = new Map(Object.entries(options)).get(option);
    if (value === undefined) return [];
    return [[target.field, value === false && "without" in target ? target.without : value]];
  });
  return {
    ...Object.fromEntries(given),
    ...(everyone ? { access: "everyone" as const } : {}),
    ...(logo ? {} : { logo: null }),
    ...(logoFile === undefined ? {} : { logo: requireLogo(logoFile) }),
  };
}

/** Reads a logo with the checks of LOGO_FILE. */
function requireLogo(path: string): Logo {
  const read = readLogo(path);
  if ("wrong" in read) throw new CommandError(EXIT.usage, [`--logo-file ${read.wrong}`]);
  return read.logo;
}
