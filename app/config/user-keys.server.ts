import { FALLBACK_LANGUAGE, LANGUAGES } from "#app/i18n/language.ts";
import { accentColour } from "./accent.server.ts";
import { webUrl } from "./address-values.server.ts";
import { key } from "./key.server.ts";
import { LOGO_MAX_KB, LOGO_MAX_PIXELS, LOGO_MIN_PIXELS, logoFile } from "./logo.server.ts";
import { listOf, oneOf, plainText, wholeNumber } from "./plain-values.server.ts";

const START_PAGES = ["applications", "settings"] as const;

const ON_OFF = ["on", "off"] as const;

const MFA_POLICIES = ["optional", "required"] as const;

const PASSKEYS = ["on", "off"] as const;

const PROFILE_CHANGES = ["email", "phone", "name"] as const;

const LINK = "an http or https URL";

/** Keys for pages and the sign-in policy. */
export const userKeys = {
  PRODUCT_NAME: key(plainText(60), {
    topic: "names",
    meaning: "The name in page titles, headings and mails.",
    expected: "one line of at most 60 characters",
    example: "Example Brokers",
    unset: { default: "Gatehouse" },
  }),
  LOGO_FILE: key(logoFile().optional(), {
    topic: "names",
    meaning:
      "The office's logo, shown beside the name on pages and, if it is a PNG, in mails, because few mail clients show SVG. It is shown 28 pixels high: use an SVG, or a PNG of at least 56 pixels in height. On dark pages it gets a white background, unless it is an SVG with colours for `prefers-color-scheme`. The file is read at start.",
    expected: `the path of an SVG file without scripts, references to other files and DOCTYPE, or of a PNG file of ${LOGO_MIN_PIXELS} to ${LOGO_MAX_PIXELS} pixels on each side; at most ${LOGO_MAX_KB} KB`,
    example: "/var/lib/gatehouse/logo.png",
    unset: { means: "the product's own mark" },
  }),
  ACCENT_COLOR: key(accentColour().optional(), {
    topic: "names",
    meaning:
      "The office's colour, for buttons and marks on pages and in mails. White text on it, and text in it on a light page, must have the contrast that WCAG 2.2 AA requires; a lighter colour is refused with the nearest one that has it. The colours for hover and dark pages are derived. Red also marks errors, so another colour is clearer.",
    expected: "#rrggbb with a contrast of at least 4.5 to 1 on white and on light pages",
    example: "#1d4f91",
    unset: { means: "the product's own green" },
  }),
  APP_URL: key(webUrl(), {
    topic: "names",
    meaning: 'The target of "to the application" links on pages without a requesting application.',
    expected: LINK,
    example: "https://suite.example.com/",
    unset: "refused",
  }),
  START_PAGE: key(oneOf(START_PAGES), {
    topic: "names",
    meaning:
      "The page at the address of the installation for users who are signed in. `applications`: the start page, with the applications that the user may use, the login settings and the last sign-in. An application is opened at its `initiate_login_uri`, else at its `client_uri`. `settings`: a redirect to the login settings, and no page links a start page.",
    expected: START_PAGES.join(" or "),
    example: "settings",
    unset: { default: "applications" },
  }),
  ADMIN_PAGES: key(oneOf(ON_OFF), {
    topic: "names",
    meaning:
      "`on`: users with a role (`gatehouse role grant`) administer people and groups on the pages at /manage/admin. `off`: these pages do not exist (404), and commands alone administer.",
    expected: ON_OFF.join(" or "),
    example: "off",
    unset: { default: "on" },
  }),
  IMPRINT_URL: key(webUrl(), {
    topic: "names",
    meaning: "The imprint, linked in the footer of every page.",
    expected: LINK,
    example: "https://www.example.com/imprint",
    unset: "refused",
  }),
  PRIVACY_URL: key(webUrl().optional(), {
    topic: "names",
    meaning: "The privacy notice, linked in the footer.",
    expected: LINK,
    example: "https://www.example.com/privacy",
    unset: { means: "no link" },
  }),
  TERMS_URL: key(webUrl().optional(), {
    topic: "names",
    meaning: "The terms of use, linked in the footer.",
    expected: LINK,
    example: "https://www.example.com/terms",
    unset: { means: "no link" },
  }),
  SFDR_URL: key(webUrl().optional(), {
    topic: "names",
    meaning:
      "The sustainability disclosure of Regulation (EU) 2019/2088, which insurance brokers publish, linked in the footer.",
    expected: LINK,
    example: "https://www.example.com/sfdr",
    unset: { means: "no link" },
  }),
  SUPPORT_CONTACT: key(plainText(200).optional(), {
    topic: "names",
    meaning: "The contact for users who need help: a telephone number, a mail address, a URL or a short sentence.",
    expected: "one line of at most 200 characters",
    example: "it-support@example.com",
    unset: { means: "pages refer to the administrator" },
  }),
  DEFAULT_LANGUAGE: key(oneOf(LANGUAGES), {
    topic: "names",
    meaning:
      "The language of the installation: of pages, if the browser requests none of the product's languages, and of mails to users without a language of their own. A mail that a page was asked for, such as a new password, is in the language of that page. Users get the language of the page of their registration or first sign-in, and can change it in the settings.",
    expected: LANGUAGES.join(" or "),
    example: "de",
    unset: { default: FALLBACK_LANGUAGE },
  }),
  MFA_POLICY: key(oneOf(MFA_POLICIES), {
    topic: "sign-in",
    meaning:
      "The second-factor policy. `optional`: a second factor is required of users who have one or whose group requires it. `required`: a second factor is required of all users.",
    expected: MFA_POLICIES.join(" or "),
    example: "required",
    unset: { default: "optional" },
  }),
  PASSKEYS: key(oneOf(PASSKEYS), {
    topic: "sign-in",
    meaning:
      "Passkeys: users may register them in the settings and sign in with them, beside the password. `off`: none are registered or accepted, and existing ones are ignored, as a second factor too, until the value is `on` again. Security keys, which are second factors only, are not affected.",
    expected: PASSKEYS.join(" or "),
    example: "off",
    unset: { default: "on" },
  }),
  MFA_REMEMBER_DAYS: key(wholeNumber(0, 90), {
    topic: "sign-in",
    meaning:
      "The number of days for which users may have a browser remembered, so that their sign-ins there skip the second step. `0`: not offered, and devices that were remembered before do not count. A smaller number applies to devices that are already remembered. Groups that require a second factor, and applications that request two factors or a recent sign-in, always get the second step.",
    expected: "an integer from 0 to 90",
    example: "30",
    unset: { default: "0" },
  }),
  USERNAME_REMEMBER_DAYS: key(wholeNumber(0, 400), {
    topic: "sign-in",
    meaning:
      "The number of days for which a browser shows the user name that was typed at its last sign-in with a password, with a button that forgets it. Each of these sign-ins starts the time again. `0`: not remembered. Use `0` if outsiders have access to computers that users share. A smaller number applies to names that are already remembered.",
    expected: "an integer from 0 to 400",
    example: "30",
    unset: { default: "90" },
  }),
  FACTOR_RESET_DELAY_HOURS: key(wholeNumber(1, 720), {
    topic: "sign-in",
    meaning:
      "The delay after which a mailed link removes the second factors of a user who reported a lost device. During the delay, the owner of the account can stop a reset that someone else requested.",
    expected: "an integer from 1 to 720",
    example: "48",
    unset: { default: "24" },
  }),
  PROFILE_CHANGES: key(listOf(PROFILE_CHANGES).optional(), {
    topic: "sign-in",
    meaning:
      "What users may change in the settings, after a recent proof of their identity. `name`: the display name, the given name and the family name. `phone`: the telephone number. `email`: the e-mail address; a new address counts after the link that is mailed to it was confirmed, and the old address gets a notice with a link that undoes the change within 7 days. Leave out what another system is the source of: the next import of users would overwrite it. Administrators can change all of it, whatever this says.",
    expected: `some of ${PROFILE_CHANGES.join(", ")}, separated by commas`,
    example: "email,phone,name",
    unset: { means: "only the administrator changes them" },
  }),
};
