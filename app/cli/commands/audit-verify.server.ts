import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import {
  type AuditDigest,
  type ChainBreak,
  type ChainVerdict,
  verifyAuditChain,
} from "#app/domain/audit/verify.server.ts";

type VerifyOptions = { digest?: AuditDigest; json?: boolean };

/** `gatehouse audit verify`: whether the trail is the one that was written. */
export function addAuditVerify(audit: Command, line: CommandLine): void {
  const command = audit
    .command("verify")
    .description("check that no event was changed, removed or moved; exit code 1 when one was")
    .addOption(
      new Option("--digest <number:hash>", "an earlier verification's last event, or a digest of the log").argParser(
        parseDigest,
      ),
    )
    .addOption(jsonOption())
    .action((options: VerifyOptions) => runVerify(line, options));
  examples(command, ["audit verify", "audit verify --digest 1204:pQbLrQ4Oq0Y7m4kJc3bq0yDq3mZ9m0eQm1mYVbB4c5E"]);
}

async function runVerify({ output, withContext }: CommandLine, { digest, json }: VerifyOptions) {
  const verdict = await withContext((context) => verifyAuditChain(context, digest ? { digest } : {}));
  if (json) output.json({ ...verdict, digest: digestText(verdict) });
  else tell(output, verdict);
  if (!verdict.ok) throw new CommandError(EXIT.failed);
}

function tell(output: CommandLine["output"], verdict: ChainVerdict): void {
  const { ok, events, first, last, brokenCount, broken } = verdict;
  const range = first === null || last === null ? "no events" : `${events} events, from ${first} to ${last.sequence}`;
  if (ok) output.lines([`The trail is whole: ${range}.`]);
  else output.lines([`The trail is broken in ${brokenCount} places: ${range}.`, ...broken.map(sayBreak)]);
  const digest = digestText(verdict);
  if (ok && digest) output.note(`Keep this elsewhere, for audit verify --digest: ${digest}`);
}

function sayBreak({ kind, sequence, after }: ChainBreak): string {
  switch (kind) {
    case "edited":
      return `  event ${sequence} was changed after it was written`;
    case "unlinked":
      return after === null
        ? `  event ${sequence} is not the first one: what was before it is gone, or it was moved`
        : `  event ${sequence} does not follow event ${after}: one between them is gone, or one of them was moved or replaced`;
    case "replaced":
      return `  event ${sequence} is another one than when the digest was made`;
    case "missing":
      return `  event ${sequence}, which the digest names, is gone`;
  }
}

function digestText({ last }: ChainVerdict): string | null {
  return last && `${last.sequence}:${last.hash}`;
}

function parseDigest(text: string): AuditDigest {
  const [, sequence, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (!sequence || !hash) throw new InvalidArgumentError("A digest is a number, a colon and 43 characters.");
  return { sequence: Number(sequence), hash };
}
