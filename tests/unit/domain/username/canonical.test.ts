import { describe, expect, it, vi } from "vitest";
import { canonicalForm, parseUsername } from "#app/domain/username/canonical.ts";

describe("user names", () => {
  it.each([
    ["anna", "anna", "anna"],
    ["Anna.Schmidt", "Anna.Schmidt", "anna.schmidt"],
    ["ANNA@BÜRO-1.example", "ANNA@BÜRO-1.example", "anna@büro-1.example"],
    ["Mu\u0308ller", "M\u00fcller", "m\u00fcller"],
    ["Straße", "Straße", "straße"],
    ["STRAẞE", "STRAẞE", "straße"],
    ["ａｎｎａ１", "anna1", "anna1"],
    ["ﬁnn", "finn", "finn"],
    ["  anna  ", "anna", "anna"],
    ["\u212Aarl", "Karl", "karl"],
    ["\ufeffan\u00adna\u200b.\u2066berg\u2069\u200e", "anna.berg", "anna.berg"],
    ["Иван_1", "Иван_1", "иван_1"],
    ["ΝΙΚΟΣ", "ΝΙΚΟΣ", "νικοσ"],
    ["νικος", "νικος", "νικοσ"],
    ["yıldız", "yıldız", "yıldız"],
    ["田中", "田中", "田中"],
    ["דוד7", "דוד7", "דוד7"],
    ["007", "007", "007"],
    ["x".repeat(64), "x".repeat(64), "x".repeat(64)],
  ])("%j is read as %j and compared as %j", (typed, username, canonical) => {
    expect(parseUsername(typed)).toEqual({ ok: true, username, canonical });
  });

  it.each([
    ["nothing", ""],
    ["only spaces", "   "],
    ["65 characters", "x".repeat(65)],
    ["a ligature that grows past 64", `${"x".repeat(63)}\uFB03`],
    ["a space inside", "anna schmidt"],
    ["a plus", "anna+1"],
    ["markup", "<b>anna</b>"],
    ["an apostrophe", "o'neill"],
    ["a Cyrillic letter among Latin ones", "\u0430nna"],
    ["a Greek letter among Latin ones", "ann\u03b1"],
    ["Hiragana among Han", "田の"],
    ["a capital dotted I, whose lower case is no letter", "İbrahim"],
    ["a combining mark that nothing composes", "anna\u0336"],
    ["a line feed inside", "an\nna"],
    ["an escape sequence", "anna\u001b[31m"],
    ["NUL", "anna\u0000"],
    ["a right-to-left override", "anna\u202egpj"],
    ["a zero-width joiner", "an\u200dna"],
    ["a half surrogate", "anna\ud800"],
    ["Arabic-Indic digits", "anna\u0661"],
    ["an emoji", "anna🙂"],
    ["a modifier letter", "anna\u02bc"],
  ])("%s is refused", (_, typed) => {
    expect(parseUsername(typed)).toEqual({ ok: false });
  });

  it("a name of more than 256 UTF-16 units is refused, and counted without being normalised", () => {
    const normalise = vi.spyOn(String.prototype, "normalize");
    const long = `a${"\u0301".repeat(60_000)}`;
    try {
      expect(parseUsername(long)).toEqual({ ok: false });
      expect(canonicalForm(long)).toBe(canonicalForm(long));
      expect(canonicalForm(long)).not.toBe(canonicalForm(`${long}b`));
      expect(parseUsername(`${" ".repeat(256)}a`)).toEqual({ ok: false });
      expect(normalise).not.toHaveBeenCalled();
    } finally {
      normalise.mockRestore();
    }
    expect(parseUsername(`${" ".repeat(255)}a`)).toMatchObject({ ok: true, username: "a" });
  });

  it("the dotless i and the i are different", () => {
    expect(canonicalForm("yıldız")).not.toBe(canonicalForm("yildiz"));
    expect(canonicalForm("YILDIZ")).toBe(canonicalForm("yildiz"));
  });

  it("a canonical name is its own canonical form", () => {
    for (const typed of ["Anna", "ΝΙΚΟΣ", "STRAẞE", "ＡＮＮＡ", "Иван", "Mu\u0308ller"]) {
      const once = canonicalForm(typed);
      expect(canonicalForm(once)).toBe(once);
    }
  });

  it("an invalid name still has one canonical form for counting", () => {
    expect(canonicalForm(" Anna Schmidt ")).toBe(canonicalForm("ANNA SCHMIDT"));
  });
});
