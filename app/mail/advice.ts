import type { MailStage } from "./problem.server.ts";

const MAILBOX = "the mailbox (user name of SMTP_URL, otherwise the address of MAIL_FROM)";
const MANUAL = "See docs/operations.md, Mail through Microsoft 365.";

/** Instructions for administrators about a failed delivery. */
export const MAIL_ADVICE: Record<MailStage, string> = {
  address: "Use another address for the recipient, or a mail server that offers SMTPUTF8.",
  file: "Check the permissions and the free space of the data folder.",
  name: "Check the host in SMTP_URL and the DNS configuration of this machine.",
  connection: "Check host and port in SMTP_URL (usually 587 with smtp://, 465 with smtps://), and firewalls.",
  tls: "Use smtps:// for ports with implicit TLS (465), smtp:// for ports with STARTTLS (587). The certificate must be valid for the host in SMTP_URL; for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.",
  account: "Check the user name and the password in SMTP_URL; percent-encode / ? # @ : and % in them.",
  sender:
    "Check MAIL_FROM: many servers accept only the address of the account as sender. With Microsoft 365, use the address of the mailbox, or run Add-RecipientPermission … -AccessRights SendAs in Exchange Online.",
  recipient:
    "The server does not accept mail for this recipient; many require authentication (user and password in SMTP_URL).",
  message: "The server rejected the content of the mail; see its response.",
  tenant:
    "Check MAIL_OAUTH_TENANT: it is the Directory (tenant) ID on the overview of the application in Microsoft Entra.",
  client:
    "Check MAIL_OAUTH_CLIENT_ID: it is the Application (client) ID, not an object ID, of an enabled application in this tenant.",
  secret:
    "Check MAIL_OAUTH_CLIENT_SECRET: it is the Value of the client secret, not its Secret ID; Microsoft Entra shows it only once.",
  "expired secret":
    "Create a new client secret under Certificates & secrets, set MAIL_OAUTH_CLIENT_SECRET and MAIL_OAUTH_SECRET_EXPIRES, and restart the server.",
  certificate:
    "Upload the certificate of MAIL_OAUTH_CERTIFICATE to the application under Certificates & secrets, and check that it has not ended and that the clock of this machine is right.",
  "service account": `Check that the key of MAIL_OAUTH_SERVICE_ACCOUNT was not deleted, that ${MAILBOX} exists, and that the clock of this machine is right.`,
  delegation:
    "In the Google Admin console, under Security > Access and data control > API controls > Domain-wide delegation, add the client ID of the service account with the scope https://mail.google.com/.",
  scope:
    "Check MAIL_OAUTH_SCOPE; for Microsoft 365, leave it unset. The token endpoint must issue tokens for the mail server.",
  "token endpoint":
    "Check MAIL_OAUTH_TOKEN_URL, the DNS configuration of this machine, and that it can open connections to the token endpoint (firewall, proxy).",
  token:
    "Look up the error code in the documentation of the provider; for AADSTS codes: https://login.microsoftonline.com/error",
  "smtp auth": `Switch on "Authenticated SMTP" for ${MAILBOX} in the Microsoft 365 admin centre, or run Set-CASMailbox MAILBOX -SmtpClientAuthenticationDisabled $false in Exchange Online. It can take an hour.`,
  password: `Authenticate by token: set MAIL_OAUTH_TENANT, MAIL_OAUTH_CLIENT_ID and MAIL_OAUTH_CLIENT_SECRET. ${MANUAL}`,
  permission: `Add the application permission SMTP.SendAsApp of "Office 365 Exchange Online", and grant admin consent. It can take half an hour. ${MANUAL}`,
  mailbox: `Probably ${MAILBOX} does not exist, or is not open to the application: run New-ServicePrincipal with the object ID of the enterprise application, and Add-MailboxPermission. It can take half an hour. ${MANUAL}`,
  "rejected token": `Check that ${MAILBOX} exists, that the application may send for it, and that MAIL_OAUTH_SCOPE is that of the mail server.`,
};
