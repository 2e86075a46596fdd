import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type SendMailOptions, type SMTPTransportOptions } from "nodemailer";
import type { Config } from "#app/config/config.ts";
import type { MailMessage } from "./message.server.ts";

/** Hands mails over. `send` rejects when the mail was not taken (problem.server.ts); `close` ends what is under way. */
export type MailTransport = { send(message: MailMessage): Promise<void>; close(): void };

const SECOND_MS = 1000;

/** To the server, and for each of its answers. */
const CONNECT_MS = 10 * SECOND_MS;

/** For one mail from first to last: a server that answers letter by letter is given up. */
const SEND_MS = 30 * SECOND_MS;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Hears of each mail that became a file. */
export type FileListener = (message: MailMessage, file: string) => void;

/** The way that SMTP_URL names; without one, files for the administrator in `outbox` below the data folder. */
export function createMailTransport(
  { smtpUrl, dataDir }: Pick<Config, "smtpUrl" | "dataDir">,
  fileListener?: FileListener,
): MailTransport {
  return smtpUrl === null ? fileTransport(join(dataDir, "outbox"), fileListener) : smtpTransport(smtpUrl);
}

/** Hears each step of a mail on its way: what nodemailer would log, and its data. */
export type Listener = (data: Record<string, unknown>, message: string) => void;

/** Over SMTP, a connection for each mail. */
export function smtpTransport(smtpUrl: string, listener?: Listener): MailTransport {
  const closing = new AbortController();
  const listening = listener ? { logger: { info: listener, debug: listener }, transactionLog: true } : {};
  const mailer = createTransport({ ...smtpOptions(smtpUrl), ...listening });
  return {
    async send(message) {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(SEND_MS)]);
      await mailer.sendMail({ ...envelopeOf(message), signal });
    },
    close() {
      closing.abort();
      mailer.close();
    },
  };
}

/** How nodemailer is to speak with the server of this URL. */
export function smtpOptions(smtpUrl: string): SMTPTransportOptions {
  const { username, hostname } = new URL(smtpUrl);
  return {
    url: smtpUrl,
    // An account's password goes over no open line, whatever somebody in between says the server offers.
    requireTLS: username !== "" && !LOOPBACK.test(hostname),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
  };
}

/** Files that a mail program opens; they hold links, so they are their owner's alone. */
function fileTransport(folder: string, listener?: FileListener): MailTransport {
  const mailer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    async send(message) {
      const { message: content } = await mailer.sendMail(envelopeOf(message));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = new Date().toISOString().replaceAll(":", "-");
      const file = join(folder, `${time}-${message.id}.eml`);
      await writeFile(file, content, { mode: 0o600 });
      listener?.(message, file);
    },
    close: () => mailer.close(),
  };
}

/** Names and addresses are handed over apart, so that none can end a header and begin another. */
function envelopeOf({ id, to, from, subject, text, html }: MailMessage): SendMailOptions {
  return {
    messageId: `<${id}@${domainOf(from.address)}>`,
    to,
    from,
    subject,
    text,
    html,
    // No answering machine writes back (RFC 3834 section 5).
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}
