import { DAY_SECONDS } from "#app/durations.ts";
import type { Language } from "./language.ts";

/** Query parameter that selects the language: `?lng=de`. */
export const LANGUAGE_PARAMETER = "lng";

/** Key in local and session storage. */
export const LANGUAGE_STORAGE_KEY = "i18nextLng";

/** Name of the cookie; its value is the plain language (`i18next=de`), readable by scripts. */
export const LANGUAGE_COOKIE = "i18next";

const LANGUAGE_COOKIE_MAX_AGE_SECONDS = 365 * DAY_SECONDS;

/** Returns the language cookie as a `Set-Cookie` value, also valid for `document.cookie`. */
export function languageCookie(language: Language, isHttps: boolean): string {
  const cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${LANGUAGE_COOKIE_MAX_AGE_SECONDS}; SameSite=Lax`;
  return isHttps ? `${cookie}; Secure` : cookie;
}

/** Returns the unvalidated language cookie from a `Cookie` header or `document.cookie`; null if absent. */
export function readLanguageCookie(cookies: string): string | null {
  for (const pair of cookies.split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === LANGUAGE_COOKIE && value) return value;
  }
  return null;
}
