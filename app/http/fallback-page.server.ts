import { createHash } from "node:crypto";
import type { TFunction } from "i18next";
import type { Config } from "#app/config/config.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { Language } from "#app/i18n/language.ts";
import { contactUrl } from "#app/ui/contact-url.ts";
import type { ServerErrorState } from "#app/ui/page-state.ts";
import { serverErrorTexts } from "#app/ui/server-error-texts.ts";
import { pageTitle } from "#app/ui/title.ts";
import { accentStyles } from "./brand-files.server.ts";
import { FALLBACK_STYLES } from "./fallback-styles.ts";
import type { Failure } from "./load-context.server.ts";

type FallbackConfig = Pick<
  Config,
  | "accent"
  | "appUrl"
  | "imprintUrl"
  | "issuer"
  | "logo"
  | "privacyUrl"
  | "productName"
  | "sfdrUrl"
  | "supportContact"
  | "termsUrl"
>;

/** `status` and `code` select the text. */
type FallbackDetails = Pick<Failure, "status" | "retryAfterSeconds"> & {
  code: string;
  requestId: string;
  language: Language;
  config: FallbackConfig;
};

/** The page and its headers, which override those of other pages. */
type FallbackPage = { body: string; headers: Readonly<Record<string, string>> };

/**
 * Renders an error page in one piece, without script, files and React: for failures of the pages themselves, or for
 * requests to another host, where the files of the pages cannot be loaded.
 */
export function fallbackPage({ status, code, retryAfterSeconds = 60, ...details }: FallbackDetails): FallbackPage {
  const { requestId, language, config } = details;
  const { t } = getInstance(language, config.productName);
  const keys = serverErrorTexts(status, code === "origin");
  const title = t(keys.title);
  const { documentTitle, lead } = addressFirst(t, status, config) ?? { documentTitle: title, lead: "" };
  const state: ServerErrorState = { server_error: { code: status, reference: requestId } };
  const styles = config.accent ? FALLBACK_STYLES + accentStyles(config.accent) : FALLBACK_STYLES;
  const body = `<!DOCTYPE html>
<html lang="${language}" data-area="login">
<head>
<meta charset="utf-8">
<title>${escapeHtml(pageTitle(t, documentTitle, true))}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>${styles}</style>
</head>
<body>
<a class="skip" href="#main">${escapeHtml(t("common.skipToContent"))}</a>
<div id="root" data-state="${escapeHtml(JSON.stringify(state))}">
<div class="sheet">
<header><p class="brand">${config.logo ? "" : PRODUCT_MARK}<b>${escapeHtml(config.productName)}</b></p></header>
<main id="main">
<div>
<h1>${escapeHtml(title)}</h1>
<p class="lead">${escapeHtml(lead + t(keys.description, { count: Math.ceil(retryAfterSeconds / 60) }))}</p>
</div>
${nextSteps(t, status, config)}
${supportDetails(t, { status, requestId, config })}
</main>
</div>
${footer(t, config)}
</div>
</body>
</html>
`;
  return { body, headers: { ...HEADERS, "Content-Language": language, "Content-Security-Policy": policyOf(styles) } };
}

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  Vary: "Accept-Language, Cookie",
} as const;

function policyOf(styles: string): string {
  const hash = createHash("sha256").update(styles).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'`;
}

/** That of brand.tsx. Not shown if the office has a logo, which is a file. */
const PRODUCT_MARK = `<svg viewBox="0 0 20 20" fill="currentColor" aria-hidden="true"><path d="M1 2h4v3h3V2h4v3h3V2h4v16h-5.5v-4.5a3.5 3.5 0 0 0-7 0V18H1z"/></svg>`;

/**
 * Returns the texts that name the right address, for requests to another host. The title comes first, because an
 * application that prints an unexpected response prints its first characters only.
 */
function addressFirst(t: TFunction, status: number, { issuer }: FallbackConfig) {
  if (status !== 421) return null;
  const documentTitle = t("serverError.421.documentTitle", { address: issuer });
  return { documentTitle, lead: `${t("serverError.421.right", { address: issuer })} ` };
}

/** Never repeats the path of the request: it may contain a token that was sent to the wrong host. */
function nextSteps(t: TFunction, status: number, { issuer, appUrl }: FallbackConfig): string {
  const toApp = t("common.toApp");
  if (status !== 421) return link(appUrl, toApp, "button");
  const address = t("serverError.421.open", { address: new URL(issuer).host });
  return `<div class="actions">${link(`${issuer}/`, address, "button")}${link(appUrl, toApp, "button quiet")}</div>`;
}

type Details = { status: number; requestId: string; config: FallbackConfig };

function supportDetails(t: TFunction, { status, requestId, config: { supportContact } }: Details): string {
  const reference = escapeHtml(t("common.requestId", { id: requestId }));
  return `<div class="facts">
<p>${escapeHtml(t("common.errorCode", { code: status }))}</p>
<p>${reference.replace(requestId, `<code>${requestId}</code>`)}</p>
<p>${supportContact === null ? escapeHtml(t("common.supportUnknown")) : supportSentence(t, supportContact)}</p>
</div>`;
}

function supportSentence(t: TFunction, contact: string): string {
  const url = contactUrl(contact);
  // Split at a placeholder, because the contact can be any text.
  const [before = "", after = ""] = t("common.supportAt", { contact: "\u0000" }).split("\u0000");
  return escapeHtml(before) + (url === null ? escapeHtml(contact) : link(url, contact)) + escapeHtml(after);
}

function footer(t: TFunction, { imprintUrl, privacyUrl, termsUrl, sfdrUrl }: FallbackConfig): string {
  const pages = [
    { url: imprintUrl, text: t("footer.imprint") },
    { url: privacyUrl, text: t("footer.privacy") },
    { url: termsUrl, text: t("footer.terms") },
    { url: sfdrUrl, text: t("footer.sfdr") },
  ];
  const items = pages.map(({ url, text }) => (url === null ? "" : `<li>${link(url, text)}</li>`));
  return `<footer><nav aria-label="${escapeHtml(t("footer.label"))}"><ul>${items.join("")}</ul></nav></footer>`;
}

function link(url: string, text: string, className?: string): string {
  const attributes = className ? ` class="${className}"` : "";
  return `<a${attributes} href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
