/** Fewest code points of a new password (specification section 5). */
export const PASSWORD_MIN_LENGTH = 12;

/** Most code points of any password, new or typed at sign-in; checked before anything is hashed. */
export const PASSWORD_MAX_LENGTH = 256;

/** The rules a new password has to meet, in the order in which the checklist shows them. */
export const PASSWORD_RULES = ["length", "lower", "upper", "digit"] as const;

export type PasswordRule = (typeof PASSWORD_RULES)[number];

/** Which rules a password meets; `ok` when all of them hold. */
export type PasswordVerdict = { ok: boolean } & Record<PasswordRule, boolean>;

/**
 * Checks a new password against the rules of specification section 5. Length counts code points after NFC, so that the
 * composed and the decomposed form of a word count the same; letters are Unicode's lower-case and upper-case letters.
 */
export function checkPasswordRules(password: string): PasswordVerdict {
  const normalised = normalisePassword(password);
  const codePoints = countCodePoints(normalised);
  const length = codePoints >= PASSWORD_MIN_LENGTH && codePoints <= PASSWORD_MAX_LENGTH;
  const lower = /\p{Ll}/u.test(normalised);
  const upper = /\p{Lu}/u.test(normalised);
  const digit = /\p{Nd}/u.test(normalised);
  return { ok: length && lower && upper && digit, length, lower, upper, digit };
}

/** The one form in which passwords are counted, checked and hashed (NIST SP 800-63B-4 section 3.1.1.2). */
export function normalisePassword(password: string): string {
  return password.normalize("NFC");
}

/** True when a password is longer than anything Gatehouse hashes. */
export function isTooLong(password: string): boolean {
  // UTF-16 units never count fewer than code points, and a composed form can be up to three times shorter.
  if (password.length > PASSWORD_MAX_LENGTH * 8) return true;
  return countCodePoints(normalisePassword(password)) > PASSWORD_MAX_LENGTH;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
