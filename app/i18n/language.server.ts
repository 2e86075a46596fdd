import { createCookie } from "@remix-run/node";
import { type LanguageDetectorOption, RemixI18Next } from "remix-i18next/server";
import type { Config } from "#app/config/config.ts";
import { LANGUAGE_COOKIE, LANGUAGE_PARAMETER, languageCookie, readLanguageCookie } from "./detection.ts";
import { isLanguage, LANGUAGES, type Language, languageOfTag } from "./language.ts";

type DetectedLanguage = {
  language: Language;
  /** `Set-Cookie` value that stores a language chosen by link; null if none was chosen. */
  setCookie: string | null;
};

/**
 * The login area stores the user's choice; the settings use the browser's setting only. In the login area, local and
 * session storage follow the cookie: the client script copies them into it.
 */
const detectors = {
  login: createDetector(["searchParams", "cookie", "custom"]),
  manage: createDetector(["custom"]),
};

/**
 * Detects the language of a page in the area's order; unsupported languages are ignored. Without any, returns
 * DEFAULT_LANGUAGE.
 */
export async function detectLanguage(
  request: Request,
  area: "login" | "manage",
  { defaultLanguage }: Pick<Config, "defaultLanguage">,
): Promise<DetectedLanguage> {
  const found = await detectors[area].getLocale(request);
  const language = isLanguage(found) ? found : defaultLanguage;
  const url = new URL(request.url);
  const wasChosen = area === "login" && languageOfTag(url.searchParams.get(LANGUAGE_PARAMETER) ?? "") === language;
  return { language, setCookie: wasChosen ? languageCookie(language, url.protocol === "https:") : null };
}

function createDetector(order: NonNullable<LanguageDetectorOption["order"]>): RemixI18Next {
  return new RemixI18Next({
    detection: {
      supportedLanguages: [...LANGUAGES],
      // The fallback is part of the configuration.
      fallbackLanguage: "",
      order,
      searchParamKey: LANGUAGE_PARAMETER,
      // A cookie of Remix is encoded JSON; i18next's is plain text.
      cookie: { ...createCookie(LANGUAGE_COOKIE), parse: async (header) => readLanguageCookie(header ?? "") },
      // The library's "header" considers only one language: "ru, de;q=0.5" would become English.
      findLocale: async ({ headers }) => acceptedLanguages(headers.get("accept-language") ?? ""),
    },
  });
}

/** Removes regions, else "de-AT, en;q=0.5" would select English, and ranges with q=0 (RFC 9110 §12.4.2). */
function acceptedLanguages(header: string): string {
  const ranges = header.split(",").map((range) => range.replaceAll(/\s/g, ""));
  const wanted = ranges.filter((range) => !/;q=0(\.0*)?$/i.test(range));
  return wanted.map((range) => range.replace(/^([a-z]+)(-[a-z0-9]+)*/i, "$1")).join(",");
}
