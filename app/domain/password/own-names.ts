/** The names of the user who sets a password. `email` is null if unknown. */
export type PasswordUser = { username: string; displayName: string; email: string | null };

/** Minimum length of a user name to search for: many good passwords contain a shorter one by coincidence. */
const MIN_USERNAME_LENGTH = 3;

/** Minimum length of the other names, which are more often ordinary words. */
const MIN_NAME_LENGTH = 4;

/**
 * Returns true if a password contains the user name, a part of the display name, the local part of the e-mail address,
 * or the product name. Ignores case, separators and variants such as ß, final sigma and full-width letters.
 */
export function containsOwnName(password: string, user: PasswordUser, productName: string): boolean {
  const normalised = normalise(password);
  const { username, displayName, email } = user;
  const names = [
    ...displayName.split(/[^\p{L}\p{M}\p{N}]+/u),
    localPart(email ?? ""),
    localPart(username),
    productName,
  ];
  return [
    ...[normalise(username)].filter((name) => name.length >= MIN_USERNAME_LENGTH),
    ...names.map(normalise).filter((name) => name.length >= MIN_NAME_LENGTH),
  ].some((name) => normalised.includes(name));
}

function localPart(address: string): string {
  return address.split("@", 1)[0] ?? "";
}

/** Normalises a name: "Anna.Groß", "anna gross" and "ANNA_GROSS" become equal. */
function normalise(text: string): string {
  const folded = text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");
  return folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
}
