import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderExample, renderManual } from "./configuration-manual.ts";

/** Writes docs/configuration.md and .env.example, unless `check` is set. Returns the stale paths. */
export async function generateConfigurationDocs(root: string, { check }: { check: boolean }): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of [
    ["docs/configuration.md", renderManual()],
    [".env.example", renderExample()],
  ] as const) {
    const file = join(root, path);
    // A missing file is stale.
    if ((await readFile(file, "utf8").catch(() => null)) === text) continue;
    if (!check) await writeFile(file, text);
    stale.push(path);
  }
  return stale;
}
