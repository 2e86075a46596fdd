import { type CSSProperties, Fragment, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { MailDocument } from "./plain-text.server.ts";
import type { MailBlock } from "./templates.server.ts";

// Styles are inline, because many mail clients ignore style sheets.
const STYLES = {
  body: {
    margin: 0,
    padding: 24,
    background: "#ffffff",
    color: "#1b2430",
    fontFamily: "system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif",
  },
  column: { maxWidth: 560, margin: "0 auto" },
  product: { margin: "0 0 24px", fontSize: 18, fontWeight: 600 },
  heading: { margin: "0 0 24px", fontSize: 22, lineHeight: 1.3 },
  paragraph: { margin: "0 0 16px", fontSize: 16, lineHeight: 1.5 },
  link: { margin: "0 0 16px", overflowWrap: "anywhere" },
  button: {
    display: "inline-block",
    padding: "12px 24px",
    borderRadius: 6,
    background: "#1d4f91",
    color: "#ffffff",
    fontWeight: 600,
    textDecoration: "none",
  },
  rule: { margin: "24px 0", border: 0, borderTop: "1px solid #c8d0da" },
  small: { margin: "0 0 8px", fontSize: 13, lineHeight: 1.5, color: "#55606e" },
  inherited: { color: "inherit" },
} as const satisfies Record<string, CSSProperties>;

/** Returns the HTML version: one column, one button, no external resources. */
export function htmlOf(document: MailDocument): string {
  return `<!DOCTYPE html>\n${renderToStaticMarkup(<MailPage {...document} />)}\n`;
}

function MailPage({
  language,
  product,
  subject,
  greeting,
  parts,
  closing,
  automated,
  imprint,
}: MailDocument): ReactNode {
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>{subject}</title>
      </head>
      <body style={STYLES.body}>
        <div style={STYLES.column}>
          <p style={STYLES.product}>{product}</p>
          <h1 style={STYLES.heading}>{subject}</h1>
          <Paragraph lines={[greeting]} />
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a mail is rendered once
            <Part key={index} part={part} />
          ))}
          <Paragraph lines={[closing, product]} />
          <hr style={STYLES.rule} />
          <p style={STYLES.small}>{automated}</p>
          <p style={STYLES.small}>
            <a href={imprint.href} style={STYLES.inherited}>
              {imprint.label}
            </a>
          </p>
        </div>
      </body>
    </html>
  );
}

function Part({ part }: { part: MailBlock }): ReactNode {
  if ("lines" in part) return <Paragraph lines={part.lines} />;
  const { url, label, isButton } = part;
  return (
    <p style={STYLES.link}>
      <a href={url} style={isButton ? STYLES.button : undefined}>
        {label || url}
      </a>
    </p>
  );
}

function Paragraph({ lines }: { lines: readonly string[] }): ReactNode {
  return (
    <p style={STYLES.paragraph}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mail is rendered once
        <Fragment key={index}>
          {index > 0 && <br />}
          {line}
        </Fragment>
      ))}
    </p>
  );
}
