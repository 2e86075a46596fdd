import type { Language } from "./language.ts";

/** The two areas of the product; each has its own order of language detection. */
export type Area = "login" | "manage";

/** A source of the language, named as in i18next-browser-languagedetector. */
export type Source = "querystring" | "cookie" | "localStorage" | "sessionStorage" | "navigator" | "htmlTag";

type Detection = {
  /** The first source with a supported language takes precedence. */
  order: readonly Source[];
  /** Sources that store the result for the next page. */
  caches: readonly Source[];
};

/**
 * The login area stores the user's choice; the settings use the browser's setting only. The server reads query, cookie
 * and Accept-Language; the client script copies the storages into the cookie, so that both detect the same language.
 */
export const DETECTION = {
  login: {
    order: ["querystring", "cookie", "localStorage", "sessionStorage", "navigator", "htmlTag"],
    caches: ["localStorage"],
  },
  manage: { order: ["navigator"], caches: [] },
} as const satisfies Record<Area, Detection>;

/** Query parameter that selects the language: `?lng=de`. */
export const LANGUAGE_PARAMETER = "lng";

/** Key in local and session storage. */
export const LANGUAGE_STORAGE_KEY = "i18nextLng";

/** Name of the cookie; its value is the plain language (`i18next=de`), readable by scripts. */
export const LANGUAGE_COOKIE = "i18next";

const LANGUAGE_COOKIE_MAX_AGE_SECONDS = 365 * 24 * 60 * 60;

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
