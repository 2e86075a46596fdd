import { LANGUAGES } from "./languages.generated.ts";

export { LANGUAGES };

/** A folder of locales/. */
export type Language = (typeof LANGUAGES)[number];

/** Used if the browser requests no supported language, and for texts that a language lacks. */
export const FALLBACK_LANGUAGE = "en" satisfies Language;

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/** Returns the supported language of a tag, "de" for "de-AT" and "de_DE"; null if there is none. */
export function languageOfTag(tag: string): Language | null {
  const [primary] = tag.toLowerCase().split(/[-_]/);
  return isLanguage(primary) ? primary : null;
}
