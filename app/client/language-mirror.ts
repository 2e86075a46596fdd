import { LANGUAGE_STORAGE_KEY, languageCookie, readLanguageCookie } from "#app/i18n/detection.ts";
import { isLanguage, type Language, languageOfTag } from "#app/i18n/language.ts";

/** Actions that synchronise the language of a page in the login area. */
export type Mirroring = {
  /** Store this language in local storage. */
  store?: Language;
  /** Set the cookie to this language, so that the server uses the stored language. */
  setCookie?: Language;
  /** Reload the page, because the stored language differs from the rendered one. */
  reload?: true;
};

/**
 * Synchronises the language cookie, which the server reads, with the browser's storage. The cookie precedes the
 * storage; without a cookie, a stored language precedes the browser's setting.
 */
export function mirrorLanguage(): void {
  const { documentElement: html } = document;
  if (html.dataset["area"] !== "login") return;
  const todo = decideMirroring({
    shown: html.lang,
    cookie: readLanguageCookie(document.cookie),
    stored: [readStored(() => localStorage), readStored(() => sessionStorage)],
  });
  if (todo.store) writeStored(todo.store);
  if (!todo.setCookie) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that the product serves.
  document.cookie = languageCookie(todo.setCookie, location.protocol === "https:");
  // Without the cookie the page would reload forever.
  const wasKept = readLanguageCookie(document.cookie) === todo.setCookie;
  if (todo.reload && wasKept && "reloadable" in html.dataset) location.reload();
}

/** Languages of a page and its browser; `cookie` and `stored` are not validated. The local storage precedes the tab's. */
type Found = { shown: string; cookie: string | null; stored: readonly (string | null)[] };

/** Decides how to synchronise a page that is shown in the language `shown`. */
export function decideMirroring({ shown, cookie, stored }: Found): Mirroring {
  if (!isLanguage(shown)) return {};
  const [language] = stored.map((tag) => languageOfTag(tag ?? "")).filter((known) => known !== null);
  if (languageOfTag(cookie ?? "") || !language) return { store: shown };
  return language === shown ? { setCookie: language } : { setCookie: language, reload: true };
}

// Accessing a storage object throws if the browser blocks it.
function readStored(storage: () => Storage): string | null {
  try {
    return storage().getItem(LANGUAGE_STORAGE_KEY);
  } catch {
    return null;
  }
}

function writeStored(language: Language): void {
  try {
    localStorage.setItem(LANGUAGE_STORAGE_KEY, language);
  } catch {
    // Storage blocked or full: the cookie is sufficient.
  }
}
