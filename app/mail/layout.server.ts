import type { Language } from "#app/i18n/language.ts";
import type { MailBlock } from "./templates.server.ts";

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const PARAGRAPH = "margin:0 0 16px;font-size:16px;line-height:1.5";
const BUTTON =
  "display:inline-block;padding:12px 24px;border-radius:6px;background:#1d4f91;color:#ffffff;font-weight:600;text-decoration:none";
const SMALL = "margin:0 0 8px;font-size:13px;line-height:1.5;color:#55606e";

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

/** Returns the HTML version: one column, one button, no external resources. */
export function htmlOf(document: MailDocument): string {
  const { language, product, subject, greeting, parts, closing, automated, imprint } = document;
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1b2430;${FONT}">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0 0 24px;font-size:18px;font-weight:600">${escaped(product)}</p>
<h1 style="margin:0 0 24px;font-size:22px;line-height:1.3">${escaped(subject)}</h1>
${paragraph([greeting])}
${parts.map(partHtml).join("\n")}
${paragraph([closing, product])}
<hr style="margin:24px 0;border:0;border-top:1px solid #c8d0da">
<p style="${SMALL}">${escaped(automated)}</p>
<p style="${SMALL}"><a href="${escaped(imprint.href)}" style="color:inherit">${escaped(imprint.label)}</a></p>
</div>
</body>
</html>
`;
}

function partHtml(part: MailBlock): string {
  if ("lines" in part) return paragraph(part.lines);
  const { url, label, isButton } = part;
  const link = `<a href="${escaped(url)}"${isButton ? ` style="${BUTTON}"` : ""}>${escaped(label || url)}</a>`;
  return `<p style="margin:0 0 16px;overflow-wrap:anywhere">${link}</p>`;
}

function paragraph(lines: readonly string[]): string {
  return `<p style="${PARAGRAPH}">${lines.map(escaped).join("<br>")}</p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML content and quoted attribute values. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
