import type { ReactNode } from "react";

/** Shows an account: initials, then the given text. */
export function AccountRow({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <p className="account">
      <span className="initials" aria-hidden="true">
        {initials(name)}
      </span>
      <span>{children}</span>
    </p>
  );
}

/** Titles before a name: abbreviations such as "Dr." and "Dipl.-Ing.", but not initials such as "A." */
const TITLES = /^(?:(?:\p{L}{2,}\.|(?:Dr|Prof)(?=\s))[\s-]*)+(?=\p{L})/u;

/**
 * Returns the initials of the first and the last word without titles, by code points: "Dr. Anna von Berg" → "AB",
 * "李小龍" → "李".
 */
export function initials(name: string): string {
  const words = name
    .trim()
    .replace(TITLES, "")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter(Boolean);
  const [first = "", last = ""] = [words.at(0), words.length > 1 ? words.at(-1) : ""];
  return [first, last].map((word) => (Array.from(word)[0] ?? "").toLocaleUpperCase("en")).join("");
}
