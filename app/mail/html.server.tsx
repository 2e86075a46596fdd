import { type CSSProperties, Fragment, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Accent } from "#app/config/config.ts";
import { MARK_CID } from "./mark.ts";
import type { MailDocument } from "./plain-text.server.ts";
import type { MailBlock } from "./templates.server.ts";

/** The colours of tokens.css; mails cannot use custom properties. */
const LIGHT = {
  paper: "#f6f5f1",
  sheet: "#ffffff",
  ink: "#17231f",
  muted: "#51605a",
  line: "#d5d9d3",
  link: "#0b5a8a",
};
const DARK = { paper: "#101714", sheet: "#18211d", ink: "#eaf0ec", muted: "#a9b7b0", line: "#33413a", link: "#8cc4ee" };

/** The product's own green. */
const GREEN = {
  light: { brand: "#0f5c4d", onBrand: "#ffffff" },
  dark: { brand: "#5fc3a8", onBrand: "#06251d" },
} as const;

/** Returns the HTML version: one sheet, no remote resources. Layout tables are for Outlook. */
export function htmlOf(document: MailDocument): string {
  return `<!DOCTYPE html>\n${renderToStaticMarkup(<MailPage {...document} />)}\n`;
}

/** Replaces the inline colours in mail clients that support style sheets; the others show the light colours. */
function styleSheetOf(accent: Accent | null): string {
  const { brand, onBrand } = (accent ?? GREEN).dark;
  return `:root { color-scheme: light dark; supported-color-schemes: light dark; }
a:focus-visible { outline: 3px solid #1b4fd8; outline-offset: 2px; }
@media (max-width: 30em) {
  .m-outer { padding: 0 0 24px !important; }
  .m-pad { padding-left: 20px !important; padding-right: 20px !important; }
  .m-heading { font-size: 20px !important; line-height: 26px !important; }
  .m-sheet { border-left: 0 !important; border-right: 0 !important; border-radius: 0 !important; }
  .m-stack { display: block !important; padding-right: 0 !important; }
  th.m-stack { border-bottom: 0 !important; padding-bottom: 0 !important; }
  td.m-stack { padding-top: 0 !important; }
  .m-wide, .m-button { width: 100% !important; }
  .m-button a { display: block !important; text-align: center !important; }
}
@media (prefers-color-scheme: dark) {
  .m-paper { background: ${DARK.paper} !important; }
  .m-sheet { background: ${DARK.sheet} !important; border-color: ${DARK.line} !important; }
  .m-tab { border-color: ${brand} !important; }
  .m-ink { color: ${DARK.ink} !important; }
  .m-muted { color: ${DARK.muted} !important; }
  .m-line { border-color: ${DARK.line} !important; }
  .m-filled, .m-filled a { background: ${brand} !important; border-color: ${brand} !important; color: ${onBrand} !important; }
  .m-outlined a { border-color: ${DARK.muted} !important; color: ${DARK.ink} !important; }
  .m-link { color: ${DARK.link} !important; }
  a:focus-visible { outline-color: #9db8ff; }
}`;
}

const STYLES = {
  body: { margin: 0, padding: 0, background: LIGHT.paper },
  page: {
    background: LIGHT.paper,
    fontFamily: "'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
    fontSize: 16,
    lineHeight: "24px",
  },
  preheader: { display: "none", maxHeight: 0, overflow: "hidden" },
  outer: { padding: "32px 16px" },
  sheet: {
    maxWidth: 560,
    margin: "0 auto",
    background: LIGHT.sheet,
    border: `1px solid ${LIGHT.line}`,
    borderRadius: 10,
    borderCollapse: "separate",
    textAlign: "left",
  },
  top: { padding: "0 32px" },
  brand: { padding: "24px 32px 0" },
  mark: { display: "block", border: 0, maxWidth: 160 },
  name: { fontWeight: 600, color: LIGHT.ink },
  content: { padding: "24px 32px 32px", color: LIGHT.ink },
  heading: {
    margin: "0 0 16px",
    fontSize: 24,
    lineHeight: "30px",
    fontWeight: 600,
    letterSpacing: "-0.01em",
    overflowWrap: "anywhere",
  },
  paragraph: { margin: "0 0 16px" },
  link: { color: LIGHT.link },
  rows: { margin: "4px 0 24px", borderCollapse: "collapse", borderTop: `2px solid ${LIGHT.ink}` },
  label: {
    padding: "10px 16px 10px 0",
    borderBottom: `1px solid ${LIGHT.line}`,
    fontWeight: 400,
    color: LIGHT.muted,
    whiteSpace: "nowrap",
    textAlign: "left",
    verticalAlign: "top",
  },
  value: {
    padding: "10px 0",
    borderBottom: `1px solid ${LIGHT.line}`,
    color: LIGHT.ink,
    verticalAlign: "top",
    overflowWrap: "anywhere",
  },
  emphasis: { fontWeight: 600 },
  button: { margin: "8px 0 24px" },
  notedButton: { margin: 0 },
  note: { margin: "12px 0 24px", fontSize: 14, lineHeight: "20px", color: LIGHT.muted },
  hint: {
    margin: "24px 0 0",
    padding: "16px 0 0",
    borderTop: `1px solid ${LIGHT.line}`,
    fontSize: 14,
    lineHeight: "20px",
    color: LIGHT.muted,
    overflowWrap: "anywhere",
  },
  footer: { maxWidth: 560, margin: "16px auto 0", fontSize: 14, lineHeight: "20px", color: LIGHT.muted },
  inherited: { color: "inherit" },
} as const satisfies Record<string, CSSProperties>;

const PLAIN = { cellPadding: 0, cellSpacing: 0, border: 0 } as const;

/** Attributes of a table that only positions its content. */
const LAYOUT = { role: "presentation", ...PLAIN } as const;

function MailPage({ language, subject, accent, ...document }: MailDocument): ReactNode {
  const { product, hasMark, preheader, greeting, parts, detailsLabel, linkHint, closing, automated, imprint } =
    document;
  const colours = (accent ?? GREEN).light;
  const buttons = parts.filter((part) => "url" in part);
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{styleSheetOf(accent)}</style>
      </head>
      <body className="m-paper" style={STYLES.body}>
        {/* biome-ignore lint/a11y/useSemanticElements: mail programs remove newer elements */}
        <div role="main" className="m-paper m-outer" style={{ ...STYLES.page, ...STYLES.outer }}>
          <div style={STYLES.preheader}>{preheader}</div>
          <table {...LAYOUT} className="m-sheet" width="100%" style={STYLES.sheet}>
            <tbody>
              <tr>
                <td className="m-pad" style={STYLES.top}>
                  <Tab colour={colours.brand} />
                </td>
              </tr>
              <tr>
                <td className="m-pad" style={STYLES.brand}>
                  <Brand product={product} hasMark={hasMark} />
                </td>
              </tr>
              <tr>
                <td className="m-pad m-ink" style={STYLES.content}>
                  <h1 className="m-heading" style={STYLES.heading}>
                    {subject}
                  </h1>
                  <Paragraph lines={[greeting]} />
                  {parts.map((part, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a mail is rendered once
                    <Part key={index} part={part} colours={colours} detailsLabel={detailsLabel} />
                  ))}
                  <Paragraph lines={[closing, product]} />
                  {buttons.length > 0 && <LinkHint text={linkHint} buttons={buttons} />}
                </td>
              </tr>
            </tbody>
          </table>
          <p className="m-muted m-pad" style={STYLES.footer}>
            {automated}
            <br />
            <a href={imprint.href} style={STYLES.inherited}>
              {imprint.label}
            </a>
          </p>
        </div>
      </body>
    </html>
  );
}

/** The tab on the upper edge of the sheet. */
function Tab({ colour }: { colour: string }): ReactNode {
  const style = { width: 48, borderTop: `4px solid ${colour}`, fontSize: 0, lineHeight: 0 };
  return (
    <table {...LAYOUT}>
      <tbody>
        <tr>
          <td className="m-tab" width="48" style={style}>
            {"\u00a0"}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function Brand({ product, hasMark }: { product: string; hasMark: boolean }): ReactNode {
  return (
    <table {...LAYOUT}>
      <tbody>
        <tr>
          {hasMark ? (
            <td style={{ paddingRight: 12 }}>
              <img src={`cid:${MARK_CID}`} height="28" alt="" style={STYLES.mark} />
            </td>
          ) : null}
          <td className="m-ink" style={STYLES.name}>
            {product}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

type LinkBlock = Extract<MailBlock, { url: string }>;

type Colours = { brand: string; onBrand: string };

function Part({ part, colours, detailsLabel }: { part: MailBlock; colours: Colours; detailsLabel: string }): ReactNode {
  if ("lines" in part) return <Paragraph lines={part.lines} />;
  if ("question" in part) {
    return (
      <p style={STYLES.paragraph}>
        <strong style={STYLES.emphasis}>{part.question}</strong> {part.answer}
      </p>
    );
  }
  if ("rows" in part) return <Rows rows={part.rows} label={detailsLabel} />;
  return <Button {...part} colours={colours} />;
}

/** The addresses of the buttons as text, with their labels if there are several. */
function LinkHint({ text, buttons }: { text: string; buttons: readonly LinkBlock[] }): ReactNode {
  return (
    <p className="m-muted m-line" style={STYLES.hint}>
      {text}
      {buttons.map(({ url, label }) => (
        <Fragment key={url}>
          <br />
          {buttons.length > 1 && `${label}: `}
          <a className="m-link" href={url} style={STYLES.link}>
            {url}
          </a>
        </Fragment>
      ))}
    </p>
  );
}

function Button({ url, label, look, note, colours }: LinkBlock & { colours: Colours }): ReactNode {
  const isFilled = look === "filled";
  const backgroundColor = isFilled ? colours.brand : "transparent";
  const cell = { borderRadius: 6, backgroundColor };
  const style = {
    display: "inline-block",
    padding: "12px 24px",
    border: `1px solid ${isFilled ? colours.brand : LIGHT.muted}`,
    borderRadius: 6,
    backgroundColor,
    color: isFilled ? colours.onBrand : LIGHT.ink,
    fontWeight: 600,
    lineHeight: "24px",
    textDecoration: "none",
  };
  return (
    <>
      <table {...LAYOUT} className="m-wide" style={note === undefined ? STYLES.button : STYLES.notedButton}>
        <tbody>
          <tr>
            <td className={`m-button m-${look}`} style={cell}>
              <a href={url} style={style}>
                {label}
              </a>
            </td>
          </tr>
        </tbody>
      </table>
      {note === undefined ? null : (
        <p className="m-muted" style={STYLES.note}>
          {note}
        </p>
      )}
    </>
  );
}

function Rows({ rows, label }: { rows: readonly (readonly [string, string])[]; label: string }): ReactNode {
  return (
    <table className="m-line" width="100%" {...PLAIN} aria-label={label} style={STYLES.rows}>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th className="m-line m-muted m-stack" scope="row" style={STYLES.label}>
              {name}
            </th>
            <td className="m-line m-ink m-stack" style={STYLES.value}>
              {value}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
