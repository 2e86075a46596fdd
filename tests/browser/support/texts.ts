import type { TFunction } from "i18next";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { Language } from "#app/i18n/language.ts";

/** The default product name. */
export const PRODUCT = "Gatehouse";

export type Texts = TFunction;

/** Returns the product's texts in a language, as the pages use them. */
export function textsIn(language: Language): Texts {
  return getInstance(language, PRODUCT).t;
}
