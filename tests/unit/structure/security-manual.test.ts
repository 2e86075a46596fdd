import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT, readText } from "#tests/support/source-tree.ts";
import { generateRequirements } from "../../../scripts/generate-requirements.ts";

const REQUIRED = range(1, 126);

const rows = readText("docs/security.md")
  .split("\n")
  .flatMap((line) => {
    const [, number, requirement = "", tests] = /^\| (\d+) \| (.*?) \| (.*) \|$/.exec(line) ?? [];
    return number && tests ? [{ number: Number(number), requirement, tests }] : [];
  });

test("docs/security.md has a row for every requirement", () => {
  const listed = rows.map(({ number }) => number);
  expect(REQUIRED.filter((number) => !listed.includes(number))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test("every requirement of docs/security.md has a test, or a decision that records the deviation", () => {
  const without = rows.filter(({ tests }) => tests === "none");
  expect(without.map(({ number }) => number)).toEqual([11]);
  for (const { requirement } of without) expect(requirement).toMatch(/deviation \(\[decision \d+\]/);
});

test("the tests in docs/security.md are those that name its requirements", async () => {
  expect(await generateRequirements(ROOT, { check: true })).toEqual([]);
});

describe("the column of tests", () => {
  const TABLE = [
    "<!-- The column of tests is generated from comments in the tests: npm run generate -->",
    "| # | requirement | tests |",
    "|---|---|---|",
    "| 1 | Long passwords | `tests/old.test.ts` |",
    "| 2 | No reuse | none |",
    "<!-- End of the requirements -->",
    "",
  ].join("\n");

  /** Generates the table for one test file, and returns its last column. */
  async function columnFor(test: string): Promise<string[]> {
    const root = mkdtempSync(join(tmpdir(), "gatehouse-requirements-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const folder of ["docs", "tests"]) mkdirSync(join(root, folder));
    writeFileSync(join(root, "docs/security.md"), TABLE);
    writeFileSync(join(root, "tests/one.test.ts"), test);
    await generateRequirements(root, { check: false });
    const text = readFileSync(join(root, "docs/security.md"), "utf8");
    return [...text.matchAll(/^\| \d \| .*? \| (.*) \|$/gm)].map(([, column = ""]) => column);
  }

  test("names tests, entries of their tables, and whole files", async () => {
    const proves = (numbers: string) => `// Proves requirement${numbers.includes(",") ? "s" : ""} ${numbers}.\n`;
    const each = `const CASES = [\n${proves("2")}["a | b", 1],\n];\n${proves("1, 2")}test.each(CASES)("is %s", () => {});\n`;
    expect(await columnFor(each)).toEqual([
      "`tests/one.test.ts`: is %s",
      "`tests/one.test.ts`: a \\| b<br>`tests/one.test.ts`: is %s",
    ]);
    expect(await columnFor(`${proves("1")}import "x";\ntest("y", () => {});\n`)).toEqual([
      "`tests/one.test.ts`",
      "none",
    ]);
  });

  test("is refused for an unknown requirement, and for a comment before nothing", async () => {
    await expect(columnFor('// Proves requirement 3.\ntest("x", () => {});\n')).rejects.toThrow(/no requirement 3/);
    await expect(columnFor('test("x", () => {\n  // Proves requirement 1.\n});\n')).rejects.toThrow(/does not stand/);
    await expect(columnFor("// Proves requirement 1.\nconst x = 1;\n")).rejects.toThrow(/there is no title/);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
