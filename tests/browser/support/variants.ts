import { LANGUAGES } from "#app/i18n/language.ts";

/** Both languages, with JavaScript and without. */
export const VARIANTS = LANGUAGES.flatMap((language) => [
  { language, javaScript: true },
  { language, javaScript: false },
]);

/** With JavaScript and without, for what does not depend on the language. */
export const SCRIPTING = [
  { scripting: "with JavaScript", javaScript: true },
  { scripting: "without JavaScript", javaScript: false },
];

/** Each language and each scripting mode once, for behaviour that does not depend on their combination. */
export const TWO_WAYS = [
  { language: "en", javaScript: true },
  { language: "de", javaScript: false },
] as const;
