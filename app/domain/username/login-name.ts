import { withoutInvisible } from "#app/domain/invisible.ts";
import { canonicalForm, parseUsername } from "./canonical.ts";

/** Maximum length of an e-mail address (RFC 5321 §4.5.3.1). */
export const LOGIN_NAME_MAX_LENGTH = 254;

/** A typed user name or e-mail address. `canonical` is "" if it cannot be a user name, `email` null if no address. */
export type LoginName = { canonical: string; email: string | null };

/**
 * Parses what is typed into the field for the user name or e-mail address. A text with "@" may be both; a user name
 * then takes precedence (`findUserByLoginName`).
 */
export function parseLoginName(typed: string): LoginName {
  const name = parseUsername(typed);
  const email = canonicalForm(typed);
  const isAddress = email.includes("@") && email.length <= LOGIN_NAME_MAX_LENGTH;
  return { canonical: name.ok ? name.canonical : "", email: isAddress ? email : null };
}

/** Returns the name that a browser remembers after a sign-in with `typed`; null for one that is too long to show. */
export function parseRememberedName(typed: string): string | null {
  const name = withoutInvisible(typed).trim();
  return name.length <= LOGIN_NAME_MAX_LENGTH ? name : null;
}
