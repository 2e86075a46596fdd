import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const packageSchema = z.object({ version: z.string(), releaseDate: z.iso.date() });

/** Returns the version in the package.json above this file, in the sources as in build/. */
export function readVersion(): string {
  return readPackage()?.version ?? "unknown";
}

/** Returns the day of this release from the same file; null if it is unknown. */
export function readReleaseDate(): Date | null {
  const found = readPackage();
  return found === null ? null : new Date(found.releaseDate);
}

function readPackage(): z.infer<typeof packageSchema> | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  return packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}
