import type { z } from "zod";
import { tokenUrl } from "./address-values.server.ts";
import type { MailOauth } from "./config.ts";
import { key } from "./key.server.ts";
import { clientCertificate, endDate, microsoftTenant, serviceAccount } from "./mail-oauth-values.server.ts";
import { addressOf, mailAddress, mailbox, plainText } from "./plain-values.server.ts";
import { clientSecret, smtpUrl } from "./secret-values.server.ts";

const MICROSOFT_SCOPE = "https://outlook.office365.com/.default";
const GOOGLE_SCOPE = "https://mail.google.com/";
const NO_TOKEN = { means: "the mail server is used without a token" } as const;

/** Keys for mail. */
export const mailKeys = {
  SMTP_URL: key(smtpUrl().optional(), {
    topic: "mail",
    meaning:
      "The mail server, with user name and password if it requires them. `smtps://` uses implicit TLS. `smtp://` uses STARTTLS if the server offers it, and requires it if a user name or MAIL_OAUTH_… is set and the server is not on this machine. Percent-encode `/ ? # @ :` and `%` in user name and password. With MAIL_OAUTH_…, the URL contains no password; its user name is the mailbox that signs in, by default the address of MAIL_FROM.",
    expected: "smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT, without a path",
    example: "smtps://gatehouse:PASSWORD@mail.example.com:465",
    unset: {
      means: "mails are not sent, but written as .eml files to `outbox` in the data folder, with a warning at start",
    },
    secret: "url",
  }),
  MAIL_FROM: key(mailbox().optional(), {
    topic: "mail",
    meaning: "The sender of every mail.",
    expected: "a mail address, alone or as NAME <ADDRESS>",
    example: "Example Brokers <login@example.com>",
    unset: { means: "`no-reply@` and the host name of ISSUER" },
  }),
  ADMIN_MAIL: key(mailAddress().optional(), {
    topic: "mail",
    meaning: "The recipient of mails about problems of the installation, such as a failed backup.",
    expected: "a mail address",
    example: "it@example.com",
    unset: { means: "problems are logged only" },
  }),
  MAIL_OAUTH_TENANT: key(microsoftTenant().optional(), {
    topic: "mail",
    meaning:
      "The Microsoft 365 tenant whose tokens authenticate at the mail server (XOAUTH2), because Microsoft no longer accepts passwords. SMTP_URL is `smtp://smtp.office365.com:587`. docs/operations.md lists the steps in Microsoft Entra and Exchange.",
    expected: "the directory (tenant) ID or a domain of the tenant",
    example: "72f988bf-86f1-41af-91ab-2d7cd011db47",
    unset: NO_TOKEN,
  }),
  MAIL_OAUTH_CLIENT_ID: key(plainText(200).optional(), {
    topic: "mail",
    meaning: "The application (client) ID of the application that sends the mails.",
    expected: "one line of at most 200 characters",
    example: "6731de76-14a6-49ae-97bc-6eba6914391e",
    unset: NO_TOKEN,
  }),
  MAIL_OAUTH_CLIENT_SECRET: key(clientSecret().optional(), {
    topic: "mail",
    meaning: "The value of a client secret of this application, not the ID of the secret.",
    expected: "one line of at most 1000 characters, without white space around it",
    example: "CLIENT-SECRET",
    unset: NO_TOKEN,
    secret: "hidden",
  }),
  MAIL_OAUTH_SECRET_EXPIRES: key(endDate().optional(), {
    topic: "mail",
    meaning:
      "The date on which the client secret ends, as Microsoft Entra shows it. `gatehouse doctor` warns 30 days before it; the application itself cannot read it.",
    expected: "a date such as 2028-05-31",
    example: "2028-05-31",
    unset: { means: "no warning before the end" },
  }),
  MAIL_OAUTH_CERTIFICATE: key(clientCertificate().optional(), {
    topic: "mail",
    meaning:
      "Instead of a client secret: an RSA private key and its certificate, which is uploaded to the application. It is simplest to set MAIL_OAUTH_CERTIFICATE_FILE to the path of a file with both.",
    expected: "an unencrypted RSA private key of at least 2048 bits and its X.509 certificate, both in PEM",
    example:
      "-----BEGIN PRIVATE KEY-----\\nBASE64\\n-----END PRIVATE KEY-----\\n-----BEGIN CERTIFICATE-----\\nBASE64\\n…",
    unset: NO_TOKEN,
    secret: "hidden",
  }),
  MAIL_OAUTH_SERVICE_ACCOUNT: key(serviceAccount().optional(), {
    topic: "mail",
    meaning:
      "For Google Workspace, instead of MAIL_OAUTH_TENANT and MAIL_OAUTH_CLIENT_ID: the key of a service account with domain-wide delegation. Set MAIL_OAUTH_SERVICE_ACCOUNT_FILE to the path of the JSON file from the Google Cloud console, and SMTP_URL to `smtp://smtp.gmail.com:587`.",
    expected: 'the JSON of a key of a service account ("type": "service_account")',
    example: '{"type":"service_account","client_email":"gatehouse@PROJECT.iam.gserviceaccount.com",…}',
    unset: NO_TOKEN,
    secret: "hidden",
  }),
  MAIL_OAUTH_TOKEN_URL: key(tokenUrl().optional(), {
    topic: "mail",
    meaning:
      "Instead of MAIL_OAUTH_TENANT: the token endpoint of another provider that issues tokens for its mail server by client credentials (RFC 6749, section 4.4).",
    expected: "an https URL without a fragment; http only on this machine",
    example: "https://login.microsoftonline.us/TENANT-ID/oauth2/v2.0/token",
    unset: { means: "the token endpoint of the Microsoft 365 tenant, or of the service account" },
  }),
  MAIL_OAUTH_SCOPE: key(plainText(500).optional(), {
    topic: "mail",
    meaning: "The scope of the token, or several separated by spaces. Required with MAIL_OAUTH_TOKEN_URL.",
    expected: "one line of at most 500 characters",
    example: MICROSOFT_SCOPE,
    unset: { means: `\`${MICROSOFT_SCOPE}\`; with a service account, \`${GOOGLE_SCOPE}\`` },
  }),
};

/** The validated values of the keys above. */
type MailEnvironment = z.output<z.ZodObject<typeof mailKeys>>;

/** Converts the keys to the token that authenticates at the mail server; null if it needs none. */
export function toMailOauth(env: MailEnvironment): MailOauth | null {
  const account = env.MAIL_OAUTH_SERVICE_ACCOUNT;
  if (account) {
    const { clientId, privateKey, keyId } = account;
    return {
      clientId,
      mailbox: mailboxOf(env),
      tokenUrl: env.MAIL_OAUTH_TOKEN_URL ?? account.tokenUrl,
      scope: env.MAIL_OAUTH_SCOPE ?? GOOGLE_SCOPE,
      credential: { kind: "service account", privateKey, keyId, endsAt: env.MAIL_OAUTH_SECRET_EXPIRES ?? null },
    };
  }
  const { MAIL_OAUTH_CLIENT_ID: clientId, MAIL_OAUTH_TENANT: tenant = "" } = env;
  const credential = credentialOf(env);
  if (clientId === undefined || credential === null) return null;
  return {
    clientId,
    mailbox: mailboxOf(env),
    tokenUrl: env.MAIL_OAUTH_TOKEN_URL ?? `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
    scope: env.MAIL_OAUTH_SCOPE ?? MICROSOFT_SCOPE,
    credential,
  };
}

function credentialOf(env: MailEnvironment): MailOauth["credential"] | null {
  const { MAIL_OAUTH_CLIENT_SECRET: secret, MAIL_OAUTH_CERTIFICATE: certificate } = env;
  if (certificate) return { kind: "certificate", ...certificate };
  return secret ? { kind: "secret", secret, endsAt: env.MAIL_OAUTH_SECRET_EXPIRES ?? null } : null;
}

function mailboxOf({ SMTP_URL: url, MAIL_FROM: from }: MailEnvironment): string {
  const username = url === undefined ? "" : decodeURIComponent(new URL(url).username);
  return username === "" ? addressOf(from ?? "") : username;
}
