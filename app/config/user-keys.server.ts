import { webUrl } from "./address-values.server.ts";
import { key } from "./key.server.ts";
import { mailAddress, mailbox, oneOf, plainText, wholeNumber } from "./plain-values.server.ts";
import { smtpUrl } from "./secret-values.server.ts";

export const MFA_POLICIES = ["optional", "required"] as const;

const LINK = "an http or https URL";

/** Keys for pages, mail and the sign-in policy. */
export const userKeys = {
  PRODUCT_NAME: key(plainText(60), {
    topic: "names",
    meaning: "The name in page titles, headings and mails.",
    expected: "one line of at most 60 characters",
    example: "Example Brokers",
    unset: { default: "Gatehouse" },
  }),
  APP_URL: key(webUrl(), {
    topic: "names",
    meaning: 'Where "to the application" links lead when no application asked for the sign-in.',
    expected: LINK,
    example: "https://suite.example.com/",
    unset: "refused",
  }),
  IMPRINT_URL: key(webUrl(), {
    topic: "names",
    meaning: "The imprint, linked in the footer of every page.",
    expected: LINK,
    example: "https://www.example.com/imprint",
    unset: "refused",
  }),
  PRIVACY_URL: key(webUrl().optional(), {
    topic: "names",
    meaning: "The privacy notice, linked in the footer.",
    expected: LINK,
    example: "https://www.example.com/privacy",
    unset: { means: "no link" },
  }),
  TERMS_URL: key(webUrl().optional(), {
    topic: "names",
    meaning: "The terms of use, linked in the footer.",
    expected: LINK,
    example: "https://www.example.com/terms",
    unset: { means: "no link" },
  }),
  SFDR_URL: key(webUrl().optional(), {
    topic: "names",
    meaning:
      "The sustainability disclosure of Regulation (EU) 2019/2088, which insurance brokers publish, linked in the footer.",
    expected: LINK,
    example: "https://www.example.com/sfdr",
    unset: { means: "no link" },
  }),
  SUPPORT_CONTACT: key(plainText(200).optional(), {
    topic: "names",
    meaning:
      "Whom people turn to when they cannot help themselves: a telephone number, a mail address or a short sentence.",
    expected: "one line of at most 200 characters",
    example: "it-support@example.com",
    unset: { means: "pages speak of the administrator" },
  }),
  SMTP_URL: key(smtpUrl().optional(), {
    topic: "mail",
    meaning:
      "The server that takes our mail, with the account in the URL if it asks for one. `smtps://` speaks TLS from the start, `smtp://` switches to it where the server offers that, and always where an account is given and the server is another machine. In a password, `/ ? # @ :` and `%` are percent-encoded.",
    expected: "smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT, without a path",
    example: "smtps://gatehouse:PASSWORD@mail.example.com:465",
    unset: {
      means: "nobody gets mail: it is written as .eml files into `outbox` in the data folder, with a warning at start",
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
    meaning: "Who is told by mail when the installation needs attention.",
    expected: "a mail address",
    example: "it@example.com",
    unset: { means: "such news stand in the log only" },
  }),
  MFA_POLICY: key(oneOf(MFA_POLICIES), {
    topic: "sign-in",
    meaning:
      "Whether a password is enough. `optional` asks for a second factor where a person has one or a group demands it; `required` asks everybody.",
    expected: MFA_POLICIES.join(" or "),
    example: "required",
    unset: { default: "optional" },
  }),
  FACTOR_RESET_DELAY_HOURS: key(wholeNumber(1, 720), {
    topic: "sign-in",
    meaning:
      "How long a person who reported a lost device waits until the mailed link removes the second factors. The time in which the owner can still stop a stranger.",
    expected: "a whole number of hours from 1 to 720",
    example: "48",
    unset: { default: "24" },
  }),
};
