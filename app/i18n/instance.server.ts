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
  instances.set(key, rememberTexts(instance));
  return instance;
}

type Translate = i18n["t"];

/**
 * Most texts of a page hold no values and are always the same, yet looking them up was a fifth of rendering it. Nothing changes texts or language of an instance, and there are as many as the files have.
 */
function rememberTexts(instance: i18n): i18n {
  const texts = new Map<string, unknown>();
  const remembering = (translate: Translate) =>
    new Proxy(translate, {
      apply(target, self, given: unknown[]) {
        const [key, ...values] = given;
        if (typeof key !== "string" || values.length > 0) return Reflect.apply(target, self, given);
        if (!texts.has(key)) texts.set(key, Reflect.apply(target, self, given));
        return texts.get(key);
      },
    });
  const fixed = remembering(instance.getFixedT(null, "translation"));
  instance.t = remembering(instance.t);
  // Every component asks for it anew, and all of them for the same one.
  instance.getFixedT = new Proxy(instance.getFixedT, {
    apply: (target, self, asked: unknown[]) => (isForAll(asked) ? fixed : Reflect.apply(target, self, asked)),
  });
  return instance;
}

/** Neither another language, nor a part of the keys, nor another namespace: there is but one. */
function isForAll([language, , keyPrefix]: unknown[]): boolean {
  return !language && !keyPrefix;
}
