// Generated from the folders of locales/: npm run generate

/** The supported languages. The fallback is first. */
export const LANGUAGES = ["en", "de"] as const;
