import type { OneTimeTokenKind } from "#app/db/schema.server.ts";

/** Kinds of mailed links that change an account. */
export const LINK_KINDS: readonly OneTimeTokenKind[] = [
  "password-reset",
  "mfa-reset",
  "mfa-reset-stop",
  "email-change",
];

/** Links, besides `not-me`, that a new e-mail address of the user invalidates: they were mailed to the old one. */
export const ADDRESS_LINK_KINDS: readonly OneTimeTokenKind[] = [...LINK_KINDS, "not-me-reset"];

/** Kinds of pending sign-ins, set-ups and settings. */
export const PENDING_KINDS: readonly OneTimeTokenKind[] = [
  "mfa",
  "totp-setup",
  "webauthn-registration",
  "webauthn-assertion",
  "settings",
  "settings-confirm",
];
