import { LANGUAGE_STORAGE_KEY, languageCookie, readLanguageCookie } from "#app/i18n/detection.ts";
import { isLanguage, type Language } from "#app/i18n/language.ts";
import { AREA } from "./attributes.ts";

/** What a page of the login area does about its language. */
export type Mirroring = {
  /** Keep this language in local storage. */
  store?: Language;
  /** Set the cookie to this language, so that the server sees what the storage says. */
  setCookie?: Language;
  /** The page is in another language than the stored one: load it once more, now with the cookie. */
  reload?: true;
};

/**
 * Keeps the cookie, which the server reads, and the storage, which only the browser can read, of one mind.
 * The cookie comes first in the order of detection; without one a stored language outranks the browser's setting.
 */
export function mirrorLanguage(): void {
  const { documentElement: html } = document;
  if (html.getAttribute(AREA) !== "login") return;
  const todo = decideMirroring({
    shown: html.lang,
    cookie: readLanguageCookie(document.cookie),
    stored: readStored(() => localStorage) ?? readStored(() => sessionStorage),
  });
  if (todo.store) writeStored(todo.store);
  if (!todo.setCookie) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that the product serves.
  document.cookie = languageCookie(todo.setCookie, location.protocol === "https:");
  // Without a cookie that stays, reloading would go on for ever; and a page with an alert may answer a sent form.
  const wasKept = readLanguageCookie(document.cookie) === todo.setCookie;
  if (todo.reload && wasKept && !document.querySelector("[role=alert]")) location.reload();
}

/** The decision alone. `shown` is the language of the page, `cookie` and `stored` are raw and may be anything. */
export function decideMirroring(seen: { shown: string; cookie: string | null; stored: string | null }): Mirroring {
  if (!isLanguage(seen.shown)) return {};
  if (isLanguage(seen.cookie) || !isLanguage(seen.stored)) return { store: seen.shown };
  if (seen.stored === seen.shown) return { setCookie: seen.stored };
  return { setCookie: seen.stored, reload: true };
}

// Merely naming a storage throws where the browser blocks it.
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
    // Blocked or full: the cookie alone does.
  }
}
