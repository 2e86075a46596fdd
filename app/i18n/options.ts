import type { InitOptions } from "i18next";
import { FALLBACK_LANGUAGE, LANGUAGES } from "./language.ts";

/** What every i18next instance is made with, on the server and in a browser. */
export const i18nOptions = {
  supportedLngs: [...LANGUAGES],
  fallbackLng: FALLBACK_LANGUAGE,
  load: "languageOnly",
  // React escapes what it renders; escaping here too would show "&amp;" to people.
  interpolation: { escapeValue: false },
  react: { useSuspense: false },
  // How a browser loads texts from a backend: 10 at a time, 5 retries, 350 ms before the first, doubling from there.
  maxParallelReads: 10,
  maxRetries: 5,
  retryTimeout: 350,
} satisfies InitOptions;
