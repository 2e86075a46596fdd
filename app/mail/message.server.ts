import addressparser from "nodemailer/lib/addressparser";
import type { Config } from "#app/config/config.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { FALLBACK_LANGUAGE, isLanguage, type Language } from "#app/i18n/language.ts";
import { htmlOf, type MailSheet, textOf } from "./layout.server.ts";
import { contentOf, type MailPart, type MailTemplate, type Occasion } from "./templates.server.ts";

/** A person's address; without a name `name` is empty. */
export type Mailbox = { name: string; address: string };

/** A mail that is ready to go. `id` is part of its Message-ID: whoever gets it twice can tell. */
export type MailMessage = { id: string; to: Mailbox; from: Mailbox; subject: string; text: string; html: string };

/** What mails are made of beside their own words. */
export type MailConfig = Pick<
  Config,
  "issuer" | "productName" | "imprintUrl" | "supportContact" | "mailFrom" | "timeZone"
>;

/** A template and the person it is for; `locale` null or none of ours: the language of people without one. */
export type MailInput = {
  id: string;
  to: Mailbox;
  locale: string | null;
  template: MailTemplate;
  occasion: Occasion;
};

/** Writes a mail in the person's language, once as plain text and once as HTML. Links begin with the issuer. */
export function renderMail(config: MailConfig, { id, to, locale, template, occasion }: MailInput): MailMessage {
  const language = languageOf(locale);
  const { t } = getInstance(language, config.productName);
  const time = (at: Date) => timeText(at, language, config.timeZone);
  const content = contentOf(template, occasion, { t, time });
  const sheet: MailSheet = {
    language,
    product: config.productName,
    subject: content.subject,
    greeting: t("mail.greeting", { name: to.name }),
    parts: [...content.parts.map((part) => checkedPart(part, config.issuer)), ...supportOf(config)],
    closing: t("mail.closing"),
    automated: t("mail.automated"),
    imprint: { label: t("footer.imprint"), href: config.imprintUrl },
  };
  return { id, to, from: senderOf(config), subject: sheet.subject, text: textOf(sheet), html: htmlOf(sheet) };
}

/** "de-AT" is German here. */
function languageOf(locale: string | null): Language {
  const [language] = (locale ?? "").toLowerCase().split("-");
  return isLanguage(language) ? language : FALLBACK_LANGUAGE;
}

function timeText(at: Date, language: Language, timeZone: string): string {
  const parts = { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  const locale = language === "en" ? "en-GB" : language;
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone, timeZoneName: "short" }).format(at);
}

/** A link that leads elsewhere is a mistake of ours that nobody may ever receive. */
function checkedPart(part: MailPart, issuer: string): MailPart {
  if ("url" in part && new URL(part.url).origin !== issuer) {
    throw new Error("a link in a mail must lead to this installation");
  }
  return part;
}

/** Whom to turn to. */
function supportOf({ supportContact }: MailConfig): MailPart[] {
  return supportContact === null ? [] : [{ lines: [supportContact] }];
}

function senderOf({ mailFrom, productName }: MailConfig): Mailbox {
  const [sender] = addressparser(mailFrom, { flatten: true });
  return { name: sender?.name || productName, address: sender?.address ?? mailFrom };
}
