import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { requireConfirmation } from "#app/cli/output/confirmation.server.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { table, timeText } from "#app/cli/output/table.ts";
import { listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { KEY_AHEAD_HOURS, KEY_DAYS, KEY_KEPT_DAYS } from "#app/oidc/key-lifetimes.ts";
import { rotateSigningKeys } from "#app/oidc/rotate-keys.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse keys`: the keys that sign ID tokens. */
export function addKeysCommands(program: Command, line: CommandLine): void {
  const keys = program.command("keys").description("show and rotate the keys that sign ID tokens");
  examples(keys, ["keys list", "keys rotate"]);
  const list = keys
    .command("list")
    .description("list the signing keys, oldest first; their private parts are never shown")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(list, ["keys list", "keys list --json"]);
  addRotate(keys, line);
}

type RotateOptions = JsonOption & { now?: boolean; removeOld?: boolean; yes?: boolean };

const SCHEDULE = `
A running server does this by itself every ${KEY_DAYS} days, and follows a rotation by hand within a second.
Each key is published at least ${KEY_AHEAD_HOURS} hours before it signs and ${KEY_KEPT_DAYS} days after it did.`;

function addRotate(keys: Command, line: CommandLine): void {
  const command = keys
    .command("rotate")
    .description("let the keys that were published ahead sign from now on, and publish new ones ahead")
    .option("--now", "also when the next keys were not published long enough for every application to know them")
    .option("--remove-old", "publish the old keys no more: what they signed is worth nothing (a key that got out)")
    .option("--yes", "do not ask before --remove-old; needed where there is no terminal")
    .addOption(jsonOption())
    .addHelpText("after", SCHEDULE)
    .action((options: RotateOptions) => runRotate(line, options));
  examples(command, ["keys rotate", "keys rotate --now --remove-old"]);
}

async function runRotate({ streams, output, withContext }: CommandLine, options: RotateOptions) {
  if (options.removeOld) {
    await requireConfirmation(streams, {
      yes: options.yes ?? false,
      question: "Remove the old keys? Applications refuse every ID token that they signed.",
    });
  }
  const { now = false, removeOld = false } = options;
  const rotation = await withContext((context) => rotateSigningKeys(context, { now, removeOld }));
  if (rotation.length === 0) throw new CommandError(EXIT.refused, [NO_KEYS]);
  if (options.json) return output.json(rotation);
  return output.lines(
    table(
      ["algorithm", "signs now", "comes next", removeOld ? "removed" : "signs no more"],
      rotation.map(({ alg, current, next, retired }) => [alg, current, next, retired]),
    ),
  );
}

const NO_KEYS = "There are no keys yet: the server makes them when it first starts.";

async function runList({ output, withContext }: CommandLine, options: JsonOption) {
  const rows = await withContext(({ store }) => listSigningKeys(store));
  const keys = rows.map(({ sealedJwk: _, ...shown }) => shown);
  if (options.json) return output.json(keys);
  if (keys.length === 0) return output.note(NO_KEYS);
  return output.lines(
    table(
      ["key id", "algorithm", "state", "made", "in use since", "retired"],
      keys.map((key) => [
        key.kid,
        key.alg,
        key.state,
        timeText(key.createdAt),
        timeText(key.activatedAt),
        timeText(key.retiredAt),
      ]),
    ),
  );
}
