import { LANGUAGES } from "./languages.generated.ts";

export { LANGUAGES };

/** A folder of locales/. */
export type Language = (typeof LANGUAGES)[number];

/** Default of DEFAULT_LANGUAGE, and used for texts that a language lacks. */
export const FALLBACK_LANGUAGE = "en" satisfies Language;

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/**
 * Returns the language of a mail: that of the page on which the user asked for it (`pageLanguage`), else the user's
 * (`locale`), else DEFAULT_LANGUAGE. Languages without texts are skipped.
 */
export function mailLanguage(
  { defaultLanguage }: { defaultLanguage: Language },
  { pageLanguage, locale }: { pageLanguage?: string | undefined; locale: string | null },
): Language {
  return languageOfTag(pageLanguage ?? "") ?? languageOfTag(locale ?? "") ?? defaultLanguage;
}

/** Returns the first supported language of `ui_locales` (OpenID Connect Core 1.0 §3.1.2.1); null if there is none. */
export function languageOfLocales(uiLocales: string): Language | null {
  const supported = uiLocales.split(" ").map(languageOfTag);
  return supported.find((language) => language !== null) ?? null;
}

/** Returns the supported language of a tag, "de" for "de-AT" and "de_DE"; null if there is none. */
export function languageOfTag(tag: string): Language | null {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return isLanguage(primary) ? primary : null;
}
