/** The languages the product speaks; every text exists in each of them. */
export const LANGUAGES = ["en", "de"] as const;

export type Language = (typeof LANGUAGES)[number];

/** Shown to people whose browser asks for neither language. */
export const FALLBACK_LANGUAGE: Language = "en";

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}
