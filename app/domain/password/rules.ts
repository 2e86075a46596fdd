/** Fewest code points of a new password (specification section 5). */
export const PASSWORD_MIN_LENGTH = 12;

/** Most code points of any password, new or typed at sign-in; checked before anything is hashed. */
export const PASSWORD_MAX_LENGTH = 256;

/** What a checklist shows, in its order. `equal` is about a form with two fields. */
export const PASSWORD_RULES = ["length", "lower", "upper", "digit", "equal"] as const;

/** `maxLength` stands in the place of `length` for a password that is too long: nobody else needs to hear of it. */
export type PasswordRule = (typeof PASSWORD_RULES)[number] | "maxLength";

/** One rule, and whether a password meets it. */
export type RuleVerdict = { rule: PasswordRule; met: boolean };

/**
 * The rules in the words that password managers read, for the attribute `passwordrules` of a field with a new password
 * (https://developer.apple.com/password-rules/).
 */
export const PASSWORD_RULES_FOR_MANAGERS = `minlength: ${PASSWORD_MIN_LENGTH}; required: lower; required: upper; required: digit;`;

/**
 * Checks a new password against the rules of specification section 5, in the order of the checklist; with `repeat`,
 * also whether both fields hold the same. Length counts code points after NFC, so that the composed and the decomposed
 * form of a word count the same; letters are Unicode's lower-case and upper-case letters, digits are 0-9.
 */
export function checkRules(password: string, repeat?: string): RuleVerdict[] {
  const normalised = normalisePassword(password);
  const rules: RuleVerdict[] = [
    lengthVerdict(password, normalised),
    { rule: "lower", met: /\p{Ll}/u.test(normalised) },
    { rule: "upper", met: /\p{Lu}/u.test(normalised) },
    { rule: "digit", met: /[0-9]/.test(normalised) },
  ];
  if (repeat === undefined) return rules;
  return [...rules, { rule: "equal", met: normalised !== "" && normalised === normalisePassword(repeat) }];
}

/** Whether all of these rules are met. */
export function areMet(rules: readonly RuleVerdict[]): boolean {
  return rules.every(({ met }) => met);
}

// UTF-16 units never count fewer than code points, and a composed form can be up to three times shorter.
const MAX_NORMALISED_LENGTH = PASSWORD_MAX_LENGTH * 8;

/**
 * The one form in which passwords are counted, checked and hashed (NIST SP 800-63B-4 section 3.1.1.2). A password far
 * above the maximum is returned as it is: normalising 60 KB of combining marks blocks the event loop.
 */
export function normalisePassword(password: string): string {
  return password.length > MAX_NORMALISED_LENGTH ? password : password.normalize("NFC");
}

/** True when a password is longer than anything Gatehouse hashes. */
export function isTooLong(password: string): boolean {
  if (password.length > MAX_NORMALISED_LENGTH) return true;
  return countCodePoints(normalisePassword(password)) > PASSWORD_MAX_LENGTH;
}

/** Characters as people count them, more or less: an emoji is one. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function lengthVerdict(password: string, normalised: string): RuleVerdict {
  if (isTooLong(password)) return { rule: "maxLength", met: false };
  return { rule: "length", met: countCodePoints(normalised) >= PASSWORD_MIN_LENGTH };
}
