import { expect, it } from "vitest";
import { printable } from "#app/domain/base/printable.ts";

it.each([
  ["Anna Schmidt", "Anna Schmidt"],
  ["anna\nuser=root", "anna\\u{a}user=root"],
  ["\u001b[31mred", "\\u{1b}[31mred"],
  ["\u009b31mred", "\\u{9b}31mred"],
  ["a\u202eb", "a\\u{202e}b"],
  ["a\u2028b", "a\\u{2028}b"],
  ["a\ud800b", "a\\u{d800}b"],
  ["🙂".repeat(80), "🙂".repeat(64)],
  ["x".repeat(5_000_000), "x".repeat(64)],
])("%#: user-supplied text cannot break a line, control a terminal or fill the log", (text, shown) => {
  expect(printable(text)).toBe(shown);
});
