import { describe, expect, it } from "vitest";
import { checkPasswordRules, isTooLong, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "#app/domain/password/rules.ts";

const O_UMLAUT_DECOMPOSED = "o\u0308";

describe("password rules", () => {
  it("11 characters are too few and 12 are enough", () => {
    expect(checkPasswordRules("Abcdefghij1")).toEqual({
      ok: false,
      length: false,
      lower: true,
      upper: true,
      digit: true,
    });
    expect(checkPasswordRules("Abcdefghijk1").ok).toBe(true);
    expect(PASSWORD_MIN_LENGTH).toBe(12);
  });

  it("each missing kind of character is named", () => {
    expect(checkPasswordRules("ABCDEFGHIJK1")).toMatchObject({ ok: false, lower: false });
    expect(checkPasswordRules("abcdefghijk1")).toMatchObject({ ok: false, upper: false });
    expect(checkPasswordRules("Abcdefghijkl")).toMatchObject({ ok: false, digit: false });
  });

  it("letters of every alphabet count as letters", () => {
    expect(checkPasswordRules("Жизньхороша1").ok).toBe(true);
    expect(checkPasswordRules("ÄÖÜäöüÄÖÜäö1").ok).toBe(true);
  });

  it("length counts code points: an emoji is one, a decomposed letter is one", () => {
    expect(checkPasswordRules(`Aa1${"🙂".repeat(8)}`).length).toBe(false);
    expect(checkPasswordRules(`Aa1${"🙂".repeat(9)}`).length).toBe(true);
    expect(checkPasswordRules(`Aa1${O_UMLAUT_DECOMPOSED.repeat(8)}`).length).toBe(false);
    expect(checkPasswordRules(`Aa1${O_UMLAUT_DECOMPOSED.repeat(9)}`).length).toBe(true);
  });

  it("256 code points are accepted and 257 are not, whatever their form", () => {
    const fill = (count: number) => `Aa1${"x".repeat(count - 3)}`;
    expect(checkPasswordRules(fill(PASSWORD_MAX_LENGTH)).ok).toBe(true);
    expect(checkPasswordRules(fill(PASSWORD_MAX_LENGTH + 1)).length).toBe(false);
    expect(isTooLong(O_UMLAUT_DECOMPOSED.repeat(256))).toBe(false);
    expect(isTooLong(O_UMLAUT_DECOMPOSED.repeat(257))).toBe(true);
    expect(isTooLong("🙂".repeat(256))).toBe(false);
    expect(isTooLong("x".repeat(5_000_000))).toBe(true);
  });
});
