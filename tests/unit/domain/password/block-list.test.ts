import { statSync } from "node:fs";
import { join } from "node:path";
import { dictionary } from "@zxcvbn-ts/language-common";
import { describe, expect, it } from "vitest";
import { isCommonPassword } from "#app/domain/password/block-list.server.ts";
import { areMet, checkRules } from "#app/domain/password/rules.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { generateCommonPasswords } from "../../../../scripts/generate-common-passwords.ts";

const MAX_BYTES = 150 * 1024;

const capitalised = (word: string) => word.replace(/[a-z]/, (letter) => letter.toUpperCase());

describe("the list of common passwords", () => {
  it("equals the list that its package generates", async () => {
    expect(await generateCommonPasswords(ROOT, { check: true })).toEqual([]);
  });

  it("stays small", () => {
    expect(statSync(join(ROOT, "app/domain/password/common-passwords.json")).size).toBeLessThan(MAX_BYTES);
  });

  it("refuses every long password of its source that meets the rules, in any capitalisation", async () => {
    const long = (dictionary["passwords-common"] ?? []).map((password) => capitalised(String(password)));
    const allowed = long.filter((password) => areMet(checkRules(password)));
    expect(allowed.length).toBeGreaterThan(100);
    const passed = await Promise.all(
      allowed.map(async (password) => ((await isCommonPassword(password)) ? [] : [password])),
    );
    expect(passed.flat()).toEqual([]);
  });

  // Proves requirement 5.
  it("refuses the 3,000 most common passwords in typical variants that meet the rules", async () => {
    const commonest = (dictionary["passwords-common"] ?? []).map(String).filter((word) => /^[a-z]{4,}$/.test(word));
    const fill = (word: string, digits: string) => capitalised(word) + digits.slice(0, Math.max(1, 12 - word.length));
    const passed: string[] = [];
    for (const word of commonest.slice(0, 3000)) {
      for (const digits of ["12345678", "11111111", "87654321"]) {
        const password = fill(word, digits);
        if (areMet(checkRules(password)) && !(await isCommonPassword(password))) passed.push(password);
      }
    }
    expect(passed).toEqual([]);
  });

  it.each([
    "Password1234",
    "PASSWORDpassword1",
    "P@ssw0rd2026!",
    "Passw0rd!!!!1",
    "!Welcome2026!",
    "Qwerty123456",
    "Qwertyuiop123",
    "1qaz2wsx3EDC",
    "1qaz@WSX3edc",
    "Abc123456789",
    "Aa1234567890",
    "Sunshine2026!",
    "$unshine2026",
    "Passwort2026!",
    "Ｐａｓｓｗｏｒｄ１２３４",
  ])("refuses %s", async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  });

  it.each([
    "Leuchtturm-am-Kai-7",
    "Ledger-Window-27-Oak",
    "Correct horse 1",
    "Sunshine Ledger 7",
    "Tr4ktorSchneeAal",
    "Michael-83614-27590",
    "kV9#mQ2x!Lp7",
    "Жизньхороша1",
    "123-Leuchtturm-456",
  ])("accepts %s", async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  });
});
