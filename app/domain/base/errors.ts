/**
 * Every error code that Gatehouse shows: in a page's `data-code`, in a response's `error` or on the command line.
 * Codes of the specification keep its spelling. The locales contain their texts.
 */
export const ERROR_CODES = [
  // Sign-in, consent, logout (specification sections 5 and 8)
  "credentials",
  "challenge",
  "invalid-scope-requested",
  "passkey refused",
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
  // Profile
  "name is empty",
  "name is invalid",
  "phone is invalid",
  "email is empty",
  "email is invalid",
  "email is unchanged",
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
  "person changed",
  "user is blocked",
  "user is invalid",
  "user has no e-mail",
  "user has a password",
  "group not found",
  "group is invalid",
  "group not available",
  "group changed",
  "group has members",
  "group is in use",
  "home group",
  "too many groups",
  "role is invalid",
  "role not found",
  "last administrator",
  "last day is past",
  "other help",
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

/** A code of `ERROR_CODES`. */
export type ErrorCode = (typeof ERROR_CODES)[number];

const KNOWN: ReadonlySet<unknown> = new Set(ERROR_CODES);

/**
 * An error with a code of the closed list. `code` may be shown; `detail` is logged, and printed by the administrators'
 * command; `fields` are the names of invalid input fields. None contains a secret.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly fields: readonly string[];

  constructor(code: ErrorCode, options: { detail?: string; fields?: readonly string[]; cause?: unknown } = {}) {
    const detail = options.detail ?? code;
    super(detail === code ? code : `${code}: ${detail}`, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "DomainError";
    this.code = code;
    this.detail = detail;
    this.fields = options.fields ?? [];
  }
}

/** Returns true if `error` is a DomainError with this code. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof DomainError && error.code === code;
}

/** Returns true if the value is a code of the closed list. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return KNOWN.has(value);
}
