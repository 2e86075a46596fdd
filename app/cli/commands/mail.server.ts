import { join } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { table, timeText } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { systemClock, systemRandom } from "#app/context.server.ts";
import { type ListedMail, listOpenMails } from "#app/db/repositories/mail-outbox.server.ts";
import { newId } from "#app/domain/new-id.server.ts";
import { type MailMessage, renderMail } from "#app/mail/message.server.ts";
import { type MailProblem, type MailStage, problemOf } from "#app/mail/problem.server.ts";
import type { TranscriptStep } from "#app/mail/transcript.server.ts";

type JsonOption = { json?: boolean };

/** Rows of the queue that are shown at most. */
const QUEUE_LIMIT = 1000;

/** `gatehouse mail`: whether mails get out, and which ones did not. */
export function addMailCommands(program: Command, line: CommandLine): void {
  const mail = program.command("mail").description("try out the way mails take, and see those that wait");
  examples(mail, ["mail test anna@example.com", "mail queue"]);
  addTest(mail, line);
  addQueue(mail, line);
}

function addTest(mail: Command, line: CommandLine): void {
  const command = mail
    .command("test")
    .description("send one mail now and tell each step of its way")
    .argument("<address>", "who gets it")
    .addOption(jsonOption())
    .action((address: string, options: JsonOption) => runTest(line, address, options));
  examples(command, ["mail test anna@example.com"]);
}

type Told = { step: TranscriptStep["step"] | "file"; detail: string };

async function runTest({ env, output }: CommandLine, address: string, options: JsonOption) {
  const { config } = requireConfig(env);
  const message = testMessage(config, address);
  const steps: Told[] = [];
  const tell = (told: Told) => {
    steps.push(told);
    if (!options.json) output.lines([`${told.step.padEnd(10)}  ${told.detail}`]);
  };
  const outcome = config.smtpUrl === null ? await toFile(config, message, tell) : await toServer(config, message, tell);
  if (options.json) output.json({ ok: outcome.problem === null, steps, ...outcome });
  if (outcome.problem) throw new CommandError(EXIT.failed, problemLines(outcome.problem, outcome.answer));
}

type Outcome = { problem: MailProblem | null; answer: string | null };

async function toServer(config: Config, message: MailMessage, tell: (told: Told) => void): Promise<Outcome> {
  const { sendWithTranscript } = await import("#app/mail/transcript.server.ts");
  const end = await sendWithTranscript(config.smtpUrl ?? "", message, tell);
  return end.kind === "accepted" ? { problem: null, answer: null } : { problem: end.problem, answer: end.answer };
}

async function toFile(config: Config, message: MailMessage, tell: (told: Told) => void): Promise<Outcome> {
  const { createMailTransport } = await import("#app/mail/transport.server.ts");
  try {
    await createMailTransport(config).send(message);
  } catch (error) {
    return { problem: problemOf(error), answer: null };
  }
  tell({ step: "file", detail: `SMTP_URL is not set: the mail lies in ${join(config.dataDir, "outbox")}` });
  return { problem: null, answer: null };
}

function testMessage(config: Config, address: string): MailMessage {
  if (!z.email({ pattern: z.regexes.html5Email }).safeParse(address).success) {
    throw new CommandError(EXIT.usage, ["This is no mail address. It looks like anna@example.com."]);
  }
  const now = systemClock.now();
  const host = config.smtpUrl === null ? "a file" : new URL(config.smtpUrl).host;
  return renderMail(config, {
    id: newId(systemRandom),
    to: { name: address, address },
    locale: null,
    template: { name: "test", host },
    occasion: { username: "", at: now, until: now, from: null },
  });
}

const ADVICE: Record<MailStage, string> = {
  file: "Look at the rights and the free space of the data folder.",
  name: "Look at the host in SMTP_URL, and at the name service of this machine.",
  connection:
    "Look at host and port in SMTP_URL (mostly 587 with smtp://, 465 with smtps://), and at firewalls on the way.",
  tls: "smtps:// is for ports that speak TLS from the start (465), smtp:// for those that switch to it (587). The certificate must be good for the host in SMTP_URL; NODE_EXTRA_CA_CERTS names the file of an authority of your own.",
  account: "Look at the user name and the password in SMTP_URL; / ? # @ : and % in them are percent-encoded.",
  sender: "Look at MAIL_FROM: many servers take only the sender that belongs to the account.",
  recipient: "The server takes no mail for this address from us; many ask for an account first (SMTP_URL).",
  message: "The server read the mail and does not want it; its own words say why.",
};

function problemLines({ stage, reason }: MailProblem, answer: string | null): string[] {
  const said = answer === null ? [] : [`The server said: ${answer.trim()}`];
  return [`The mail was not sent: ${reason}.`, ...said, ADVICE[stage]];
}

function addQueue(mail: Command, line: CommandLine): void {
  const command = mail
    .command("queue")
    .description("list the mails that wait, and those that were given up in the last week")
    .addOption(jsonOption())
    .action((options: JsonOption) => runQueue(line, options));
  examples(command, ["mail queue", "mail queue --json | jq '.[].last_error'"]);
}

async function runQueue({ output, withContext }: CommandLine, options: JsonOption) {
  const mails = await withContext(({ store }) => listOpenMails(store, QUEUE_LIMIT));
  if (options.json) return output.json(mails);
  if (mails.length === 0) return output.note("No mail waits.");
  return output.lines(
    table(["id", "kind", "recipient", "attempts", "next attempt", "last error"], mails.map(queueRow)),
  );
}

function queueRow({ id, kind, recipient, attempts, nextAttemptAt, lastError }: ListedMail): string[] {
  const next = nextAttemptAt === null ? "given up" : timeText(nextAttemptAt);
  return [id, kind, recipient, String(attempts), next, lastError ?? "-"];
}
