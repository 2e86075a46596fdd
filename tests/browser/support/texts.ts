import type { TFunction } from "i18next";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { Language } from "#app/i18n/language.ts";

/** What the product is called in tests: nothing else is configured. */
export const PRODUCT = "Gatehouse";

export type Texts = TFunction;

/** The product's texts in a language, as its pages get them. */
export function textsIn(language: Language): Texts {
  return getInstance(language, PRODUCT).t;
}
