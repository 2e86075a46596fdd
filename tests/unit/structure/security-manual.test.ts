import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "#tests/support/source-tree.ts";

const MANUAL = readFileSync(join(ROOT, "docs/security.md"), "utf8");

/** Requirement 11 is a deviation; its row links the decision. */
const REQUIRED = range(1, 126);

type Row = { number: number; proofs: string[] };

const rows: Row[] = MANUAL.split("\n").flatMap((line) => {
  const [, number, , proofs] = /^\| (\d+) \| (.*?) \| (.*) \|$/.exec(line) ?? [];
  return number && proofs ? [{ number: Number(number), proofs: proofs.split("<br>") }] : [];
});

test("docs/security.md has a row for every requirement", () => {
  const listed = rows.map(({ number }) => number);
  expect(REQUIRED.filter((number) => !listed.includes(number))).toEqual([]);
});

test("every test that docs/security.md names exists under that name", () => {
  const missing = rows.flatMap(({ number, proofs }) =>
    proofs.filter((proof) => !isThere(proof)).map((proof) => `${number}: ${proof}`),
  );
  expect(missing).toEqual([]);
});

/** Matches "`file`: name of the test", "`file`" or a link to a decision. */
function isThere(proof: string): boolean {
  const [, file = "", title = ""] = /^`([^`]+)`(?:: (.*))?$/.exec(proof) ?? [];
  if (file) return existsSync(join(ROOT, file)) && readFileSync(join(ROOT, file), "utf8").includes(title);
  const [, link = ""] = /\]\(([^)]+)\)$/.exec(proof) ?? [];
  return link !== "" && existsSync(join(ROOT, "docs", link));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
