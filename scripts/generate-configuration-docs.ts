import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderManual } from "#app/config/manual.server.ts";

const FILE = "docs/configuration.md";

/** Writes docs/configuration.md, or with `check` leaves it alone; answers the paths that were out of date. */
export async function generateConfigurationDocs(root: string, { check }: { check: boolean }): Promise<string[]> {
  const manual = renderManual();
  const file = join(root, FILE);
  // A missing file is as stale as an old one.
  const present = await readFile(file, "utf8").catch(() => null);
  if (present === manual) {
    return [];
  }
  if (!check) {
    await writeFile(file, manual);
  }
  return [FILE];
}
