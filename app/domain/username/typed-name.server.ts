import { withoutInvisible } from "#app/domain/base/invisible.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { canonicalAddress } from "#app/mail-address.server.ts";
import { canonicalForm, parseUsername } from "./canonical.ts";

/** A typed user name or e-mail address. `canonical` is "" if it cannot be a user name, `email` null if no address. */
type LoginName = { canonical: string; email: string | null };

/**
 * Parses what is typed into the field for the user name or e-mail address. A text with "@" may be both; a user name
 * then takes precedence (`findUserByLoginName`).
 */
export function parseLoginName(typed: string): LoginName {
  const name = parseUsername(typed);
  return { canonical: name.ok ? name.canonical : "", email: typedAddress(typed) };
}

/**
 * Returns a keyed hash of a typed user name or e-mail address, base64url, 43 characters, equal for all spellings of a
 * name. Users type passwords into the wrong field, so that a name that belongs to no user is stored in this form only.
 */
export function hashTypedName(secrets: Pick<Secrets, "mac">, typed: string): string {
  return secrets.mac("typed-name", typedAddress(typed) ?? canonicalForm(typed));
}

function typedAddress(typed: string): string | null {
  return canonicalAddress(withoutInvisible(typed).trim());
}
