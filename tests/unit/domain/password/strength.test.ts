import { describe, expect, it } from "vitest";
import { scorePassword } from "#app/domain/password/strength.ts";

describe("the strength meter", () => {
  it("shows no bar for an empty field and one bar for the weakest password", () => {
    expect(scorePassword("")).toBe(0);
    expect(scorePassword("1")).toBe(1);
  });

  // Entropy by the formula of the specification, calculated by hand.
  it.each([
    ["111111", 1, "6 x log2(10) = 19.9"],
    ["1111111", 2, "7 x log2(10) = 23.3"],
    ["aaaaaaaa", 2, "8 x log2(26 + 1) = 38.0"],
    ["aaaaaaaaa", 3, "9 x log2(27) = 42.8"],
    ["aaaaaaaaaaaa", 3, "12 x log2(27) = 57.1"],
    ["aaaaaaaaaaaaa", 4, "13 x log2(27) = 61.8"],
    ["Aaaaaaaaaaa1", 4, "12 x log2(26 + 26 + 10 + 1) = 71.7"],
    ["Aaaaaaaaaaaa1", 4, "13 x log2(63) = 77.7"],
    ["Aaaaaaaaaaaaa1", 5, "14 x log2(63) = 83.7"],
    ["Aaaaaaaaaa1!", 4, "12 x log2(96) = 79.0"],
    ["Aaaaaaaaaaa1!", 5, "13 x log2(96) = 85.6"],
  ])("%s shows %i: %s bits", (password, score) => {
    expect(scorePassword(password)).toBe(score);
  });

  it("adds one to the pool from 8 characters on", () => {
    // 7 x log2(52) = 39.9; 8 x log2(31) would be 39.6 and 8 x log2(33 + 1) = 40.7.
    expect(scorePassword("AaAaAaA")).toBe(2);
    expect(scorePassword("!!!!!!!!")).toBe(3);
    // 6 x log2(10) = 19.93 without the one, 8 x log2(11) = 27.7 with it.
    expect(scorePassword("11111111")).toBe(2);
  });

  it("never shows more than five bars", () => {
    expect(scorePassword("Aa1!".repeat(64))).toBe(5);
  });

  it("counts as the rules do: an emoji is one symbol, a decomposed letter is one letter", () => {
    // 7 x log2(33) = 35.3; as 14 units it would be 71.2.
    expect(scorePassword("🙂".repeat(7))).toBe(2);
    expect(scorePassword("o\u0308".repeat(8))).toBe(scorePassword("ö".repeat(8)));
  });
});
