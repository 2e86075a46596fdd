import { parseUsername } from "./canonical.ts";

/** Letters that do not consist of a letter and an accent, in lower case, and German umlauts as they are spelled out. */
const SPELLED_OUT: Readonly<Record<string, string>> = {
  ...{ ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", œ: "oe" },
  ...{ ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
};

/** Maximum length in code points of each of both names in a formed user name; a number has room after them. */
const PART_LENGTH = 28;

/**
 * Forms the user name "given.family" from the names of a person, in lower case and without accents, such as
 * "joerg.von-der-muehlen". Returns null if the names give no valid one, because their letters are of two scripts.
 */
export function formUsername(givenName: string, familyName: string): string | null {
  const formed = [givenName, familyName].map(partOf).filter(Boolean).join(".");
  return parseUsername(formed).ok ? formed : null;
}

function partOf(name: string): string {
  const lower = name.normalize("NFC").toLowerCase().normalize("NFC");
  const spelled = [...lower].map((letter) => SPELLED_OUT[letter] ?? letter).join("");
  const plain = spelled.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC");
  const words = plain.replace(/['’]/g, "").replace(/[^\p{L}0-9]+/gu, "-");
  const part = [...words.replace(/^-/, "")].slice(0, PART_LENGTH).join("");
  return part.replace(/-$/, "");
}
