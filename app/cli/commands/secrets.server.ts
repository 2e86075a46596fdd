import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { createProgress } from "#app/cli/output/progress.server.ts";
import { interruptible } from "#app/cli/output/signals.server.ts";
import { countSealedRows, type Reencryption, reencryptSecrets } from "#app/domain/secret/reencrypt.server.ts";

type JsonOption = { json?: boolean };

const STEPS = `
To change the key:
  1. put a new one in front of SECRET_KEYS, keep the old one behind it, and restart every server
  2. gatehouse secrets reencrypt
  3. take the old key out of SECRET_KEYS half a day later, when the sessions of before are over, and restart
It can be stopped and called again. Older backups still need the old key: keep it with them.`;

/** `gatehouse secrets`: what SECRET_KEYS protect. */
export function addSecretsCommands(program: Command, line: CommandLine): void {
  const secrets = program.command("secrets").description("encrypt the secrets of the database with another key");
  examples(secrets, ["secrets reencrypt"]);
  const reencrypt = secrets
    .command("reencrypt")
    .description("encrypt every secret of the database with the newest of SECRET_KEYS")
    .addOption(jsonOption())
    .addHelpText("after", STEPS)
    .action((options: JsonOption) => runReencrypt(line, options));
  examples(reencrypt, ["secrets reencrypt", "secrets reencrypt --json"]);
}

async function runReencrypt({ streams, output, withContext }: CommandLine, options: JsonOption) {
  const { fingerprint, ...result } = await withContext(async (context) => {
    const progress = createProgress(streams, { what: "Encrypting", total: await countSealedRows(context) });
    const done = await interruptible((isStopped) => reencryptSecrets(context, { onProgress: progress.at, isStopped }));
    progress.end();
    return { ...done, fingerprint: context.secrets.fingerprint };
  });
  if (options.json) output.json({ fingerprint, ...result });
  if (!result.finished) throw new CommandError(EXIT.failed, options.json ? [] : sayUnfinished(result));
  if (options.json) return;
  output.lines([`${result.reencrypted} secrets were encrypted anew, ${result.current} were already.`]);
  output.note(`Everything is encrypted with the key ${fingerprint}; no other one is needed for this database.`);
}

function sayUnfinished({ reencrypted, unreadable }: Reencryption): string[] {
  if (unreadable.length === 0) return [`Stopped after ${reencrypted}. Call it again to go on.`];
  return [
    `${unreadable.length} secrets cannot be read with SECRET_KEYS; the rest is encrypted anew.`,
    ...unreadable.map(({ place, key, fingerprint }) => `  ${place} ${key}: sealed with ${fingerprint}`),
    "Add the key they were sealed with, or give these people and applications new secrets.",
  ];
}
