import type { Request as ExpressRequest } from "express";
import type { Config } from "#app/config/config.ts";
import { LANGUAGE_PARAMETER } from "#app/i18n/detection.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import type { Language } from "#app/i18n/language.ts";

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
  const url = new URL(originalUrl, config.issuer);
  if (requestedLanguage) url.searchParams.set(LANGUAGE_PARAMETER, requestedLanguage);
  const detectionHeaders = new Headers();
  for (const name of ["cookie", "accept-language"] as const) detectionHeaders.set(name, headers[name] ?? "");
  return (await detectLanguage(new Request(url, { headers: detectionHeaders }), "login", config)).language;
}
