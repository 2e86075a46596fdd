import { withoutInvisible } from "#app/domain/base/invisible.ts";

/** Maximum length of an e-mail address (RFC 5321 §4.5.3.1). */
export const LOGIN_NAME_MAX_LENGTH = 254;

/** Returns the name that a browser remembers after a sign-in with `typed`; null for one that is too long to show. */
export function parseRememberedName(typed: string): string | null {
  const name = withoutInvisible(typed).trim();
  return name.length <= LOGIN_NAME_MAX_LENGTH ? name : null;
}
