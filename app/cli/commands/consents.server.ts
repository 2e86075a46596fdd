import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { table, timeText, yesNo } from "#app/cli/output/table.ts";
import { type ConsentFilter, listConsentViews, withdrawConsents } from "#app/domain/consent/administer.server.ts";

/** `withdraw`: true for all of them, or the name that follows the option. */
type ConsentsOptions = { withdraw?: string | true; json?: boolean };

/** `gatehouse user consents`. */
export function addUserConsents(user: Command, line: CommandLine): void {
  const command = user
    .command("consents")
    .description("list what a user allowed to applications, or withdraw it")
    .argument("<name>", "the user's name")
    .option(
      "--withdraw [client_id]",
      "withdraw the consent to this application, or all; its tokens stop working at once",
    )
    .addOption(jsonOption())
    .action((username: string, options: ConsentsOptions) =>
      runConsents(line, options, { username, ...(named(options) && { clientId: named(options) }) }),
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
    .description("list the users who gave their consent to an application, or withdraw it")
    .argument("<client_id>", "the application's client_id")
    .option("--withdraw [user]", "withdraw the consent of this user, or of all; the tokens stop working at once")
    .addOption(jsonOption())
    .action((clientId: string, options: ConsentsOptions) =>
      runConsents(line, options, { clientId, ...(named(options) && { username: named(options) }) }),
    );
  examples(command, [
    "client consents broker-desk",
    "client consents broker-desk --withdraw anna.berger",
    "client consents broker-desk --withdraw --json",
  ]);
}

function named({ withdraw }: ConsentsOptions): string {
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
