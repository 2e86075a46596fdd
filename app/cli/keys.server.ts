import type { Command } from "commander";
import { listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { table, timeText } from "./columns.ts";
import type { CommandLine } from "./command-line.server.ts";
import { examples, jsonOption } from "./command-options.ts";

type JsonOption = { json?: boolean };

/** `gatehouse keys`: the keys that sign ID tokens. */
export function addKeysCommands(program: Command, line: CommandLine): void {
  const keys = program.command("keys").description("show the keys that sign ID tokens");
  examples(keys, ["keys list"]);
  const list = keys
    .command("list")
    .description("list the signing keys, oldest first; their private parts are never shown")
    .addOption(jsonOption())
    .action((options: JsonOption) => runList(line, options));
  examples(list, ["keys list", "keys list --json"]);
}

async function runList({ output, withContext }: CommandLine, options: JsonOption) {
  const rows = await withContext(({ store }) => listSigningKeys(store));
  const keys = rows.map(({ sealedJwk: _, ...shown }) => shown);
  if (options.json) return output.json(keys);
  if (keys.length === 0) return output.note("There are no keys yet: the server makes them when it first starts.");
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
