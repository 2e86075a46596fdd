/** Who sets a password; null where nothing is known. */
export type PasswordOwner = { username: string; displayName: string; email: string | null };

/** Fewest letters or digits of a user name that is looked for: a shorter one is in many good passwords by chance. */
const MIN_USERNAME_LENGTH = 3;

/** Likewise of the other names, which are words more often. */
const MIN_NAME_LENGTH = 4;

/**
 * Whether a password contains a name that others know: the user's, the parts of the display name, the e-mail address
 * before its @, or the product's. Case, accents of writing (ß, final sigma, wide letters) and separators do not count.
 */
export function containsOwnName(password: string, owner: PasswordOwner, productName: string): boolean {
  const squashed = squash(password);
  const { username, displayName, email } = owner;
  const names = [
    ...displayName.split(/[^\p{L}\p{M}\p{N}]+/u),
    localPart(email ?? ""),
    localPart(username),
    productName,
  ];
  return [
    ...[squash(username)].filter((name) => name.length >= MIN_USERNAME_LENGTH),
    ...names.map(squash).filter((name) => name.length >= MIN_NAME_LENGTH),
  ].some((name) => squashed.includes(name));
}

function localPart(address: string): string {
  return address.split("@", 1)[0] ?? "";
}

/** One spelling for all: "Anna.Groß", "anna gross" and "ANNA_GROSS" are the same. */
function squash(text: string): string {
  const folded = text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");
  return folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
}
