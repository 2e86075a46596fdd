/** Maximum length of a new name, in UTF-16 code units. Names from before version 0.3 have up to 64. */
export const MAX_KEY_NAME_LENGTH = 40;

/** Default names of keys, in the language of the page. */
export type DefaultKeyNames = { key: string; phone: string };

/** Returns the default name for a key with these transports (WebAuthn Level 3 §5.8.4), numbered if it is taken. */
export function defaultKeyName(
  transports: readonly string[],
  taken: readonly string[],
  names: DefaultKeyNames,
): string {
  const name = transports.includes("hybrid") && !transports.includes("usb") ? names.phone : names.key;
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
