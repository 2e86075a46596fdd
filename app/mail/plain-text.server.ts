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
  greeting: string;
  parts: MailBlock[];
  /** HTML only: introduces the address of the button. */
  linkHint: string;
  closing: string;
  automated: string;
  imprint: { label: string; href: string };
};

/** Returns the plain-text version, with the full content. Its spaces may break, because mail programs wrap the lines. */
export function textOf({ greeting, parts, closing, product, automated, imprint }: MailDocument): string {
  const body = parts.map(textOfPart);
  const signature = `${closing}\n${product}`;
  // "-- " alone on a line begins the signature (RFC 3676 §4.3).
  const footer = `-- \n${automated}\n${imprint.label}: ${imprint.href}`;
  return `${[greeting, ...body, signature, footer].join("\n\n").replaceAll("\u00a0", " ")}\n`;
}

function textOfPart(part: MailBlock): string {
  if ("url" in part) return part.url;
  return "rows" in part ? part.rows.map(([label, value]) => `${label}: ${value}`).join("\n") : part.lines.join("\n");
}
