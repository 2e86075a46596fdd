/** What keys are called at first, in the language of the page that registers one. */
export type FirstKeyNames = { key: string; phone: string };

/**
 * The first name of a security key, until its owner gives it another: what it is, by how it talks to the browser, with a
 * number when the owner has one of that name. `transports` as in WebAuthn Level 3, 5.8.4.
 */
export function firstKeyName(transports: readonly string[], taken: readonly string[], names: FirstKeyNames): string {
  const name = transports.includes("hybrid") && !transports.includes("usb") ? names.phone : names.key;
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
