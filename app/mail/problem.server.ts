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
  | "message";

/** Reason of a failed delivery, with the SMTP status code. Never contains the reply, which may contain addresses. */
export type MailProblem = { stage: MailStage; reason: string };

type SmtpErrorFields = { code: string; originalCode: string; command: string; status: number | null };

/** Converts an error of nodemailer or of the file transport. */
export function problemOf(error: unknown): MailProblem {
  const fields = readErrorFields(error);
  const { stage, reason } = classify(fields);
  return { stage, reason: fields.status === null ? reason : `${reason} (${fields.status})` };
}

function classify({ code, originalCode, command }: SmtpErrorFields): MailProblem {
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
      return { stage: "account", reason: "the mail server rejected user name or password" };
    case "EENVELOPE":
      return envelopeProblem(command);
    case "EMESSAGE":
    case "ESTREAM":
      return { stage: "message", reason: "the mail server refused the message" };
    case "EPROTOCOL":
      return { stage: "connection", reason: "the mail server refused the session" };
    default:
      return { stage: "file", reason: /^E[A-Z]+$/.test(code) ? `it could not be written (${code})` : "unexpected" };
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

function readErrorFields(error: unknown): SmtpErrorFields {
  const properties = new Map(typeof error === "object" && error !== null ? Object.entries(error) : []);
  const textOf = (name: string) => {
    const value: unknown = properties.get(name);
    return typeof value === "string" ? value : "";
  };
  const status: unknown = properties.get("responseCode");
  return {
    code: textOf("code"),
    originalCode: textOf("originalCode"),
    command: textOf("command"),
    status: typeof status === "number" ? status : null,
  };
}
