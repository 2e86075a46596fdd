import { describe, expect, it } from "vitest";
import {
  areMet,
  checkRules,
  isTooLong,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PASSWORD_RULES,
  PASSWORD_RULES_FOR_MANAGERS,
} from "#app/domain/password/rules.ts";

const O_UMLAUT_DECOMPOSED = "o\u0308";

const broken = (password: string, repeat?: string) =>
  checkRules(password, repeat).flatMap(({ rule, met }) => (met ? [] : [rule]));

describe("password rules", () => {
  // Proves requirement 1.
  it("11 characters are too few and 12 are enough", () => {
    expect(broken("Abcdefghij1")).toEqual(["length"]);
    expect(broken("Abcdefghijk1")).toEqual([]);
    expect(PASSWORD_MIN_LENGTH).toBe(12);
  });

  it("each missing kind of character is named", () => {
    expect(broken("ABCDEFGHIJK1")).toEqual(["lower"]);
    expect(broken("abcdefghijk1")).toEqual(["upper"]);
    expect(broken("Abcdefghijkl")).toEqual(["digit"]);
    expect(broken("")).toEqual(["length", "lower", "upper", "digit"]);
  });

  it("letters of every alphabet count as letters, digits are 0 to 9", () => {
    expect(broken("Жизньхороша1")).toEqual([]);
    expect(broken("ÄÖÜäöüÄÖÜäö1")).toEqual([]);
    expect(broken("ÄÖÜßÄÖÜßÄÖÜ1")).toEqual([]);
    expect(broken("Abcdefghijk٣")).toEqual(["digit"]);
  });

  // Proves requirement 4.
  it("length counts code points: an emoji is one, a decomposed letter is one", () => {
    expect(broken(`Aa1${"🙂".repeat(8)}`)).toEqual(["length"]);
    expect(broken(`Aa1${"🙂".repeat(9)}`)).toEqual([]);
    expect(broken(`Aa1${O_UMLAUT_DECOMPOSED.repeat(8)}`)).toEqual(["length"]);
    expect(broken(`Aa1${O_UMLAUT_DECOMPOSED.repeat(9)}`)).toEqual([]);
  });

  it("256 code points are accepted and 257 are not, whatever their form", () => {
    const fill = (count: number) => `Aa1${"x".repeat(count - 3)}`;
    expect(broken(fill(PASSWORD_MAX_LENGTH))).toEqual([]);
    expect(broken(fill(PASSWORD_MAX_LENGTH + 1))).toEqual(["maxLength"]);
    expect(isTooLong(O_UMLAUT_DECOMPOSED.repeat(256))).toBe(false);
    expect(isTooLong(O_UMLAUT_DECOMPOSED.repeat(257))).toBe(true);
    expect(isTooLong("🙂".repeat(256))).toBe(false);
    expect(isTooLong("x".repeat(5_000_000))).toBe(true);
  });

  it("both fields must be equal after normalisation, and not empty", () => {
    expect(broken("Abcdefghijk1", "Abcdefghijk1")).toEqual([]);
    expect(broken("Abcdefghijö1", `Abcdefghij${O_UMLAUT_DECOMPOSED}1`)).toEqual([]);
    expect(broken("Abcdefghijk1", "Abcdefghijk1 ")).toEqual(["equal"]);
    expect(broken("", "")).toContain("equal");
  });

  it("are the same in number and order for every input", () => {
    expect(checkRules("", "").map(({ rule }) => rule)).toEqual(PASSWORD_RULES);
    expect(checkRules("x".repeat(300), "").map(({ rule }) => rule)).toEqual(["maxLength", ...PASSWORD_RULES.slice(1)]);
    expect(areMet(checkRules("Abcdefghijk1", "Abcdefghijk1"))).toBe(true);
    expect(areMet(checkRules("Abcdefghijk1", ""))).toBe(false);
  });

  it("are available in the syntax of password managers", () => {
    expect(PASSWORD_RULES_FOR_MANAGERS).toBe("minlength: 12; required: lower; required: upper; required: digit;");
  });
});
