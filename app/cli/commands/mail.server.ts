import { join } from "node:path";
import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { table } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { systemClock, systemRandom } from "#app/context.server.ts";
import { type ListedMail, listOpenMails } from "#app/db/repositories/mail-outbox.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { type RetryOutcome, retryMails } from "#app/domain/mail/retry.server.ts";
import { MAIL_ADVICE } from "#app/mail/advice.ts";
import { type MailMessage, renderMail } from "#app/mail/message.server.ts";
import { type MailProblem, problemOf } from "#app/mail/problem.server.ts";
import type { TranscriptStep } from "#app/mail/transcript.server.ts";
import { isMailAddress } from "#app/mail-address.server.ts";

type JsonOption = { json?: boolean };

/** Most rows of the queue that are listed. */
const QUEUE_LIMIT = 1000;

/** `gatehouse mail`. */
export function addMailCommands(program: Command, line: CommandLine): void {
  const mail = program.command("mail").description("send a test mail, and list and repeat queued mails");
  examples(mail, ["mail test anna@example.com", "mail queue", "mail retry"]);
  addTest(mail, line);
  addQueue(mail, line);
  addRetry(mail, line);
}

function addTest(mail: Command, line: CommandLine): void {
  const command = mail
    .command("test")
    .description("send a test mail now and print each step")
    .argument("<address>", "recipient")
    .addOption(jsonOption())
    .action((address: string, options: JsonOption) => runTest(line, address, options));
  examples(command, ["mail test anna@example.com"]);
}

type Step = { step: TranscriptStep["step"] | "file"; detail: string };

async function runTest({ env, output }: CommandLine, address: string, options: JsonOption) {
  const { config } = requireConfig(env);
  const message = await testMessage(config, address);
  const steps: Step[] = [];
  const onStep = (step: Step) => {
    steps.push(step);
    if (!options.json) output.lines([`${step.step.padEnd(10)}  ${step.detail}`]);
  };
  const send = config.smtpUrl === null ? writeToFile : sendToServer;
  const outcome = await send(config, message, onStep);
  if (options.json) output.json({ ok: outcome.problem === null, steps, ...outcome });
  if (outcome.problem) throw new CommandError(EXIT.failed, problemLines(outcome.problem, outcome.answer));
}

type Outcome = { problem: MailProblem | null; answer: string | null };

async function sendToServer(config: Config, message: MailMessage, onStep: (step: Step) => void): Promise<Outcome> {
  const { sendWithTranscript } = await import("#app/mail/transcript.server.ts");
  const server = { ...config, smtpUrl: config.smtpUrl ?? "" };
  const result = await sendWithTranscript(server, message, { clock: systemClock, onStep });
  return result.kind === "accepted"
    ? { problem: null, answer: null }
    : { problem: result.problem, answer: result.response };
}

async function writeToFile(config: Config, message: MailMessage, onStep: (step: Step) => void): Promise<Outcome> {
  const { createMailTransport } = await import("#app/mail/transport.server.ts");
  try {
    await createMailTransport(config, { clock: systemClock }).send(message);
  } catch (error) {
    return { problem: problemOf(error), answer: null };
  }
  onStep({ step: "file", detail: `SMTP_URL is not set: the mail was written to ${join(config.dataDir, "outbox")}` });
  return { problem: null, answer: null };
}

async function testMessage(config: Config, address: string): Promise<MailMessage> {
  if (!isMailAddress(address)) {
    throw new CommandError(EXIT.usage, ["The recipient is not a mail address. Example: anna@example.com"]);
  }
  const now = systemClock.now();
  const host = config.smtpUrl === null ? "a file" : new URL(config.smtpUrl).host;
  return renderMail(config, {
    id: newId(systemRandom),
    to: { name: address, address },
    locale: null,
    template: { name: "test", host },
    occasion: { username: "", at: now, until: now, from: null, application: null, notMeUrl: null },
  });
}

function problemLines({ stage, reason }: MailProblem, answer: string | null): string[] {
  const response = answer === null ? [] : [`Response of the server: ${answer.trim()}`];
  return [`The mail was not sent: ${reason}.`, ...response, MAIL_ADVICE[stage]];
}

function addQueue(mail: Command, line: CommandLine): void {
  const command = mail
    .command("queue")
    .description("list waiting mails, and mails that failed permanently in the last week")
    .addOption(jsonOption())
    .action((options: JsonOption) => runQueue(line, options));
  examples(command, ["mail queue", "mail queue --json | jq '.[].last_error'"]);
}

async function runQueue({ output, withExistingContext }: CommandLine, options: JsonOption) {
  const mails = await withExistingContext(({ store }) => listOpenMails(store, QUEUE_LIMIT));
  if (options.json) return output.json(mails);
  if (mails.length === 0) return output.note("The mail queue is empty.");
  return output.lines(
    table(
      ["id", "kind", "recipient", "attempts", "next attempt", "last error"],
      mails.map((mail) => queueRow(mail, output.time)),
    ),
  );
}

function queueRow(
  { id, kind, recipient, attempts, nextAttemptAt, lastError }: ListedMail,
  timeText: CommandLine["output"]["time"],
): string[] {
  const next = nextAttemptAt === null ? "failed" : timeText(nextAttemptAt);
  return [id, kind, recipient, String(attempts), next, lastError ?? "-"];
}

function addRetry(mail: Command, line: CommandLine): void {
  const command = mail
    .command("retry")
    .description("send failed mails again, and waiting ones without their delay; a running server sends them")
    .argument("[ids...]", "ids of mails, as listed by mail queue; default: all of them")
    .addOption(jsonOption())
    .action((ids: string[], options: JsonOption) => runRetry(line, ids, options));
  examples(command, ["mail retry", "mail retry 0f1e2d3c4b5a69788796a5b4c3d2e1f0"]);
}

async function runRetry({ output, withContext }: CommandLine, ids: readonly string[], options: JsonOption) {
  const mails = await withContext((context) => retryMails(context, ids.length === 0 ? null : ids));
  const missing = ids.filter((id) => !mails.some((found) => found.id === id));
  if (missing.length > 0) {
    throw new CommandError(EXIT.notFound, [
      `No unsent mail has the id ${missing.join(", ")}.`,
      "See gatehouse mail queue.",
    ]);
  }
  if (options.json) return output.json(mails);
  if (mails.length === 0) return output.note("There is no unsent mail.");
  const rows = mails.map(({ id, kind, recipient, outcome }) => [id, kind, recipient, OUTCOMES[outcome]]);
  output.lines(table(["id", "kind", "recipient", "result"], rows));
  return output.note("A running server sends due mails within seconds. See gatehouse mail queue.");
}

const OUTCOMES: Record<RetryOutcome, string> = {
  due: "is due now",
  "being sent": "is being sent",
  dead: "cannot be sent: its link is dead; send a new one",
  deleted: "cannot be sent: its content is deleted",
};
