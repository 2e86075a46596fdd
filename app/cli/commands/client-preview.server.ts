import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated, requireOptions } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { properties } from "#app/cli/output/table.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import { printable } from "#app/domain/base/printable.ts";
import type { ConsentStep, Refusal, SecondFactor } from "#app/oidc/preview-checks.server.ts";
import type { SignInPreview } from "#app/oidc/preview-sign-in.server.ts";

/** `user` is required. */
type PreviewOptions = { user?: string; scope?: string[]; json?: boolean };

const NOTES = `
No user is signed in, nothing is stored, and no token is created. Values that exist only once a token is issued are
placeholders in angle brackets. amr and acr are those of a sign-in with the password, or else with a provider, on a device
that is not remembered. A request for offline_access is assumed to have prompt=consent. Limits after wrong passwords do
not count as a refusal; gatehouse user unlock ends them.`;

/** `gatehouse client preview`: what an application would get for a user, or why the user would be refused. */
export function addClientPreview(client: Command, line: CommandLine): void {
  const command = client
    .command("preview")
    .description("show the claims that a client would get for a user; exits with 1 if the user would be refused")
    .argument("<client_id>", "client_id of the client")
    .option("--user <name>", "user name of the user who would sign in")
    .option("--scope <id>", "scope that the application requests (default: all registered); repeatable", repeated)
    .addOption(jsonOption())
    .addHelpText("after", NOTES)
    .action((clientId: string, options: PreviewOptions) => runPreview(line, clientId, options));
  requireOptions(command, "--user");
  examples(command, [
    "client preview broker-desk --user anna.berger",
    "client preview broker-desk --user anna.berger --scope openid --scope groups",
    "client preview broker-desk --user anna.berger --json",
  ]);
}

async function runPreview({ output, withExistingContext }: CommandLine, clientId: string, options: PreviewOptions) {
  const { user: username = "", scope: scopes } = options;
  const preview = await withExistingContext(async (context) => {
    // Imported on demand, because other commands do not need the engine.
    const { createOidc } = await import("#app/oidc/oidc.server.ts");
    const { previewSignIn } = await import("#app/oidc/preview-sign-in.server.ts");
    const oidc = await createOidc(context);
    return previewSignIn({ ...context, oidc }, { clientId, username, scopes });
  });
  if (options.json) output.json(preview);
  else output.lines(previewLines(preview));
  if (preview.issued === null) throw new CommandError(EXIT.failed);
}

function previewLines(preview: SignInPreview): string[] {
  const { clientId, username, scopes, refusals, secondFactor, consent, issued } = preview;
  return [
    ...properties([
      ["client_id", clientId],
      ["user", username],
      ["scopes", scopes.map((scope) => printable(scope)).join(" ")],
      [
        "sign-in",
        issued === null ? refusals.map((refusal) => `refused: ${refusalText(refusal, username)}`) : "succeeds",
      ],
      ["second factor", secondFactorText(secondFactor)],
      ["consent", consentText(consent)],
      ...(issued === null ? [] : [["refresh token", issued.hasRefreshToken ? "issued" : "not issued"] as const]),
    ]),
    ...(issued === null ? [] : issuedLines(issued)),
  ];
}

function issuedLines({ idToken, userinfo, accessToken }: NonNullable<SignInPreview["issued"]>): string[] {
  const section = (title: string, members: object | null) => [
    "",
    title,
    ...(members === null ? ["none: the scope openid is not requested"] : JSON.stringify(members, null, 2).split("\n")),
  ];
  return [
    ...section("ID token", idToken),
    ...section("userinfo", userinfo),
    ...section("access token (introspection)", accessToken),
  ];
}

function refusalText(refusal: Refusal, username: string): string {
  switch (refusal.reason) {
    case "no-redirect-uri":
      return "the client has no redirect URI and signs no users in";
    case "blocked":
      return `the user is blocked; to allow the sign-in: gatehouse user unblock ${username}`;
    case "no-sign-in-method":
      return `the user has no password and no connected account; to mail an invitation: gatehouse user invite ${username}`;
    case "no-access":
      return refusal.groups.length === 0
        ? "the client is open to groups only, and to none yet"
        : `the user is in none of the groups that may use the client: ${refusal.groups.join("; ")}`;
    case "scopes-unknown":
      return `unknown scopes: ${listText(refusal.scopes)}`;
    case "scopes-not-registered":
      return `scopes that are not registered for the client: ${listText(refusal.scopes)}`;
    default:
      return assertNever(refusal);
  }
}

function listText(scopes: readonly string[]): string {
  return scopes.map((scope) => printable(scope)).join(" ");
}

function secondFactorText(secondFactor: SecondFactor | null): string {
  if (secondFactor === null) return "not required";
  const rules = secondFactor.requiredBy.map((rule) => {
    switch (rule.rule) {
      case "own":
        return "the user has one";
      case "MFA_POLICY":
        return "MFA_POLICY requires it";
      case "group":
        return `the group ${rule.name} requires it`;
      case "application":
        return "the client requires it";
      default:
        return assertNever(rule);
    }
  });
  const setUp = secondFactor.isSetUp ? [] : ["the user sets one up during the sign-in"];
  return `required: ${[...rules, ...setUp].join("; ")}`;
}

function consentText(consent: ConsentStep): string {
  switch (consent.because) {
    case "first-party":
      return "not asked (first party)";
    case "remembered":
      return "not asked (the user has given it)";
    case "not-given":
      return "asked: the user has not given it yet";
    case "each-time":
      return "asked at each sign-in";
    default:
      return assertNever(consent);
  }
}
