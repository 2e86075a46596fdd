import { type BackendModule, createInstance, type i18n, type ResourceKey } from "i18next";
import { FALLBACK_LANGUAGE, isLanguage } from "./language.ts";
import { i18nOptions } from "./options.ts";

/** The texts of each language are a separate chunk, see settings-texts.server.ts; a page loads one. */
const CHUNKS = import.meta.glob<ResourceKey>("../../locales/*/common.json", { query: "?settings", import: "default" });

/**
 * Creates the i18next instance of a hydrated page, in the language of its document. Resolves to null if the texts
 * cannot be loaded; the page must not hydrate then.
 */
export async function createClientInstance(pageLanguage: string, product: string): Promise<i18n | null> {
  const lng = isLanguage(pageLanguage) ? pageLanguage : FALLBACK_LANGUAGE;
  const instance = createInstance().use(texts);
  await instance.init({
    ...i18nOptions,
    interpolation: { ...i18nOptions.interpolation, defaultVariables: { product } },
    lng,
    // Avoids loading the fallback language; the build adds the texts that a language lacks.
    fallbackLng: lng,
  });
  return instance.hasResourceBundle(lng, "translation") ? instance : null;
}

/** Loads the texts of a language; i18next retries as configured in i18nOptions. */
const texts: BackendModule = {
  type: "backend",
  init() {},
  read(language, _namespace, done) {
    readTexts(language).then(
      (read) => done(null, read),
      (error: unknown) => done(error instanceof Error ? error : new Error("no texts"), true),
    );
  },
};

async function readTexts(language: string): Promise<ResourceKey> {
  const load = CHUNKS[`../../locales/${language}/common.json`];
  if (!load) throw new Error("no such language");
  return load();
}
