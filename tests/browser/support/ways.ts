import { LANGUAGES } from "#app/i18n/language.ts";

/** Both languages, with JavaScript and without. */
export const WAYS = LANGUAGES.flatMap((language) => [
  { language, javaScript: true },
  { language, javaScript: false },
]);

/** With JavaScript and without, for what does not depend on the language. */
export const SCRIPTING = [
  { scripting: "with JavaScript", javaScript: true },
  { scripting: "without JavaScript", javaScript: false },
];

/** Each language and each kind of browser once, for what has been seen to be the same in all four. */
export const TWO_WAYS = [
  { language: "en", javaScript: true },
  { language: "de", javaScript: false },
] as const;
