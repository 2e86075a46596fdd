import { expect, test } from "vitest";
import { initials } from "#app/ui/account-row.tsx";

test.each([
  ["Anna Berger", "AB"],
  ["anna von der berg", "AB"],
  ["Ärzte-Haus Özil", "ÄÖ"],
  ["李小龍", "李"],
  ["𝒜nna 𝓑erger", "𝒜𝓑"],
  ["Dr. Anna Berger", "AB"],
  ["Prof. Dr. Anna von der Berg", "AB"],
  ["Dipl.-Ing. Bernd Vogel", "BV"],
  ["Dr Anna Berger", "AB"],
  ["A. Berger", "AB"],
  ["Drusilla Prof", "DP"],
  ["Dr.", "D"],
  ["  Anna  ", "A"],
  ["", ""],
  ["–", ""],
])("the initials of %j are %j", (name, expected) => {
  expect(initials(name)).toBe(expected);
});
