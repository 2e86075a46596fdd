import addressparser from "nodemailer/lib/addressparser";
import type { Config } from "#app/config/config.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { mailLanguage } from "#app/i18n/language.ts";
import { exactTimeText, momentText } from "#app/i18n/time-texts.server.ts";
import { markOf } from "./mark.ts";
import { type MailDocument, textOf } from "./plain-text.server.ts";
import { contentOf, type MailBlock, type MailTemplate, type Occasion } from "./templates.server.ts";

/** A mail address; `name` is "" if unknown or not to be repeated. */
type Mailbox = { name: string; address: string };

/** A rendered mail. `id` is part of its Message-ID, so that duplicates can be recognised. */
export type MailMessage = { id: string; to: Mailbox; from: Mailbox; subject: string; text: string; html: string };

/** Configuration that mails contain. */
export type MailConfig = Pick<
  Config,
  | "issuer"
  | "productName"
  | "logo"
  | "accent"
  | "imprintUrl"
  | "supportContact"
  | "mailFrom"
  | "timeZone"
  | "defaultLanguage"
>;

/** A template and its recipient; `pageLanguage` and `locale` select the language (`mailLanguage`). */
type MailInput = {
  id: string;
  to: Mailbox;
  pageLanguage?: string | undefined;
  locale: string | null;
  template: MailTemplate;
  occasion: Occasion;
};

/** Renders a mail as text and HTML. Throws if a link does not begin with the issuer. */
export async function renderMail(
  config: MailConfig,
  { id, to: { name, address }, template, occasion, ...languages }: MailInput,
): Promise<MailMessage> {
  const to = { name: isPlainName(name) ? name : "", address };
  // Imported on demand: most commands send no mail, and a server sets NODE_ENV before it loads React.
  const { htmlOf } = await import("./html.server.tsx");
  const language = mailLanguage(config, languages);
  const { t } = getInstance(language, config.productName);
  const time = (at: Date) => exactTimeText(at, { language, timeZone: config.timeZone });
  const moment = (at: Date) => momentText(at, { language, timeZone: config.timeZone });
  const content = contentOf(template, occasion, { t, time, moment });
  const document: MailDocument = {
    language,
    product: config.productName,
    hasMark: markOf(config) !== null,
    accent: config.accent,
    subject: content.subject,
    preheader: content.preheader ?? firstLineOf(content.parts),
    greeting: to.name === "" ? t("mail.greetingUnnamed") : t("mail.greeting", { name: to.name }),
    parts: [...content.parts.map((part) => checkedPart(part, config.issuer)), ...supportOf(config)],
    detailsLabel: t("mail.details"),
    linkHint: t("mail.linkHint"),
    closing: t("mail.closing"),
    automated: t("mail.automated"),
    imprint: { label: t("footer.imprint"), href: config.imprintUrl },
  };
  return { id, to, from: senderOf(config), subject: document.subject, text: textOf(document), html: htmlOf(document) };
}

/** Longest name that a mail repeats, in characters. */
const NAME_MAX_LENGTH = 60;

/** Text that mail programs turn into a link: an address with a scheme, a path or "@", a host, a telephone number. */
const LINKED = /[:/\\@]|[\p{L}\p{N}][.。][\p{L}\p{N}]{2}|(\d\D?){6}/u;

/** Returns true unless a display name is a message of its own, under the name of this installation. */
function isPlainName(name: string): boolean {
  return name.length <= NAME_MAX_LENGTH && !LINKED.test(name.normalize("NFKC"));
}

function firstLineOf(parts: readonly MailBlock[]): string {
  return parts.flatMap((part) => ("lines" in part ? part.lines : []))[0] ?? "";
}

/** Throws if a link leads to another origin, which would be a programming error. */
function checkedPart(part: MailBlock, issuer: string): MailBlock {
  if ("url" in part && new URL(part.url).origin !== issuer) {
    throw new Error("a link in a mail must have the origin of this installation");
  }
  return part;
}

function supportOf({ supportContact }: MailConfig): MailBlock[] {
  return supportContact === null ? [] : [{ lines: [supportContact] }];
}

function senderOf({ mailFrom, productName }: MailConfig): Mailbox {
  const [sender] = addressparser(mailFrom, { flatten: true });
  return { name: sender?.name || productName, address: sender?.address ?? mailFrom };
}
