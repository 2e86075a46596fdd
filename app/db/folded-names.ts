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

/** Words of a search that count; further ones are ignored. */
const MAX_WORDS = 6;

/**
 * Returns the folded words of a search, without the comma of "family name, given name". The longest is the first, because
 * fewer texts contain it, and the others are then compared with those only.
 */
export function searchWords(text: string): string[] {
  const words = foldName(text)
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  return words.sort((one, other) => other.length - one.length);
}

/** Bytes of the folded columns: PostgreSQL allows 2,704 for all columns of an index, with at most 4 for a character. */
const SORTED_BYTES = 400;
const SEARCHED_BYTES = 1600;

/** Returns the columns by which lists of people are sorted and searched. Both are cut to what an index can contain. */
export function foldedNames({ username, displayName, givenName, familyName, email }: Names): {
  sortName: string;
  searchText: string;
} {
  const sorted = familyName === null ? displayName : `${familyName} ${givenName ?? ""}`;
  // The user may choose the names: as the last ones, they are what is cut.
  const searched = [username, email, displayName, givenName, familyName].filter((part) => part !== null);
  // A word that another contains is found in that one, and the list reads the texts of all people.
  const words = [...new Set(foldName(searched.join(" ")).split(/\s+/))];
  const distinct = words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
  return { sortName: cut(foldName(sorted), SORTED_BYTES), searchText: cut(distinct.join(" "), SEARCHED_BYTES) };
}

/** Returns the beginning of a text that has at most so many bytes in UTF-8. */
function cut(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}
