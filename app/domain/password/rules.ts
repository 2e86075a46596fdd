/** Minimum length of a new password in code points (specification, section 5). */
export const PASSWORD_MIN_LENGTH = 12;

/** Maximum length of any password in code points, checked before hashing. */
export const PASSWORD_MAX_LENGTH = 256;

/** The rules in the order of the checklist. `equal` applies to forms with two fields. */
export const PASSWORD_RULES = ["length", "lower", "upper", "digit", "equal"] as const;

/** `maxLength` replaces `length` in the result for a password that is too long. */
export type PasswordRule = (typeof PASSWORD_RULES)[number] | "maxLength";

/** One rule, and if a password meets it. */
export type RuleResult = { rule: PasswordRule; met: boolean };

/** Value of the `passwordrules` attribute for password managers (https://developer.apple.com/password-rules/). */
export const PASSWORD_RULES_FOR_MANAGERS = `minlength: ${PASSWORD_MIN_LENGTH}; required: lower; required: upper; required: digit;`;

/**
 * Checks a new password against the rules of section 5 of the specification, in the order of the checklist. With `repeat`, also
 * checks that both fields are equal. Length counts code points after NFC; letters are \p{Ll} and \p{Lu}.
 */
export function checkRules(password: string, repeat?: string): RuleResult[] {
  const normalised = normalisePassword(password);
  const rules: RuleResult[] = [
    checkLength(password, normalised),
    { rule: "lower", met: /\p{Ll}/u.test(normalised) },
    { rule: "upper", met: /\p{Lu}/u.test(normalised) },
    { rule: "digit", met: /[0-9]/.test(normalised) },
  ];
  if (repeat === undefined) return rules;
  return [...rules, { rule: "equal", met: isRepeated(password, repeat) }];
}

/** Returns true if the repetition equals the password, which is not empty. */
export function isRepeated(password: string, repeat: string): boolean {
  return password !== "" && normalisePassword(password) === normalisePassword(repeat);
}

/** Returns true if all rules are met. */
export function areMet(rules: readonly RuleResult[]): boolean {
  return rules.every(({ met }) => met);
}

// In UTF-16 units. Every code point has at most two, and NFC shortens a text at most to a third.
const MAX_NORMALISED_LENGTH = PASSWORD_MAX_LENGTH * 8;

/**
 * Normalises a password to NFC (NIST SP 800-63B-4 §3.1.1.2). Returns a password far above the maximum unchanged,
 * because normalising 60 KB of combining marks blocks the event loop.
 */
export function normalisePassword(password: string): string {
  return password.length > MAX_NORMALISED_LENGTH ? password : password.normalize("NFC");
}

/** Returns true if a password is longer than the maximum. */
export function isTooLong(password: string): boolean {
  if (password.length > MAX_NORMALISED_LENGTH) return true;
  return countCodePoints(normalisePassword(password)) > PASSWORD_MAX_LENGTH;
}

/** Counts code points. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function checkLength(password: string, normalised: string): RuleResult {
  if (isTooLong(password)) return { rule: "maxLength", met: false };
  return { rule: "length", met: countCodePoints(normalised) >= PASSWORD_MIN_LENGTH };
}
