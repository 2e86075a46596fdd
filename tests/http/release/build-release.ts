import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { ROOT, readText } from "#tests/support/source-tree.ts";

const run = promisify(execFile);

export const { version: VERSION }: { version: string } = JSON.parse(readText("package.json"));

/** Folder of the program in a staged or unpacked folder. */
export const PROGRAM = `usr/lib/gatehouse/releases/${VERSION}`;

/** Output of `npm run release`, relative to the repository. */
export const RELEASE = "build/release";

/** The package, relative to RELEASE. */
export const PACKAGE = `gatehouse_${VERSION}_amd64.deb`;

/** The time of a release that the tests build. */
export const EPOCH = 1_795_000_000;

/** Builds a release of a source tree; `umask` and the environment are those of the shell that builds it. */
export async function buildRelease(root: string, { umask = "022", env = {} } = {}): Promise<void> {
  const command = `umask ${umask} && exec "$0" scripts/release.mjs`;
  await run("sh", ["-c", command, process.execPath], {
    cwd: root,
    env: { ...outsideVitest(), SOURCE_DATE_EPOCH: String(EPOCH), ...env },
  });
}

/** Vitest's variables change the configuration of Vite. */
function outsideVitest(): NodeJS.ProcessEnv {
  const { VITEST: _, ...env } = process.env;
  return env;
}

/** Returns a copy of the repository at another path, without anything that was built. */
export async function copyOfSources(): Promise<string> {
  const cache = join(ROOT, ".cache");
  const copy = mkdtempSync(join(cache, "another place "));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const names = readdirSync(ROOT).filter((name) => ![".cache", ".git", "build", "data"].includes(name));
  // Hard links, because node_modules/ is large.
  await run("cp", ["-al", ...names.map((name) => join(ROOT, name)), copy]);
  mkdirSync(join(copy, ".cache"));
  await run("cp", ["-al", join(cache, "release"), join(copy, ".cache")]);
  return copy;
}

/** Unpacks a Debian package into a new folder outside the repository, without its scripts. */
export async function unpack(file: string, folder: string): Promise<void> {
  await run("dpkg-deb", ["-x", file, folder]);
}

/** Returns all text of the bundled program. */
export function bundledText(folder: string): string {
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
  return scripts.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}

/** Returns the title of a package's section in licences.txt, e.g. "zod 4.6.7". */
export function titleOf(packageFolder: string): string {
  const file = join(ROOT, packageFolder, "package.json");
  if (!existsSync(file)) throw new Error(`There is no package in ${packageFolder}`);
  const { name, version } = JSON.parse(readFileSync(file, "utf8"));
  return `${name} ${version}`;
}
