import type { Accent } from "#app/config/config.ts";
import type { Language } from "#app/i18n/language.ts";
import type { MailBlock } from "./templates.server.ts";

/** Content of a mail, rendered as plain text and as HTML. */
export type MailDocument = {
  language: Language;
  product: string;
  /** HTML only: shows the image with the Content-ID of mark.ts. */
  hasMark: boolean;
  /** HTML only: null for the product's own green. */
  accent: Accent | null;
  subject: string;
  /** HTML only: what lists of mails show beside the subject. */
  preheader: string;
  greeting: string;
  parts: MailBlock[];
  /** HTML only: names the table of labels and values. */
  detailsLabel: string;
  /** HTML only: introduces the address of the button. */
  linkHint: string;
  closing: string;
  automated: string;
  imprint: { label: string; href: string };
};

/** Returns the plain-text version, with the full content; without characters that a font for plain text may lack. */
export function textOf({ greeting, parts, closing, product, automated, imprint }: MailDocument): string {
  const body = parts.map(textOfPart);
  const signature = `${closing}\n${product}`;
  // "-- " alone on a line begins the signature (RFC 3676 §4.3).
  const footer = `-- \n${automated}\n${imprint.label}: ${imprint.href}`;
  const text = [greeting, ...body, signature, footer].join("\n\n");
  return `${text.replaceAll("\u00a0", " ").replaceAll("\u2011", "-")}\n`;
}

function textOfPart(part: MailBlock): string {
  if ("url" in part) return part.note === undefined ? part.url : `${part.label}: ${part.note}\n${part.url}`;
  if ("question" in part) return `${part.question} ${part.answer}`;
  return "rows" in part ? part.rows.map(([label, value]) => `${label}: ${value}`).join("\n") : part.lines.join("\n");
}
