import { type BackendModule, createInstance, type i18n, type ResourceKey } from "i18next";
import { FALLBACK_LANGUAGE, isLanguage, type Language } from "./language.ts";
import { i18nOptions } from "./options.ts";

/** The files of a language whose texts pages of the settings show; each is a file of its own in the build. */
const FILES = {
  en: () => [
    import("#locales/en/common.json"),
    import("./shared-texts.en.ts").then(({ sharedTexts }) => ({ default: sharedTexts })),
    import("#locales/en/manage.json"),
    import("#locales/en/errors.json"),
    import("#locales/en/scopes.json"),
  ],
  de: () => [
    import("#locales/de/common.json"),
    import("./shared-texts.de.ts").then(({ sharedTexts }) => ({ default: sharedTexts })),
    import("#locales/de/manage.json"),
    import("#locales/de/errors.json"),
    import("#locales/de/scopes.json"),
  ],
} satisfies Record<Language, () => Promise<{ default: object }>[]>;

/**
 * The i18next instance of a page that hydrates, in the language in which it came. Null when its texts cannot be had: such
 * a page is better left as it is.
 */
export async function createClientInstance(pageLanguage: string, product: string): Promise<i18n | null> {
  const lng = isLanguage(pageLanguage) ? pageLanguage : FALLBACK_LANGUAGE;
  const instance = createInstance().use(texts);
  await instance.init({
    ...i18nOptions,
    interpolation: { ...i18nOptions.interpolation, defaultVariables: { product } },
    lng,
    // The other language would be loaded for nothing: no text is missing.
    fallbackLng: lng,
  });
  return instance.hasResourceBundle(lng, "translation") ? instance : null;
}

/** i18next asks again by itself, as often as its options say. */
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
  if (!isLanguage(language)) throw new Error("no such language");
  const files = await Promise.all(FILES[language]());
  return Object.assign({}, ...files.map((file) => file.default));
}
