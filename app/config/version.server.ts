import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const versionSchema = z.object({ version: z.string() });
const dateSchema = z.object({ releaseDate: z.iso.date() });

/** Returns the version in the package.json above this file, in the sources as in build/. */
export function readVersion(): string {
  const folder = findProgramFolder();
  return folder === null ? "unknown" : readVersionIn(folder);
}

/** Returns the version in the package.json of this folder. */
export function readVersionIn(folder: string): string {
  return versionSchema.parse(readPackage(folder)).version;
}

/** Returns the day of this release from the package.json above this file; null if there is none. */
export function readReleaseDate(): Date | null {
  const folder = findProgramFolder();
  return folder === null ? null : new Date(dateSchema.parse(readPackage(folder)).releaseDate);
}

function readPackage(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Returns the nearest folder above this file that contains a package.json; null if there is none. */
export function findProgramFolder(): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  return folder;
}
