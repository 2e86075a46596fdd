import { createInstance, type i18n } from "i18next";
import type { Language } from "./language.ts";
import { i18nOptions } from "./options.ts";
import { resources } from "./resources.server.ts";

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
  instances.set(key, cacheTexts(instance));
  return instance;
}

type Translate = i18n["t"];

/**
 * Caches the results of `t` for keys without values; the lookups took a fifth of the rendering time. The cache is
 * bounded by the number of keys. The texts and the language of an instance must not change.
 */
function cacheTexts(instance: i18n): i18n {
  const texts = new Map<string, unknown>();
  const withCache = (translate: Translate) =>
    new Proxy(translate, {
      apply(target, self, args: unknown[]) {
        const [key, ...values] = args;
        if (typeof key !== "string" || values.length > 0) return Reflect.apply(target, self, args);
        if (!texts.has(key)) texts.set(key, Reflect.apply(target, self, args));
        return texts.get(key);
      },
    });
  const fixed = withCache(instance.getFixedT(null, "translation"));
  instance.t = withCache(instance.t);
  // Each component calls getFixedT with the same arguments.
  instance.getFixedT = new Proxy(instance.getFixedT, {
    apply: (target, self, args: unknown[]) => (hasDefaultArguments(args) ? fixed : Reflect.apply(target, self, args)),
  });
  return instance;
}

/** Returns true if getFixedT is called without a language and without a key prefix. There is only one namespace. */
function hasDefaultArguments([language, , keyPrefix]: unknown[]): boolean {
  return !language && !keyPrefix;
}
