import type { Command } from "commander";
import { registrationChecks } from "#app/cli/client-try/registration-checks.server.ts";
import { createSignInRequest, finishSignIn, trialRedirectUri } from "#app/cli/client-try/sign-in.server.ts";
import { TOKEN_CHECKS } from "#app/cli/client-try/token-checks.server.ts";
import { describeFailure, discoverProvider, type Trial } from "#app/cli/client-try/trial.server.ts";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { type CheckResult, type Finding, failed, ok, runChecks, skipped } from "#app/cli/doctor/check.server.ts";
import { countLine, findingLines } from "#app/cli/doctor/finding-lines.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { prompt } from "#app/cli/output/prompts.server.ts";
import { type ClientView, getClient, showClient } from "#app/domain/client/show.server.ts";

type TryOptions = { redirectUri?: string[]; scope?: string[]; json?: boolean };

const NOTES = `
The command signs in as the client at ISSUER, over the network. It prints an address: open it in any browser, sign in,
and enter the address at which the browser arrives. Without one (input ends), everything else is still checked.
The client secret is that of this installation, or that of the application from the environment: CLIENT_SECRET.
The client is not changed, and the tokens of the trial are revoked. Session and consent of the user remain.`;

/** `gatehouse client try`: a whole sign-in as a client, as its application would send it. */
export function addClientTry(client: Command, line: CommandLine): void {
  const command = client
    .command("try")
    .description("sign in as a client and check its registration; exits with 1 if a check fails")
    .argument("<client_id>", "client_id of the client")
    .option("--redirect-uri <uri>", "redirect URI of the application (default: all registered); repeatable", repeated)
    .option("--scope <id>", "scope that the application requests (default: all registered); repeatable", repeated)
    .addOption(jsonOption())
    .addHelpText("after", NOTES)
    .action((clientId: string, options: TryOptions) => runTry(line, clientId, options));
  examples(command, [
    "client try broker-desk",
    "client try broker-desk --redirect-uri http://127.0.0.1:8080/callback --scope openid --scope email",
    "client try broker-desk --json < /dev/null",
  ]);
}

async function runTry(line: CommandLine, clientId: string, options: TryOptions) {
  const findings: Finding[] = [];
  // Printed as they come, because the sign-in waits for the user.
  const report = (found: readonly Finding[]) => {
    findings.push(...found);
    if (!options.json) line.output.lines(found.flatMap(findingLines));
  };
  await tryClient(line, { clientId, options, report });
  const isWorking = findings.every(({ state }) => state !== "failed");
  if (options.json) line.output.json({ ok: isWorking, findings });
  else line.output.note(countLine(findings));
  if (!isWorking) throw new CommandError(EXIT.failed);
}

type TryInput = { clientId: string; options: TryOptions; report: (found: readonly Finding[]) => void };

async function tryClient(line: CommandLine, { clientId, options, report }: TryInput): Promise<void> {
  const { issuer, client, ...credentials } = await readClient(line, clientId);
  const found = await discover(issuer, client, credentials.secret);
  if ("failure" in found) return report([{ check: "address", ...found.failure }]);
  const trial: Trial = {
    issuer,
    client,
    provider: found.provider,
    redirectUris: options.redirectUri ?? client.redirectUris,
    scopes: options.scope ?? client.scopes,
    secretFrom: credentials.secretFrom,
  };
  const findings = await runChecks(registrationChecks(trial), trial);
  report([{ check: "address", ...ok(`${issuer} responds`) }, ...findings]);
  report(await trySignIn(line, trial, findings));
}

/** Reads the client and its secret, and closes the database: the user may take long. */
async function readClient({ env, withExistingContext }: CommandLine, clientId: string) {
  return withExistingContext(async (context) => {
    const { sealedSecret } = await getClient(context.store, clientId);
    const own = env["CLIENT_SECRET"] || null;
    const stored = sealedSecret === null ? null : await context.secrets.open("client-secret", sealedSecret);
    const secretFrom = own === null ? ("this installation" as const) : ("CLIENT_SECRET" as const);
    return {
      issuer: context.config.issuer,
      client: await showClient(context, clientId),
      secret: stored === null ? null : (own ?? stored),
      secretFrom: stored === null ? null : secretFrom,
    };
  });
}

async function discover(issuer: string, client: ClientView, secret: string | null) {
  try {
    return { provider: await discoverProvider(issuer, client, secret) };
  } catch (error) {
    const found = `the discovery document of ${issuer} cannot be loaded: ${describeFailure(error)}`;
    return { failure: failed(found, "gatehouse doctor checks server, address and proxy.") };
  }
}

async function trySignIn({ streams, output }: CommandLine, trial: Trial, findings: Finding[]): Promise<Finding[]> {
  const asFinding = (result: CheckResult): Finding[] => [{ check: "sign-in", ...result }];
  if (trial.redirectUris.length === 0) return asFinding(skipped("a client without redirect URI signs no users in"));
  if (findings.some(({ state }) => state === "failed")) return asFinding(skipped("not tried: first repair the above"));
  const redirectUri = trialRedirectUri(trial);
  if (redirectUri === null) return asFinding(skipped("not tried: openid-client needs a redirect URI without query"));
  if (trial.client.responseModes?.every((mode) => mode === "form_post")) {
    return asFinding(skipped("not tried: with form_post, the response is in no address"));
  }
  const request = await createSignInRequest(trial, redirectUri);
  output.note(`Open this address in a browser and sign in:\n\n${request.url}\n`);
  output.note(`The browser then arrives at ${redirectUri}#… or ?…; the page may be an error of the application.`);
  const address = (await prompt(streams, "Enter its whole address within 60 s: "))?.trim();
  if (!address) return asFinding(skipped("not tried: no address was entered"));
  const { result, tokens } = await finishSignIn(trial, request, address);
  return [...asFinding(result), ...(tokens === null ? [] : await runChecks(TOKEN_CHECKS, { trial, tokens }))];
}
