import type { MailSheet } from "./message.server.ts";

/** The mail for people and programs that show no HTML: nothing is missing in it. */
export function textOf({ greeting, parts, closing, product, automated, imprint }: MailSheet): string {
  const body = parts.map((part) => ("lines" in part ? part.lines.join("\n") : part.url));
  const signature = `${closing}\n${product}`;
  // "-- " alone on a line begins the signature (RFC 3676 section 4.3).
  const footer = `-- \n${automated}\n${imprint.label}: ${imprint.href}`;
  return `${[greeting, ...body, signature, footer].join("\n\n")}\n`;
}
