import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeApi } from "./describe-api.ts";

const FILE = "docs/openapi.json";

/** Writes docs/openapi.json, unless `check` is set. Returns the stale paths. */
export async function generateOpenApi(root: string, { check }: { check: boolean }): Promise<string[]> {
  const described = `${JSON.stringify(describeApi(), null, 2)}\n`;
  const file = join(root, FILE);
  // A missing file is stale.
  const present = await readFile(file, "utf8").catch(() => null);
  if (present === described) return [];
  if (!check) await writeFile(file, described);
  return [FILE];
}
