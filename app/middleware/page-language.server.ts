import type { Request as ExpressRequest } from "express";
import type { Config } from "#app/config/config.ts";
import { LANGUAGE_PARAMETER, readLanguageCookie } from "#app/i18n/detection.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import { type Language, languageOfLocales } from "#app/i18n/language.ts";

/** The part of a request that selects its language. */
export type PageRequest = Pick<ExpressRequest, "headers" | "originalUrl">;

/**
 * Detects the language of a page of the login area.
 * @param requestedLanguage the client's choice (`ui_locales`), which counts like `lng` in the query
 */
export async function pageLanguage(
  config: Pick<Config, "issuer" | "defaultLanguage">,
  { headers, originalUrl }: PageRequest,
  requestedLanguage: Language | null = null,
): Promise<Language> {
  // Without the path, which may be none, such as "//".
  const url = new URL(config.issuer);
  url.search = originalUrl.split("?").slice(1).join("?");
  if (requestedLanguage) url.searchParams.set(LANGUAGE_PARAMETER, requestedLanguage);
  const detectionHeaders = new Headers();
  for (const name of ["cookie", "accept-language"] as const) detectionHeaders.set(name, headers[name] ?? "");
  return (await detectLanguage(new Request(url, { headers: detectionHeaders }), "login", config)).language;
}

/** Detects the language of an error page for a request that reached neither a page nor oidc-provider. */
export function languageOfRefused(
  config: Pick<Config, "issuer" | "defaultLanguage">,
  request: PageRequest,
): Promise<Language> {
  return pageLanguage(config, request, languageOfApplication(request));
}

/** Returns the language from `ui_locales` in the query; null if there is none or the browser has chosen one itself. */
export function languageOfApplication({ headers, originalUrl }: PageRequest): Language | null {
  const query = new URLSearchParams(originalUrl.split("?").slice(1).join("?"));
  const isChosen = query.has(LANGUAGE_PARAMETER) || readLanguageCookie(headers.cookie ?? "") !== null;
  return isChosen ? null : languageOfLocales(query.get("ui_locales") ?? "");
}
