import type { Language } from "./language.ts";

/** The two areas of the product: each finds out the language in its own way. */
export type Area = "login" | "manage";

/** A place a language can be read from, named as i18next-browser-languagedetector names it. */
export type Source = "querystring" | "cookie" | "localStorage" | "sessionStorage" | "navigator" | "htmlTag";

type Detection = {
  /** The first source that names one of our languages wins. */
  order: readonly Source[];
  /** Where the result is kept for the next page. */
  caches: readonly Source[];
};

/**
 * In the login area a choice lasts; in the settings the browser's own setting is the only voice.
 * The server sees the query, the cookie and the browser's setting; the script of the pages mirrors the storages
 * into the cookie, so that both sides come to the same answer.
 */
export const DETECTION = {
  login: {
    order: ["querystring", "cookie", "localStorage", "sessionStorage", "navigator", "htmlTag"],
    caches: ["localStorage"],
  },
  manage: { order: ["navigator"], caches: [] },
} as const satisfies Record<Area, Detection>;

/** Query parameter of a language link: `?lng=de`. */
export const LANGUAGE_PARAMETER = "lng";

/** Key in local and session storage. */
export const LANGUAGE_STORAGE_KEY = "i18nextLng";

/** Name of the cookie; its value is the bare language (`i18next=de`), readable by scripts. */
export const LANGUAGE_COOKIE = "i18next";

const LANGUAGE_COOKIE_MAX_AGE_SECONDS = 365 * 24 * 60 * 60;

/** The language cookie as a `Set-Cookie` header or an assignment to `document.cookie`. */
export function languageCookie(language: Language, isHttps: boolean): string {
  const cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${LANGUAGE_COOKIE_MAX_AGE_SECONDS}; SameSite=Lax`;
  return isHttps ? `${cookie}; Secure` : cookie;
}

/** The value of the language cookie in a `Cookie` header or `document.cookie`; null without one. Not checked. */
export function readLanguageCookie(cookies: string): string | null {
  for (const pair of cookies.split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === LANGUAGE_COOKIE && value) return value;
  }
  return null;
}
