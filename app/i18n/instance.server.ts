import { createInstance, type i18n } from "i18next";
import type { Language } from "./language.ts";
import { i18nOptions } from "./options.ts";
import { resources } from "./resources.server.ts";

const instances = new Map<string, i18n>();

/**
 * The i18next instance of a language, ready to use, made at its first use and kept: making one per request was two
 * thirds of the cost of a page. It is shared by all requests, so nobody may change its language.
 * @param product the name of this installation, the value of `{{product}}` in every text; pages need it, titles
 *   may pass it themselves
 */
export function getInstance(language: Language, product = ""): i18n {
  const key = `${language} ${product}`;
  const known = instances.get(key);
  if (known) return known;
  const instance = createInstance();
  // With the texts bundled and initImmediate off, init is done when the call returns.
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
