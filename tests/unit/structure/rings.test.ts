import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listFiles, ROOT, readText } from "#tests/support/source-tree.ts";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

/** Returns the projects of each test file, as vitest finds them. */
function listProjects() {
  const { stdout } = spawnSync(process.execPath, [VITEST, "list", "--filesOnly", "--json"], {
    cwd: ROOT,
    encoding: "utf8",
    timeout: 60_000,
  });
  const listed = z.array(z.object({ file: z.string(), projectName: z.string() })).parse(JSON.parse(stdout));
  const projects = new Map<string, string[]>();
  for (const { file, projectName } of listed) {
    const path = file.slice(ROOT.length);
    projects.set(path, [...(projects.get(path) ?? []), projectName]);
  }
  return projects;
}

describe("the test projects", { timeout: 60_000 }, () => {
  const projects = listProjects();

  it("contain every test file, either in `npm test` or in `npm run test:long`", () => {
    const files = listFiles("tests").filter((path) => /\.test\.tsx?$/.test(path));
    expect([...projects.keys()].sort()).toEqual(files.sort());
    const isLong = (name: string) => name.startsWith("long-");
    const mixed = [...projects].filter(([, names]) => names.some(isLong) && !names.every(isLong));
    expect(mixed).toEqual([]);
  });

  it("run a file once, or once per database", () => {
    const repeated = [...projects].filter(([path, names]) => names.length > (path.startsWith("tests/http/") ? 2 : 1));
    expect(repeated).toEqual([]);
    expect([...projects].filter(([, names]) => new Set(names).size < names.length)).toEqual([]);
  });

  it("are all run by scripts/test.mjs", () => {
    const script = readText("scripts/test.mjs");
    const names = [...new Set([...projects.values()].flat())];
    expect(names.filter((name) => !script.includes(`"${name}"`))).toEqual([]);
  });
});
