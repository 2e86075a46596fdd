import { authenticatorName } from "./authenticator-names.ts";

/** Maximum length of a new name, in UTF-16 code units. Names from before version 0.3 have up to 64. */
export const MAX_KEY_NAME_LENGTH = 40;

/** Default names of keys and passkeys, in the language of the page. */
export type DefaultKeyNames = { key: string; phone: string; passkey: string };

/** Returns the default name for a key with these transports (WebAuthn Level 3 §5.8.4), numbered if it is taken. */
export function defaultKeyName(
  transports: readonly string[],
  taken: readonly string[],
  names: DefaultKeyNames,
): string {
  const isPhone = transports.includes("hybrid") && !transports.includes("usb");
  return numbered(isPhone ? names.phone : names.key, taken);
}

/** Returns the default name for a passkey: that of its provider if it is known, numbered if it is taken. */
export function defaultPasskeyName(aaguid: string | null, taken: readonly string[], names: DefaultKeyNames): string {
  return numbered(authenticatorName(aaguid) ?? names.passkey, taken);
}

function numbered(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
