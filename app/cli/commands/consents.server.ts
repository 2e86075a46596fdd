import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { table, timeText, yesNo } from "#app/cli/output/table.ts";
import { type ConsentFilter, listConsentViews, withdrawConsents } from "#app/domain/consent/administer.server.ts";

/** `withdraw` is true for all consents, or the value of the option. */
type ConsentsOptions = { withdraw?: string | true; json?: boolean };

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
    .action((username: string, options: ConsentsOptions) =>
      runConsents(line, options, { username, ...(withdrawTarget(options) && { clientId: withdrawTarget(options) }) }),
    );
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
    .addOption(jsonOption())
    .action((clientId: string, options: ConsentsOptions) =>
      runConsents(line, options, { clientId, ...(withdrawTarget(options) && { username: withdrawTarget(options) }) }),
    );
  examples(command, [
    "client consents broker-desk",
    "client consents broker-desk --withdraw anna.berger",
    "client consents broker-desk --withdraw --json",
  ]);
}

/** Returns the value of --withdraw, or an empty string without one. */
function withdrawTarget({ withdraw }: ConsentsOptions): string {
  return typeof withdraw === "string" ? withdraw : "";
}

async function runConsents({ output, withContext }: CommandLine, options: ConsentsOptions, filter: ConsentFilter) {
  const isWithdrawal = options.withdraw !== undefined;
  const consents = await withContext((context) =>
    isWithdrawal ? withdrawConsents(context, filter) : listConsentViews(context, filter),
  );
  if (options.json) return output.json(consents);
  if (isWithdrawal) return output.lines([withdrawnText(consents.length)]);
  if (consents.length === 0) return output.note("There are no consents.");
  return output.lines(
    table(
      ["user", "client_id", "since", "remembered", "scopes"],
      consents.map(({ username, clientId, since, remembered, scopes }) => [
        ...[username, clientId, timeText(since), yesNo(remembered)],
        scopes.join(" "),
      ]),
    ),
  );
}

function withdrawnText(count: number): string {
  return count === 1 ? "Withdrew 1 consent." : `Withdrew ${count} consents.`;
}
