/**
 * Every code that Gatehouse shows, in a page's `data-code`, in an answer's `error` or on the command line.
 * Codes that SPEC.md names are spelled as it spells them. The text of a code lives in the locales.
 */
export const ERROR_CODES = [
  // Sign-in, consent, logout (specification sections 5 and 8)
  "credentials",
  "challenge",
  "invalid-scope-requested",
  "page_not_found",
  // Passwords
  "empty-password",
  "empty-password-repeat",
  "passwords-not-equal",
  "password-strength",
  "password-common",
  "empty-username",
  // Second factors (specification sections 5 and 9)
  "unauthorized",
  "invalid verification code",
  "totp already registered",
  "totp not found",
  "factor already registered",
  "security key not found",
  "security key refused",
  // User names
  "username is empty",
  "username is invalid",
  "username not available",
  // Login settings (specification sections 5 and 8)
  "Could not parse request",
  "No password given",
  "Current password invalid",
  "password-unchanged",
  "reauthentication_required",
  "last sign-in method",
  // External accounts
  "account not connected",
  "account in use",
  "provider failed",
  // Registration
  "registration not found",
  // Limits
  "throttled",
  "overloaded",
  // Requests
  "bad request",
  "xsrf",
  "origin",
  // Administration
  "user not found",
  "user is blocked",
  "user is invalid",
  "user has no e-mail",
  "user has a password",
  "group not found",
  "group is invalid",
  "group not available",
  "client not found",
  "consent not found",
  "client is invalid",
  "client not available",
  "client is public",
  "redirect uri is invalid",
  "return url is unknown",
  "scope is unknown",
  // The installation
  "wrong secret key",
  "key too young",
  "host changed",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const KNOWN: ReadonlySet<unknown> = new Set(ERROR_CODES);

/**
 * A refusal with a code of the closed list. `code` may be shown, `detail` goes to the log and, for the administrators'
 * command, to the terminal; neither ever holds a secret.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;

  constructor(code: ErrorCode, options: { detail?: string; cause?: unknown } = {}) {
    const detail = options.detail ?? code;
    super(detail === code ? code : `${code}: ${detail}`, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "DomainError";
    this.code = code;
    this.detail = detail;
  }
}

/**
 * The code of a refusal, or null for any other error. Looks at the value and not at the class: the server's program
 * and its pages are two bundles with a copy of this class each.
 */
export function codeOf(error: unknown): ErrorCode | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  return isErrorCode(error.code) ? error.code : null;
}

/** True when `error` is a refusal with exactly this code, whichever bundle made it. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  return codeOf(error) === code;
}

/** Whether this is a code of the closed list. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return KNOWN.has(value);
}
