import { once } from "node:events";
import { closeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type SendMailOptions, type SMTPTransportOptions } from "nodemailer";
import type { Config } from "#app/config/config.ts";
import { createFile, createFolder } from "#app/db/files/new-file.server.ts";
import { MINUTE_MS, SECOND_MS } from "#app/durations.ts";
import { asciiDomain, needsSmtpUtf8 } from "#app/mail-address.server.ts";
import type { Clock } from "#app/ports.ts";
import { type Login, loginsOf } from "./login.server.ts";
import { MARK_CID, markOf } from "./mark.ts";
import type { MailMessage } from "./message.server.ts";
import { type MailProblem, NO_SMTPUTF8, problemOf } from "./problem.server.ts";

/** Delivers mails. `send` rejects if a mail is not accepted (problem.server.ts); `close` aborts running deliveries. */
export type MailTransport = { send(message: MailMessage): Promise<void>; close(): void };

/** Timeout of the connection and of each reply. */
const CONNECT_MS = 10 * SECOND_MS;

/** Timeout of a whole delivery, for servers that reply slowly. */
const SEND_MS = 30 * SECOND_MS;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Called after a mail was written to a file. */
export type FileListener = (message: MailMessage, file: string) => void;

/** A mail server and how to authenticate there. */
export type MailServer = Pick<Config, "mailOauth"> & { smtpUrl: string };

/** The configuration of a transport. */
export type TransportConfig = Pick<Config, "smtpUrl" | "mailOauth" | "dataDir" | "logo" | "accent">;

/** Creates the transport for SMTP_URL. Without it, mails are written as files to `outbox` in the data folder. */
export function createMailTransport(
  { smtpUrl, mailOauth, dataDir, ...brand }: TransportConfig,
  { clock, fileListener }: { clock: Clock; fileListener?: FileListener | undefined },
): MailTransport {
  const mark = markOf(brand);
  if (smtpUrl === null) return fileTransport(join(dataDir, "outbox"), { mark, listener: fileListener });
  return smtpTransport({ smtpUrl, mailOauth }, { mark, clock });
}

/** Receives nodemailer's log entries, and one about each token (`tnx`: "token"). */
export type Listener = (data: Record<string, unknown>, message: string) => void;

/** Creates an SMTP transport that opens one connection per mail. */
export function smtpTransport(
  server: MailServer,
  { mark, clock, listener }: { mark: Buffer | null; clock: Clock; listener?: Listener },
): MailTransport {
  const closing = new AbortController();
  const logins = loginsOf(server.mailOauth, {
    clock,
    signal: closing.signal,
    onToken: ({ endsAt }) => listener?.({ tnx: "token" }, tokenText(server, endsAt, clock)),
  });
  const logging = listener ? { logger: { info: listener, debug: listener }, transactionLog: true } : {};
  return {
    async send(message) {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(SEND_MS)]);
      await logins.use(async (login) => {
        if (needsSmtpUtf8(message.to.address)) await requireSmtpUtf8(server, { login, signal });
        const mailer = createTransport({ ...smtpOptions(server, login), ...logging });
        await mailer.sendMail({ ...envelopeOf(message, mark), signal });
      });
    },
    close: () => closing.abort(),
  };
}

function tokenText({ mailOauth }: MailServer, endsAt: Date, clock: Clock): string {
  const minutes = Math.floor((endsAt.getTime() - clock.now().getTime()) / MINUTE_MS);
  return `issued by ${new URL(mailOauth?.tokenUrl ?? "").host}, valid for ${minutes} minutes`;
}

/**
 * Throws an error that problemOf reports as permanent if the server does not offer SMTPUTF8 (RFC 6531). Uses a connection
 * of its own: nodemailer would send the address nevertheless, and reports the extensions of a server in its log only.
 */
async function requireSmtpUtf8(
  server: MailServer,
  { login, signal }: { login: Login | null; signal: AbortSignal },
): Promise<void> {
  let isOffered = false;
  const listener: Listener = ({ tnx }, line) => {
    // After STARTTLS, only the second list of extensions counts (RFC 3207 §4.2).
    if (tnx === "client" && line.startsWith("EHLO")) isOffered = false;
    if (tnx === "server" && /^250[ -]SMTPUTF8\b/im.test(line)) isOffered = true;
  };
  const logger = { info: listener, debug: listener };
  const mailer = createTransport({ ...smtpOptions(server, login), logger, transactionLog: true });
  try {
    await Promise.race([mailer.verify(), rejectOnAbort(signal)]);
  } finally {
    mailer.close();
  }
  if (!isOffered) throw Object.assign(new Error("no SMTPUTF8"), { code: NO_SMTPUTF8 });
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw Object.assign(new Error("aborted"), { code: "EABORT" });
}

/** Returns nodemailer's options for an SMTP URL, with the token if one authenticates. */
export function smtpOptions({ smtpUrl }: Pick<MailServer, "smtpUrl">, login: Login | null): SMTPTransportOptions {
  const { username, hostname } = new URL(smtpUrl);
  return {
    url: smtpUrl,
    ...(login === null ? {} : { auth: { type: "OAuth2", user: login.user, accessToken: login.token } }),
    // Credentials are only sent over TLS, even if the server (or an attacker in between) does not offer STARTTLS.
    requireTLS: (username !== "" || login !== null) && !LOOPBACK.test(hostname),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
  };
}

/** Writes .eml files. They contain links with tokens, so only the owner can read them. */
function fileTransport(
  folder: string,
  { mark, listener }: { mark: Buffer | null; listener: FileListener | undefined },
): MailTransport {
  const mailer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    async send(message) {
      const { message: content } = await mailer.sendMail(envelopeOf(message, mark));
      createFolder(folder);
      const time = new Date().toISOString().replaceAll(":", "-");
      const file = join(folder, `${time}-${message.id}.eml`);
      closeSync(createFile(file));
      await writeFile(file, content);
      listener?.(message, file);
    },
    close: () => mailer.close(),
  };
}

/** Passes names and addresses as separate values, which prevents header injection. */
function envelopeOf({ id, to, from, subject, text, html }: MailMessage, mark: Buffer | null): SendMailOptions {
  const attachment = {
    cid: MARK_CID,
    filename: "logo.png",
    contentType: "image/png",
    contentDisposition: "inline",
  } as const;
  const sender = asciiDomain(from.address);
  return {
    messageId: `<${id}@${domainOf(sender)}>`,
    to: { ...to, address: asciiDomain(to.address) },
    from: { ...from, address: sender },
    subject,
    text,
    html,
    // Attached here, so that the outbox does not store it with every mail.
    attachments: mark && html.includes(`cid:${MARK_CID}`) ? [{ ...attachment, content: mark }] : [],
    // Prevents automatic replies (RFC 3834 §5).
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Connects to the SMTP server and authenticates, without sending a mail. Resolves to null if that succeeds. */
export async function checkMailServer(server: MailServer, clock: Clock): Promise<MailProblem | null> {
  const logins = loginsOf(server.mailOauth, { clock, signal: new AbortController().signal });
  try {
    await logins.use(async (login) => {
      const mailer = createTransport(smtpOptions(server, login));
      try {
        await mailer.verify();
      } finally {
        mailer.close();
      }
    });
    return null;
  } catch (error) {
    return problemOf(error);
  }
}
