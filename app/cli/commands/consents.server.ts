import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import { table, yesNo } from "#app/cli/output/table.ts";
import {
  type ConsentFilter,
  type ConsentView,
  listConsentViews,
  withdrawConsents,
} from "#app/domain/consent/administer.server.ts";

/** `withdraw` is true for all consents, or the value of the option. */
type ConsentsOptions = { withdraw?: string | true; yes?: boolean; json?: boolean };

/** `gatehouse user consents`. */
export function addUserConsents(user: Command, line: CommandLine): void {
  const command = user
    .command("consents")
    .description("list or withdraw the consents of a user")
    .argument("<name>", "user name")
    .option(
      "--withdraw [client_id]",
      "withdraw the consent to this client, or all consents; the tokens stop working immediately",
    )
    .addOption(jsonOption())
    .action((username: string, options: ConsentsOptions) => {
      const clientId = withdrawTarget(options);
      return runConsents(line, options, { username, ...(clientId !== null && { clientId }) });
    });
  examples(command, [
    "user consents anna.berger",
    "user consents anna.berger --withdraw broker-desk",
    "user consents anna.berger --withdraw --json",
  ]);
}

/** `gatehouse client consents`. */
export function addClientConsents(client: Command, line: CommandLine): void {
  const command = client
    .command("consents")
    .description("list or withdraw the consents to a client")
    .argument("<client_id>", "client_id of the client")
    .option(
      "--withdraw [user]",
      "withdraw the consent of this user, or all consents; the tokens stop working immediately",
    )
    .option("--yes", "do not ask before the consents of all users are withdrawn; required without a terminal")
    .addOption(jsonOption())
    .action((clientId: string, options: ConsentsOptions) => {
      const username = withdrawTarget(options);
      return runConsents(line, options, { clientId, ...(username !== null && { username }) });
    });
  examples(command, [
    "client consents broker-desk",
    "client consents broker-desk --withdraw anna.berger",
    "client consents broker-desk --withdraw --yes --json",
  ]);
}

/** Returns the value of --withdraw, or null without one. An empty value, as of an unset variable, matches no user. */
function withdrawTarget({ withdraw }: ConsentsOptions): string | null {
  return typeof withdraw === "string" ? withdraw : null;
}

async function runConsents(line: CommandLine, options: ConsentsOptions, filter: ConsentFilter) {
  const { output, withExistingContext } = line;
  const isWithdrawal = options.withdraw !== undefined;
  const consents = await withExistingContext(async (context) => {
    if (!isWithdrawal) return listConsentViews(context, filter);
    if (filter.username === undefined) await confirmForAll(line, options, await listConsentViews(context, filter));
    return withdrawConsents(context, filter);
  });
  if (options.json) return output.json(consents);
  if (isWithdrawal) return output.lines([withdrawnText(consents.length)]);
  if (consents.length === 0) return output.note("There are no consents.");
  return output.lines(
    table(
      ["user", "client_id", "since", "remembered", "scopes"],
      consents.map(({ username, clientId, since, remembered, scopes }) => [
        ...[username, clientId, output.time(since), yesNo(remembered)],
        scopes.join(" "),
      ]),
    ),
  );
}

/** Prompts before the consents of all users of a client are withdrawn; does nothing if there are none. */
async function confirmForAll({ streams }: CommandLine, { yes = false }: ConsentsOptions, consents: ConsentView[]) {
  const [first] = consents;
  if (first === undefined) return;
  const users = consents.length === 1 ? "1 user" : `all ${consents.length} users`;
  const question = `Withdraw the consents of ${users} to ${first.clientId} (${first.name})? Its tokens stop working.`;
  await requireConfirmation(streams, { yes, question });
}

function withdrawnText(count: number): string {
  return count === 1 ? "Withdrew 1 consent." : `Withdrew ${count} consents.`;
}
