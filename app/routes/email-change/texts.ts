import type { ParseKeys } from "i18next";

/** The page of the link to a new address, and that of the link to the old one. */
export type EmailPage = "confirm" | "undo";

type EmailTexts = { heading: ParseKeys; success: ParseKeys; invalid: ParseKeys; invalidDescription: ParseKeys };

/** Text keys of both pages: the headings, and the description for an invalid link. */
export const EMAIL_TEXTS = {
  confirm: {
    heading: "emailChange.confirm.heading",
    success: "emailChange.confirm.success.heading",
    invalid: "emailChange.confirm.errorToken.heading",
    invalidDescription: "emailChange.confirm.errorToken.description",
  },
  undo: {
    heading: "emailChange.undo.heading",
    success: "emailChange.undo.success.heading",
    invalid: "emailChange.undo.errorToken.heading",
    invalidDescription: "emailChange.undo.errorToken.description",
  },
} as const satisfies Record<EmailPage, EmailTexts>;
