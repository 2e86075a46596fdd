import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import { table } from "#app/cli/output/table.ts";
import { listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { KEY_AHEAD_HOURS, KEY_DAYS, KEY_KEPT_DAYS } from "#app/oidc/key-lifetimes.ts";
import { rotateSigningKeys } from "#app/oidc/rotate-keys.server.ts";

type JsonOption = { json?: boolean };

/** `gatehouse keys`: the signing keys of ID tokens. */
export function addKeysCommands(program: Command, line: CommandLine): void {
  const keys = program.command("keys").description("list and rotate the signing keys of ID tokens");
  examples(keys, ["keys list", "keys rotate"]);
  const list = keys
    .command("list")
    .description("list the signing keys, oldest first; private keys are never shown")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(list, ["keys list", "keys list --json"]);
  addRotate(keys, line);
}

type RotateOptions = JsonOption & { now?: boolean; removeOld?: boolean; yes?: boolean };

const SCHEDULE = `
A running server rotates the keys every ${KEY_DAYS} days, and applies a manual rotation within a second.
Each key is published at least ${KEY_AHEAD_HOURS} hours before its first and ${KEY_KEPT_DAYS} days after its last signature.`;

function addRotate(keys: Command, line: CommandLine): void {
  const command = keys
    .command("rotate")
    .description("start signing with the next keys, and publish new next keys")
    .option("--now", "rotate even if the next keys were published too recently for every client to have fetched them")
    .option("--remove-old", "stop publishing the old keys, which invalidates their signatures (after a leak)")
    .option("--yes", "skip the confirmation of --remove-old; required without a terminal")
    .addOption(jsonOption())
    .addHelpText("after", SCHEDULE)
    .action((options: RotateOptions) => runRotate(line, options));
  examples(command, ["keys rotate", "keys rotate --now --remove-old"]);
}

async function runRotate({ streams, output, withContext }: CommandLine, options: RotateOptions) {
  if (options.removeOld) {
    await requireConfirmation(streams, {
      yes: options.yes ?? false,
      question: "Remove the old keys? Applications will reject every ID token signed with them.",
    });
  }
  const { now = false, removeOld = false } = options;
  const rotation = await withContext((context) => rotateSigningKeys(context, { now, removeOld }));
  if (rotation.length === 0) throw new CommandError(EXIT.refused, [NO_KEYS]);
  if (options.json) return output.json(rotation);
  return output.lines(
    table(
      ["algorithm", "current", "next", removeOld ? "removed" : "retired"],
      rotation.map(({ alg, current, next, retired }) => [alg, current, next, retired]),
    ),
  );
}

const NO_KEYS = "There are no keys yet. The server creates them when it first starts.";

async function runList({ output, withExistingContext }: CommandLine, options: JsonOption) {
  const rows = await withExistingContext(({ store }) => listSigningKeys(store));
  const keys = rows.map(({ sealedJwk: _, ...key }) => key);
  if (options.json) return output.json(keys);
  if (keys.length === 0) return output.note(NO_KEYS);
  return output.lines(
    table(
      ["key id", "algorithm", "state", "created", "active since", "retired"],
      keys.map((key) => [
        key.kid,
        key.alg,
        key.state,
        output.time(key.createdAt),
        output.time(key.activatedAt),
        output.time(key.retiredAt),
      ]),
    ),
  );
}
