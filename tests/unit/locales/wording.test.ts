import { expect, test } from "vitest";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { readAllTexts, readTexts } from "./texts.ts";

/** Texts that are the same in both languages. */
const SAME = new Set([
  "mfaLogin.firstKeyName.passkey",
  "managePasskey.one.title",
  "manageActivity.factor.passkey",
  "admin.roles.administrator",
  "adminGroups.name",
  "adminActivity.person",
  "adminPerson.title",
  "adminPerson.passkey",
  "adminChange.office.move",
  "common.productName", // a name
  "mail.label.browser", // the word is German too
  "common.titleSeparator", // punctuation
  "start.signedIn", // punctuation
  "manage.actionOn", // punctuation
  "manageProfile.name", // the word is German too
  "register.hint.name", // the word is German too
  "scope.dashboard.label", // the word is German too
  "scope.panda.label", // product name
  "scope.unknown.label", // scope id
]);

/** Texts that the specification quotes; pages show them letter for letter. */
const QUOTED = {
  "login.error.challengeQuote": "Login-Challenge is empty or invalid!",
  "login.error.credentialsQuote": "Login failed!",
  "loginHint.heading": "You are logged in as",
  "loginHint.proceed": "Proceed",
  "logout.challenge.heading": "Logout-Challenge is empty or invalid!",
  "logout.failed.heading": "Logout failed!",
  "logout.rejected.heading": "Logout aborted!",
  "consent.error.generic.heading": "Consent failed!",
  // The specification has "a invalid scopes"; the product corrects it.
  "consent.error.invalidScope.heading": "The application requested invalid scopes!",
  "passwordReset.request.error.emptyUsername": "Please provide a username",
  "passwordReset.form.quote.empty-password": "No new password given",
  "passwordReset.form.quote.empty-password-repeat": "No repeat new password given",
  "passwordReset.form.quote.passwords-not-equal": "Password and repetition not equal",
  "passwordReset.form.quote.password-strength": "Password not strong enough",
  "passwordReset.requestStatus.error.heading": "Sorry, technical error",
  "passwordReset.status.errorToken.heading": "Your token isn't valid (anymore)!",
  "passwordReset.status.success.heading": "Password changed",
  "passwordReset.status.technical.heading": "Technical error",
  "mfaReset.status.success.heading": "Your additional factors reset!",
  "mfaReset.status.errorToken.heading": "Token expired!",
  "serverError.unknown.title": "An error occurred",
  "managePassword.quote.parse": "Could not parse request",
  "managePassword.quote.currentMissing": "No password given",
  "managePassword.quote.currentInvalid": "Current password invalid",
  "manageUsername.quote.empty": "Username is empty",
  "manageUsername.quote.invalid": "Username is invalid",
  "manageUsername.quote.taken": "Username not available",
  "register.callback.expired.title": "This link has expired!",
};

const english = readAllTexts("en");
const german = readAllTexts("de");

test.each(Object.entries(QUOTED))("%s has the text that the specification quotes: %s", (key, text) => {
  expect(english.get(key)).toBe(text);
});

test("no German text was left in English", () => {
  const same = [...german].filter(([key, text]) => english.get(key) === text).map(([key]) => key);
  expect(same.filter((key) => !SAME.has(key))).toEqual([]);
  expect([...SAME].filter((key) => !same.includes(key))).toEqual([]);
});

test("German texts keep the house rules", () => {
  for (const [key, text] of german) {
    expect(text, `${key}: no shouting`).not.toContain("!");
    expect(text, `${key}: Passwort, not Kennwort`).not.toMatch(/Kennwort/i);
    const persons = /(Ihre|die|der) Verwaltung/;
    expect(text, `${key}: persons are the Administration, pages the Verwaltung`).not.toMatch(persons);
    expect(text, `${key}: Sie, not du`).not.toMatch(/\b(du|dich|dir|deine?[mnrs]?|euch|euer)\b/i);
    expect(text, `${key}: sign-in is an Anmeldung`).not.toMatch(/einloggen|ausloggen|\bLog(in|out)\b/i);
    expect(text, `${key}: bitte once`).not.toMatch(/bitte.*bitte/i);
    expect(text, `${key}: German quotation marks`).not.toMatch(/["'“]\w/);
    expect(text, `${key}: a space before an ellipsis`).not.toMatch(/\.\.\.|\S…/);
  }
});

test("a moment in a German text has its article: vom 3. März 2026 um 11:42 bis zum 10. März", () => {
  const withMoment = [...german].filter(([, text]) => /\{\{(from|until)\}\}/.test(text));
  expect(withMoment.length).toBeGreaterThan(0);
  for (const [key, text] of withMoment) {
    expect(text.replaceAll("vom {{from}}", "").replaceAll("bis zum {{until}}", ""), key).not.toMatch(
      /\{\{(from|until)/,
    );
  }
});

test("English texts shout only where the specification does", () => {
  for (const [key, text] of english) {
    if (!(key in QUOTED)) expect(text, key).not.toContain("!");
    expect(text, key).not.toMatch(/\.\.\.|\S…/);
  }
});

test("every scope has a label and a description, and only scopes have one", () => {
  const expected = [...SCOPES.map((scope) => scope.id), "unknown"];
  const keys = expected.flatMap((id) => [`scope.${id}.label`, `scope.${id}.description`]);
  expect([...readTexts("en", "scopes").keys()].sort()).toEqual(keys.sort());
});

test("a German text is no longer than its place allows: at most two and a half times the English one", () => {
  for (const [key, text] of german) {
    // The specification fixes the length of the English text.
    if (key in QUOTED) continue;
    expect(text.length, key).toBeLessThanOrEqual(Math.max(25, 2.5 * (english.get(key)?.length ?? 0)));
  }
});

/** Subjects are plain text; a text alternative is not seen; the title of a document has one line. */
const MAY_BREAK = /^mail\.\w+\.subject$|\.alt$|^mfaReset\.lost\.(\w+\.)?title$|^common\.dateLocale$/;

const UNITS =
  /(\d|\}\}) (Sekunde|Minute|Stunde|Tag|Uhr|Zeichen|second|minute|hour|day|character)(?!lich|ly)|\b(z\.|d\.|u\.) \w/;

test.each([
  ["English", english],
  ["German", german],
])(
  "%s: no line of a page or mail breaks after a short prefix (E-Mail, 6-digit) or between a number and its unit",
  (_, texts) => {
    const shown = [...texts].filter(([key]) => !MAY_BREAK.test(key));
    expect(shown.filter(([, text]) => /(?<![\p{L}\p{N}}-])[\p{L}\p{N}]{1,3}-\p{L}/u.test(text))).toEqual([]);
    expect(shown.filter(([, text]) => UNITS.test(text))).toEqual([]);
  },
);

test.each([
  ["English", english],
  ["German", german],
])("%s: subjects of mails contain no character that a list of mails may not show", (_, texts) => {
  const subjects = [...texts].filter(([key]) => /^mail\.\w+\.subject$/.test(key));
  expect(subjects.length).toBeGreaterThan(0);
  expect(subjects.filter(([, text]) => /[\u00a0\u00ad\u2011]/.test(text))).toEqual([]);
});
