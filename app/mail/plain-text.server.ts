import type { Language } from "#app/i18n/language.ts";
import type { MailBlock } from "./templates.server.ts";

/** Content of a mail, rendered as plain text and as HTML. */
export type MailDocument = {
  language: Language;
  product: string;
  subject: string;
  greeting: string;
  parts: MailBlock[];
  closing: string;
  automated: string;
  imprint: { label: string; href: string };
};

/** Returns the plain-text version, with the full content. */
export function textOf({ greeting, parts, closing, product, automated, imprint }: MailDocument): string {
  const body = parts.map((part) => ("lines" in part ? part.lines.join("\n") : part.url));
  const signature = `${closing}\n${product}`;
  // "-- " alone on a line begins the signature (RFC 3676 §4.3).
  const footer = `-- \n${automated}\n${imprint.label}: ${imprint.href}`;
  return `${[greeting, ...body, signature, footer].join("\n\n")}\n`;
}
