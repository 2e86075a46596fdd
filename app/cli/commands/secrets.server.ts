import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { OLD_KEY_HOURS } from "#app/cli/old-keys.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { createProgress } from "#app/cli/output/progress.server.ts";
import { interruptible } from "#app/cli/output/signals.server.ts";
import { countSealedRows, type Reencryption, reencryptSecrets } from "#app/domain/instance/reencrypt.server.ts";

type JsonOption = { json?: boolean };

const STEPS = `
To change the key:
  1. insert the new key at the start of SECRET_KEYS, keep the old key after it, and restart every server
  2. gatehouse secrets reencrypt
  3. after ${OLD_KEY_HOURS} hours, when all earlier sessions and help have ended, remove the old key from SECRET_KEYS and restart
The command can be stopped and run again. Earlier backups still need the old key: store it with them.`;

/** `gatehouse secrets`: the values that are encrypted with SECRET_KEYS. */
export function addSecretsCommands(program: Command, line: CommandLine): void {
  const secrets = program.command("secrets").description("encrypt the secrets in the database with a new key");
  examples(secrets, ["secrets reencrypt"]);
  const reencrypt = secrets
    .command("reencrypt")
    .description("encrypt every secret in the database with the first key of SECRET_KEYS")
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
  if (!result.finished) throw new CommandError(EXIT.failed, options.json ? [] : unfinishedLines(result));
  if (options.json) return;
  output.lines([`Re-encrypted ${result.reencrypted} secrets; ${result.current} already used the current key.`]);
  output.note(`All secrets are encrypted with the key ${fingerprint}; this database needs no other key.`);
}

function unfinishedLines({ reencrypted, unreadable }: Reencryption): string[] {
  if (unreadable.length === 0) return [`Stopped after ${reencrypted} secrets. Run the command again to continue.`];
  return [
    `${unreadable.length} secrets cannot be decrypted with SECRET_KEYS; all others were re-encrypted.`,
    ...unreadable.map(({ place, key, fingerprint }) => `  ${place} ${key}: encrypted with ${fingerprint}`),
    "Add the missing key to SECRET_KEYS, or replace the secrets of these users and clients.",
  ];
}
