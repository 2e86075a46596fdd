import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const packageSchema = z.object({ version: z.string() });

/** Returns the version in the package.json above this file, in the sources as in build/. */
export function readVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) return "unknown";
    folder = dirname(folder);
  }
  return packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).version;
}
