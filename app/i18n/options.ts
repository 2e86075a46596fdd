import type { InitOptions } from "i18next";
import { FALLBACK_LANGUAGE, LANGUAGES } from "./language.ts";

/** Options of every i18next instance, on the server and in the browser. */
export const i18nOptions = {
  supportedLngs: [...LANGUAGES],
  fallbackLng: FALLBACK_LANGUAGE,
  load: "languageOnly",
  // React escapes what it renders; escaping twice would show "&amp;".
  interpolation: { escapeValue: false },
  react: { useSuspense: false },
  // Backend loading in the browser: 10 parallel reads, 5 retries, the first after 350 ms, then doubling.
  maxParallelReads: 10,
  maxRetries: 5,
  retryTimeout: 350,
} satisfies InitOptions;
