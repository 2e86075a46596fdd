import type { InitOptions } from "i18next";
import { FALLBACK_LANGUAGE, LANGUAGES } from "./language.ts";

/** Options of every i18next instance, on the server and in the browser. */
export const i18nOptions = {
  supportedLngs: [...LANGUAGES],
  fallbackLng: FALLBACK_LANGUAGE,
  load: "languageOnly",
  interpolation: {
    // React escapes what it renders; escaping twice would show "&amp;".
    escapeValue: false,
    // Numbers get the separators of the language: "1.318 Personen".
    alwaysFormat: true,
    format: (value, _format, language) => (typeof value === "number" ? value.toLocaleString(language) : value),
  },
  react: { useSuspense: false },
  // Backend loading in the browser: 10 parallel reads, 5 retries, the first after 350 ms, then doubling.
  maxParallelReads: 10,
  maxRetries: 5,
  retryTimeout: 350,
} satisfies InitOptions;
