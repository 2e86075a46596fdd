import type { OneTimeTokenKind } from "#app/db/schema.server.ts";

/** Kinds of mailed links that change an account. */
export const LINK_KINDS: readonly OneTimeTokenKind[] = ["password-reset", "mfa-reset", "mfa-reset-stop"];

/** Kinds of pending sign-ins, set-ups and settings. */
export const PENDING_KINDS: readonly OneTimeTokenKind[] = [
  "mfa",
  "totp-setup",
  "webauthn-registration",
  "webauthn-assertion",
  "settings",
  "settings-confirm",
];
