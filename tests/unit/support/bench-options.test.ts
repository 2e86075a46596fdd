import { expect, test } from "vitest";
import { readOptions } from "#tests/bench/options.ts";

test("the measures that an option selects exclude each other", () => {
  expect(readOptions(["--rows", "--quick"])).toMatchObject({ only: "rows", quick: true });
  expect(readOptions(["--processes"]).only).toBe("processes");
  expect(readOptions([]).only).toBeNull();
  expect(() => readOptions(["--rows", "--processes"])).toThrow(/--rows.*--processes exclude each other/);
});
