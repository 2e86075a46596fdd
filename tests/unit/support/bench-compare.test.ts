import { expect, test } from "vitest";
import { comparison, whyNotComparable } from "#tests/bench/compare.ts";

const run = { node: "v24.1.0", processor: "A" };

test("runs of different Node versions or processors are not compared", () => {
  expect(whyNotComparable(run, { ...run, node: "v26.0.0" })).toMatch(/Node v24\.1\.0.*v26\.0\.0/);
  expect(whyNotComparable(run, { ...run, processor: "B" })).toMatch(/processor A.*B/);
  expect(whyNotComparable(run, run)).toBeNull();
});

test("ratios of two runs stand side by side, with a dash for a missing one", () => {
  const finding = (what: string, median: number) => ({ what, ratio: { median, low: median, high: median } });
  const lines = comparison([finding("page", 2), finding("old", 1)], [finding("page", 1.5)]).split("\n");
  expect(lines.slice(1).map((line) => line.split(/\s+/))).toEqual([
    ["page", "2.00", "1.50"],
    ["old", "1.00", "-"],
  ]);
});
