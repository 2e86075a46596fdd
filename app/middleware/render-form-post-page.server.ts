import type { Config } from "#app/config/config.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { FormPostContent } from "#app/oidc/form-post-page.server.ts";
import { type PageRequest, pageLanguage } from "./page-language.server.ts";

/**
 * Renders the page that posts a response to the client. With JavaScript its form is submitted at once; the text is for
 * browsers without. No style sheet, because oidc-provider's CSP allows none.
 */
export async function renderFormPostPage(
  config: Pick<Config, "issuer" | "productName" | "defaultLanguage">,
  request: PageRequest,
  { script, form, language: requestedLanguage }: FormPostContent,
): Promise<string> {
  const language = await pageLanguage(config, request, requestedLanguage);
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
