import { readFileSync } from "node:fs";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Streams } from "#app/cli/output/output.server.ts";
import { promptHidden, readSecretLine } from "#app/cli/output/prompts.server.ts";
import { choiceProblem, type Interview, keyProblem, type Question } from "./question.server.ts";
import type { Settings } from "./settings.server.ts";

const MAIL_KINDS = ["smtp", "microsoft365", "none"] as const;

const MICROSOFT_SMTP_URL = "smtp://smtp.office365.com:587";

/** Port of SMTP with implicit TLS (RFC 8314). */
const IMPLICIT_TLS_PORT = "465";
const SUBMISSION_PORT = "587";

/** Options of the mail server. Secrets are paths of files, or "-" for standard input. */
export type MailOptions = {
  mail?: string;
  mailFrom?: string;
  smtpServer?: string;
  smtpUser?: string;
  smtpPasswordFile?: string;
  mailTenant?: string;
  mailClientId?: string;
  mailClientSecretFile?: string;
};

/** Dependencies of the questions. `host` is that of the public address. */
type Deps = { streams: Streams; interview: Interview; host: string };

/** Asks for the mail server. Returns its configuration keys. */
export async function askMail(deps: Deps, options: MailOptions): Promise<Settings> {
  const kind = await deps.interview.answer(options.mail, KIND);
  if (kind === "smtp") return askSmtp(deps, options);
  if (kind === "microsoft365") return askMicrosoft(deps, options);
  return { env: {}, secrets: {} };
}

const KIND: Question = {
  flag: "--mail",
  text: `Mail: ${MAIL_KINDS.join(", ")}`,
  problemOf: choiceProblem(MAIL_KINDS),
};

async function askSmtp(deps: Deps, options: MailOptions): Promise<Settings> {
  const { interview, host } = deps;
  const server = await interview.answer(options.smtpServer, SMTP_SERVER);
  const user = await interview.answer(options.smtpUser, SMTP_USER);
  const password = user === "" ? "" : await askSecret(deps, options.smtpPasswordFile, SMTP_PASSWORD);
  const question = { ...FROM, text: `${FROM.text} (empty: no-reply@${host})`, isOptional: true };
  const from = await interview.answer(options.mailFrom, question);
  const env = from === "" ? {} : { MAIL_FROM: from };
  if (user === "" || server === "") return { env: { SMTP_URL: server, ...env }, secrets: {} };
  const credentials = [user, password].map(encodeURIComponent).join(":");
  return { env, secrets: { SMTP_URL: server.replace("//", `//${credentials}@`) } };
}

const SMTP_SERVER: Question = {
  flag: "--smtp-server",
  text: "Mail server, as HOST:PORT",
  normalize: toSmtpUrl,
  problemOf(url) {
    const expected = "HOST:PORT, such as mail.example.com:587, without a user name and a password";
    // The text is not repeated, because it may be a password.
    if (url.includes("@")) return { wrong: "contains a user name or a password", expected };
    const problem = keyProblem("SMTP_URL")(url);
    return problem && { ...problem, expected };
  },
};

/** Converts HOST:PORT to the URL of a mail server; TLS from the start on port 465. */
function toSmtpUrl(server: string): string {
  if (server === "" || server.includes("//")) return server;
  const port = /:(\d+)$/.exec(server)?.[1];
  const scheme = port === IMPLICIT_TLS_PORT ? "smtps" : "smtp";
  return `${scheme}://${server}${port === undefined ? `:${SUBMISSION_PORT}` : ""}`;
}

const SMTP_USER: Question = {
  flag: "--smtp-user",
  text: "User name at the mail server (empty: none)",
  isOptional: true,
  problemOf: (user) => keyProblem("SMTP_URL")(`smtp://${encodeURIComponent(user)}@localhost`),
};

const SMTP_PASSWORD = { flag: "--smtp-password-file", question: "Password at the mail server (not shown): " };

const FROM: Question = { flag: "--mail-from", text: "Sender of mails", problemOf: keyProblem("MAIL_FROM") };

async function askMicrosoft(deps: Deps, options: MailOptions): Promise<Settings> {
  const { interview } = deps;
  const env = {
    SMTP_URL: MICROSOFT_SMTP_URL,
    MAIL_FROM: await interview.answer(options.mailFrom, { ...FROM, text: "Mailbox that sends the mails" }),
    MAIL_OAUTH_TENANT: await interview.answer(options.mailTenant, TENANT),
    MAIL_OAUTH_CLIENT_ID: await interview.answer(options.mailClientId, CLIENT_ID),
  };
  const secret = await askSecret(deps, options.mailClientSecretFile, MAIL_CLIENT_SECRET);
  return { env, secrets: { MAIL_OAUTH_CLIENT_SECRET: secret } };
}

const TENANT: Question = {
  flag: "--mail-tenant",
  text: "Microsoft 365: directory (tenant) id",
  problemOf: keyProblem("MAIL_OAUTH_TENANT"),
};

const CLIENT_ID: Question = {
  flag: "--mail-client-id",
  text: "Microsoft 365: application (client) id",
  problemOf: keyProblem("MAIL_OAUTH_CLIENT_ID"),
};

const MAIL_CLIENT_SECRET = { flag: "--mail-client-secret-file", question: "Client secret (not shown): " };

/** Reads a secret from a file, from standard input, or from a terminal without echo. Throws CommandError (usage). */
async function askSecret(
  { streams, interview }: Deps,
  file: string | undefined,
  { flag, question }: { flag: string; question: string },
): Promise<string> {
  if (file === "-") return requireLine(await readSecretLine(streams, "secret"), flag);
  if (file !== undefined) return requireLine(readSecretFile(file, flag), flag);
  if (!interview.isInteractive) {
    interview.miss(flag);
    return "";
  }
  return requireLine((await promptHidden(streams, question)) ?? "", flag);
}

function readSecretFile(file: string, flag: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : "unreadable";
    throw new CommandError(EXIT.usage, [`The file of ${flag} cannot be read (${reason}).`]);
  }
}

function requireLine(secret: string, flag: string): string {
  if (secret !== "" && !/\p{Cc}/u.test(secret)) return secret;
  throw new CommandError(EXIT.usage, [`The secret (${flag}) must be one line and not empty.`]);
}
