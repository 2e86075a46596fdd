import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { findProgramFolder, readVersionIn } from "#app/config/version.server.ts";
import { syncPath } from "#app/db/files/companion-files.server.ts";

/**
 * The releases of an installed Debian package, in /usr/lib/gatehouse. dpkg replaces `releases/VERSION/` at once, so the
 * service runs a copy of hard links in `kept/`, whose files stay: the link `current` names the copy in use, `previous`
 * the one that a rollback returns to.
 */
export type InstalledReleases = {
  /** The root folder: "/", unless dpkg installs into another one. */
  root: string;
  /** <root>/usr/lib/gatehouse. */
  folder: string;
  /** The folder of the running program: below releases/ or kept/. */
  program: string;
};

/** A link to a copy. */
type Link = "current" | "previous";

const KEPT = "kept";

/** Returns the releases to which the running program belongs. Throws CommandError if no Debian package installed it. */
export function requireInstalledReleases(): InstalledReleases {
  const program = findProgramFolder();
  const folder = program === null ? null : dirname(dirname(program));
  if (program !== null && folder?.endsWith("/usr/lib/gatehouse")) {
    return { root: resolve(folder, "../../.."), folder, program };
  }
  throw new CommandError(EXIT.refused, [
    "This program was not installed by the Debian package.",
    "Install the version that you want and run its: gatehouse restore --before-upgrade",
  ]);
}

/** Returns the folder to which a link refers; null without one. */
export function findRelease({ folder }: InstalledReleases, link: Link): string | null {
  const path = join(folder, link);
  return existsSync(path) ? resolve(folder, readlinkSync(path)) : null;
}

/** Lets a link refer to another copy, in one step. */
export function linkRelease({ folder }: InstalledReleases, link: Link, release: string): void {
  const temporary = join(folder, `${link}.part`);
  rmSync(temporary, { force: true });
  symlinkSync(join(KEPT, basename(release)), temporary);
  renameSync(temporary, join(folder, link));
  syncPath(folder);
}

/** Removes `previous`; nothing if there is none. */
export function unlinkPrevious({ folder }: InstalledReleases): void {
  rmSync(join(folder, "previous"), { force: true });
}

/** Returns true if the copy consists of the files of the running program, and not of an earlier installation. */
export function isCopyOf(copy: string | null, { program }: InstalledReleases): copy is string {
  if (copy === null) return false;
  const [one, other] = [copy, program].map((folder) => statSync(join(folder, "main.js")));
  return one?.ino === other?.ino && one?.dev === other?.dev;
}

/** Makes a copy of the running program that consists of hard links, and returns its folder. */
export function keepRelease({ folder, program }: InstalledReleases): string {
  mkdirSync(join(folder, KEPT), { recursive: true });
  const copy = mkdtempSync(join(folder, KEPT, `${readVersionIn(program)}-`));
  // -T copies the content of the folder with its mode; the folder itself is 0700.
  execFileSync("cp", ["-alT", program, copy]);
  execFileSync("sync", ["-f", copy]);
  return copy;
}

/** Removes the copies to which no link refers: older ones, and those of a killed process. */
export function removeUnusedCopies(releases: InstalledReleases): void {
  const kept = join(releases.folder, KEPT);
  if (!existsSync(kept)) return;
  const used = [findRelease(releases, "current"), findRelease(releases, "previous")];
  for (const name of readdirSync(kept)) {
    if (!used.includes(join(kept, name)) && lstatSync(join(kept, name)).isDirectory()) {
      rmSync(join(kept, name), { recursive: true });
    }
  }
}
