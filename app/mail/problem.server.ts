import { z } from "zod";

/** Code of the error of a mail whose recipient needs SMTPUTF8, which the server does not offer. */
export const NO_SMTPUTF8 = "ENOSMTPUTF8";

/** Stage of the delivery at which a mail failed. "address" is permanent: no attempt can succeed. */
export type MailStage =
  | "address"
  | "file"
  | "name"
  | "connection"
  | "tls"
  | "account"
  | "sender"
  | "recipient"
  | "message"
  | TokenStage
  | LoginStage;

/** Stages of a token request (token-problem.server.ts). */
type TokenStage =
  | "tenant"
  | "client"
  | "secret"
  | "expired secret"
  | "certificate"
  | "service account"
  | "delegation"
  | "scope"
  | "token endpoint"
  | "token";

/**
 * Reasons of a rejected authentication. "password": the server accepts tokens only. "permission" and "mailbox" are
 * derived from the token, because Microsoft 365 responds to both with the same text.
 */
type LoginStage = "smtp auth" | "password" | "permission" | "mailbox" | "rejected token";

/** Reason of a failed delivery, with the SMTP status code. Never contains the reply, which may contain addresses. */
export type MailProblem = { stage: MailStage; reason: string };

/** Thrown if no access token was issued. */
export class TokenError extends Error {
  readonly problem: MailProblem;

  constructor(problem: MailProblem) {
    super(problem.reason);
    this.name = "TokenError";
    this.problem = problem;
  }
}

/** The permission in the token of a rejected authentication. "unknown": not a token of Microsoft 365. */
export type TokenPermission = "granted" | "missing" | "unknown";

type SmtpErrorFields = {
  code: string;
  originalCode: string;
  command: string;
  response: string;
  status: number | null;
  permission: TokenPermission | null;
};

/** Converts an error of nodemailer, of the token request or of the file transport. */
export function problemOf(error: unknown): MailProblem {
  if (error instanceof TokenError) return error.problem;
  const fields = readErrorFields(error);
  const { stage, reason } = classify(fields);
  return { stage, reason: fields.status === null ? reason : `${reason} (${fields.status})` };
}

function classify(fields: SmtpErrorFields): MailProblem {
  const { code, originalCode, command } = fields;
  switch (code) {
    case NO_SMTPUTF8:
      return {
        stage: "address",
        reason: 'the mail server does not support letters such as "ä" before the "@" (SMTPUTF8)',
      };
    case "EABORT":
      return { stage: "connection", reason: "the mail server was too slow, or the process was stopped" };
    case "EDNS":
      return { stage: "name", reason: "the host name of the mail server cannot be resolved" };
    case "ETIMEDOUT":
      return { stage: "connection", reason: "the mail server does not respond" };
    case "ECONNECTION":
      return { stage: "connection", reason: "the mail server ended the connection" };
    case "ESOCKET":
      return socketProblem(originalCode);
    case "ETLS":
      return { stage: "tls", reason: "no TLS connection could be established" };
    case "EAUTH":
    case "ENOAUTH":
      return loginProblem(fields);
    case "EENVELOPE":
      return envelopeProblem(command);
    case "EMESSAGE":
    case "ESTREAM":
      if (SEND_AS_DENIED.test(fields.response)) {
        return { stage: "sender", reason: "the mailbox may not send as MAIL_FROM" };
      }
      return { stage: "message", reason: "the mail server refused the message" };
    case "EPROTOCOL":
      return { stage: "connection", reason: "the mail server refused the session" };
    default:
      return { stage: "file", reason: /^E[A-Z]+$/.test(code) ? `it could not be written (${code})` : "unexpected" };
  }
}

/** Replies of Microsoft 365: https://aka.ms/smtp_auth_disabled, and the announcement of the end of passwords. */
const SMTP_AUTH_DISABLED = /SmtpClientAuthentication is disabled for the (Mailbox|Tenant)/i;
const PASSWORDS_ENDED = /basic authentication is (disabled|not supported)/i;

/** This reply is not documented, but every report of a mailbox that sends as another one has it: `554 5.2.252 SendAsDenied`. */
const SEND_AS_DENIED = /\bSendAsDenied/;

function loginProblem({ response, permission, status }: SmtpErrorFields): MailProblem {
  // A 4yz reply is temporary (RFC 5321 §4.2.1): it says nothing about the credentials.
  if (status !== null && status < 500) {
    return { stage: "connection", reason: "the mail server cannot authenticate at the moment" };
  }
  const [, where] = SMTP_AUTH_DISABLED.exec(response) ?? [];
  if (where) return { stage: "smtp auth", reason: `SMTP AUTH is switched off for the ${where.toLowerCase()}` };
  if (PASSWORDS_ENDED.test(response)) {
    return { stage: "password", reason: "the mail server does not accept passwords any more" };
  }
  switch (permission) {
    case null:
      return { stage: "account", reason: "the mail server rejected user name or password" };
    case "missing":
      return { stage: "permission", reason: "the mail server rejected a token without the permission SMTP.SendAsApp" };
    case "granted":
      return { stage: "mailbox", reason: "the mail server rejected the token for this mailbox" };
    case "unknown":
      return { stage: "rejected token", reason: "the mail server rejected the token" };
  }
}

function socketProblem(originalCode: string): MailProblem {
  if (originalCode === "ECONNREFUSED") return { stage: "connection", reason: "the mail server refused the connection" };
  if (/^(ENETUNREACH|EHOSTUNREACH)$/.test(originalCode)) {
    return { stage: "connection", reason: "the mail server is not reachable" };
  }
  if (/CERT|SELF_SIGNED|ISSUER|SSL|TLS/.test(originalCode)) {
    return { stage: "tls", reason: "the certificate of the mail server is not trusted" };
  }
  return { stage: "connection", reason: "the connection was interrupted" };
}

function envelopeProblem(command: string): MailProblem {
  if (command === "MAIL FROM") return { stage: "sender", reason: "the mail server refused the sender" };
  if (command === "RCPT TO") return { stage: "recipient", reason: "the mail server refused the recipient" };
  return { stage: "message", reason: "the mail server refused the message" };
}

const permissionSchema = z.enum(["granted", "missing", "unknown"]);

function readErrorFields(error: unknown): SmtpErrorFields {
  const properties = new Map(typeof error === "object" && error !== null ? Object.entries(error) : []);
  const textOf = (name: string) => {
    const value: unknown = properties.get(name);
    return typeof value === "string" ? value : "";
  };
  const status: unknown = properties.get("responseCode");
  const permission = permissionSchema.safeParse(properties.get("tokenPermission")).data ?? null;
  return {
    code: textOf("code"),
    originalCode: textOf("originalCode"),
    command: textOf("command"),
    response: textOf("response"),
    permission,
    status: typeof status === "number" ? status : null,
  };
}
