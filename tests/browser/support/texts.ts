import type { TFunction } from "i18next";
import type { Locator } from "playwright";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { Language } from "#app/i18n/language.ts";
import { withBreaks } from "#tests/support/html.ts";

/** The default product name. */
export const PRODUCT = "Gatehouse";

export type Texts = TFunction;

/** Returns the product's texts in a language, as the pages use them. */
export function textsIn(language: Language): Texts {
  return getInstance(language, PRODUCT).t;
}

/** Reads the text of an element, with breaking hyphens and spaces, so that a test can name its words. */
export async function textOf(element: Locator): Promise<string> {
  return withBreaks((await element.textContent()) ?? "");
}
