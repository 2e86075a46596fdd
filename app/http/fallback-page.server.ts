import type { Config } from "#app/config/config.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { FALLBACK_LANGUAGE, LANGUAGES, type Language } from "#app/i18n/language.ts";
import { serverErrorTexts } from "#app/ui/server-error-texts.ts";
import type { Failure } from "./load-context.server.ts";

/** `status` and `code` select the text. */
type FallbackDetails = Pick<Failure, "status" | "retryAfterSeconds"> & {
  code: string;
  requestId: string;
  config: Pick<Config, "issuer" | "supportContact">;
};

const ESCAPED = { interpolation: { escapeValue: true } };

/**
 * Renders an error page without styles or other dependencies: for failures of the pages themselves, or when their files
 * are on another host. In all languages, because none is detected.
 */
export function fallbackPage({ status, code, retryAfterSeconds = 60, requestId, config }: FallbackDetails): string {
  const keys = serverErrorTexts(status, code === "origin");
  const { issuer, supportContact: contact } = config;
  const count = Math.ceil(retryAfterSeconds / 60);
  const translate = (language: Language) => {
    const { t } = getInstance(language);
    const support = contact === null ? t("common.supportUnknown") : t("common.supportAt", { contact, ...ESCAPED });
    return { language, title: t(keys.title), description: t(keys.description, { count }), support };
  };
  const text = translate(FALLBACK_LANGUAGE);
  const translations = LANGUAGES.filter((language) => language !== FALLBACK_LANGUAGE).map(translate);
  // Not escaped: the administrator sets the issuer, and the request id is generated here.
  return `<!DOCTYPE html>
<html lang="${text.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text.title}</title>
</head>
<body>
<main>
<h1>${text.title}</h1>
<p>${text.description}</p>
<p>${text.support}</p>
${translations.map(translation).join("")}<p><a href="${issuer}/">${issuer}</a></p>
<p><code>${requestId}</code></p>
</main>
</body>
</html>
`;
}

type Translation = { language: Language; title: string; description: string; support: string };

function translation({ language, title, description, support }: Translation): string {
  return `<div lang="${language}">
<h2>${title}</h2>
<p>${description}</p>
<p>${support}</p>
</div>
`;
}
