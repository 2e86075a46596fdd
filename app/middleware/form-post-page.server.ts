import type { Request as ExpressRequest } from "express";
import type { AppContext } from "#app/context.server.ts";
import { LANGUAGE_PARAMETER } from "#app/i18n/detection.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import type { FormPostContent } from "#app/oidc/form-post-page.server.ts";

type PageRequest = Pick<ExpressRequest, "headers" | "originalUrl">;

/**
 * Renders the page that posts a response to the client. With JavaScript its form is submitted at once; the text is for
 * browsers without. No style sheet, because oidc-provider's CSP allows none.
 */
export async function renderFormPostPage(
  config: Pick<AppContext["config"], "issuer" | "productName">,
  request: PageRequest,
  { script, form, language: requestedLanguage }: FormPostContent,
): Promise<string> {
  const language = await languageOf(config.issuer, request, requestedLanguage);
  const { t } = getInstance(language, config.productName);
  const title = t("common.titleSeparator", { page: t("formPost.title"), interpolation: { escapeValue: true } });
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${script}
</head>
<body>
<main>
${form}<noscript>
<h1>${t("formPost.title")}</h1>
<p>${t("formPost.description")}</p>
<button autofocus type="submit">${t("formPost.proceed")}</button>
</noscript>
</form>
</main>
</body>
</html>
`;
}

/** Detects the language as in the login area; the client's `ui_locales` counts like `lng` in the query. */
async function languageOf(
  issuer: string,
  { headers, originalUrl }: PageRequest,
  requestedLanguage: FormPostContent["language"],
) {
  const url = new URL(originalUrl, issuer);
  if (requestedLanguage) url.searchParams.set(LANGUAGE_PARAMETER, requestedLanguage);
  const detectionHeaders = new Headers();
  for (const name of ["cookie", "accept-language"] as const) detectionHeaders.set(name, headers[name] ?? "");
  return (await detectLanguage(new Request(url, { headers: detectionHeaders }), "login")).language;
}
