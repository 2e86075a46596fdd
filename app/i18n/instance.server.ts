import { createInstance, type i18n } from "i18next";
import type { Language } from "./language.ts";
import { i18nOptions } from "./options.ts";
import { resources } from "./resources.generated.server.ts";

const instances = new Map<string, i18n>();

/**
 * Returns the cached i18next instance of a language; creating one per request took two thirds of a page's time. All
 * requests share it, so callers must not change its language.
 * @param product value of `{{product}}` in every text; may be omitted if the caller passes `product` with each text
 */
export function getInstance(language: Language, product = ""): i18n {
  const key = `${language} ${product}`;
  const known = instances.get(key);
  if (known) return known;
  const instance = createInstance();
  // With bundled resources and initImmediate off, init completes synchronously.
  void instance.init({
    ...i18nOptions,
    interpolation: { ...i18nOptions.interpolation, defaultVariables: { product } },
    lng: language,
    resources,
    initImmediate: false,
  });
  instances.set(key, instance);
  return instance;
}
