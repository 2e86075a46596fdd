import { describe, expect, it } from "vitest";
import { readSources } from "#tests/support/source-tree.ts";
import { FOLDER_IMPORTS, MAX_FLOORS } from "./domain-folders.ts";

/** Used imports between folders of app/domain, as "from > to", each with the first file that has it. */
const used = new Map<string, string>();
const folders = new Set<string>();
for (const { path, imports } of readSources("app/domain")) {
  const from = folderOf(path);
  folders.add(from);
  for (const { target, specifier } of imports) {
    if (!target?.startsWith("app/domain/") || folderOf(target) === from) continue;
    const edge = `${from} > ${folderOf(target)}`;
    used.set(edge, used.get(edge) ?? `${path} imports ${specifier}`);
  }
}
const allowed = Object.entries(FOLDER_IMPORTS).flatMap(([from, targets]) => targets.map((to) => `${from} > ${to}`));

describe("the folders of app/domain", () => {
  it("are all in the table, and contain every file", () => {
    expect([...folders].sort()).toEqual(Object.keys(FOLDER_IMPORTS).sort());
  });

  it("import only the folders that they may, type imports included", () => {
    expect([...used].filter(([edge]) => !allowed.includes(edge))).toEqual([]);
  });

  it("use every allowed import", () => {
    expect(allowed.filter((edge) => !used.has(edge))).toEqual([]);
  });

  it("have no circle, and at most eight floors", () => {
    const floors = Object.keys(FOLDER_IMPORTS).map((folder) => floorOf(folder, []));
    expect(Math.max(...floors)).toBeLessThanOrEqual(MAX_FLOORS);
  });
});

/** Returns the folder below app/domain; of a file without one, its name. */
function folderOf(path: string) {
  return path.split("/")[2] ?? path;
}

/** Returns the floor, 1 for a folder that imports none. Throws if the folder may import itself through others. */
function floorOf(folder: string, above: readonly string[]): number {
  if (above.includes(folder)) throw new Error(`circle: ${[...above, folder].join(" > ")}`);
  const below = FOLDER_IMPORTS[folder] ?? [];
  return 1 + Math.max(0, ...below.map((next) => floorOf(next, [...above, folder])));
}
