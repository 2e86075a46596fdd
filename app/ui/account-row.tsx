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

/** Returns the initials of the first and the last word, by code points: "Anna von Berg" → "AB", "李小龍" → "李". */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean);
  const [first = "", last = ""] = [words.at(0), words.length > 1 ? words.at(-1) : ""];
  return [first, last].map((word) => (Array.from(word)[0] ?? "").toLocaleUpperCase("en")).join("");
}
