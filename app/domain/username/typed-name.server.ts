import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { canonicalForm } from "./canonical.ts";

/**
 * Returns a keyed hash of a typed user name, base64url, 43 characters, equal for all spellings of a name. Users type
 * passwords into the wrong field, so that a name that belongs to no user is stored in this form only.
 */
export function hashTypedName(secrets: Pick<Secrets, "mac">, typed: string): string {
  return secrets.mac("typed-name", canonicalForm(typed));
}
