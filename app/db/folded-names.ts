import type { User } from "./schema.server.ts";

/** The fields of a user from which folded names are made. */
export type Names = Pick<User, "username" | "displayName" | "givenName" | "familyName" | "email">;

/**
 * Folds a name for sorting and searching: lower case, without accents, "ß" as "ss", so that "Müller" is found by
 * "muller" and sorted beside it (Unicode Standard Annex 15, NFKD).
 */
export function foldName(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss").trim();
}

/** Returns the columns by which lists of people are sorted and searched. */
export function foldedNames({ username, displayName, givenName, familyName, email }: Names): {
  sortName: string;
  searchText: string;
} {
  const sorted = familyName === null ? displayName : `${familyName} ${givenName ?? ""}`;
  const searched = [displayName, givenName, familyName, username, email].filter((part) => part !== null);
  return { sortName: foldName(sorted), searchText: foldName(searched.join(" ")) };
}
