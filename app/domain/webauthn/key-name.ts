/**
 * The first name of a security key, until its owner gives it another: what it is, by how it talks to the browser, with a
 * number when the owner has one of that name. `transports` as in WebAuthn Level 3, 5.8.4.
 */
export function firstKeyName(transports: readonly string[], taken: readonly string[]): string {
  const name = transports.includes("hybrid") && !transports.includes("usb") ? "Phone" : "Security key";
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
