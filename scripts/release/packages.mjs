// @ts-check
// Packages that are not part of the bundle: native modules, and those that are loaded by a `require` which esbuild does not
// see. Each is reduced to the files that it needs at run time.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.mjs";
import { unpackFromRegistry } from "./fetch-package.mjs";
import { copyFiles, filesIn, ReleaseError } from "./files.mjs";

/** @typedef {import("./platforms.mjs").Platform} Platform */

/**
 * Files of each package, as patterns; package.json always belongs to them.
 *
 * @type {Record<string, (platform: Platform) => RegExp>}
 */
const PACKAGES = {
  "@node-rs/argon2": () => /^index\.js$/,
  "better-sqlite3": ({ name }) => new RegExp(`^(lib/((?!(darwin|linux|win32)).)*\\.js|prebuilds/${name}\\.node)$`),
  bcrypt: ({ name }) => new RegExp(`^(bcrypt\\.js|promises\\.js|prebuilds/${name}/bcrypt\\.glibc\\.node)$`),
  // Loaded by bcrypt.
  "node-gyp-build": () => /^(index|node-gyp-build)\.js$/,
  // Loaded on demand by app/config/accent.server.ts.
  culori: () => /^bundled\/culori\.cjs$/,
};

/** Packages of node_modules/ in a release. */
export const UNBUNDLED = Object.keys(PACKAGES);

/** Packages that are left out: pg uses pg-native on request only, and debug writes colours if supports-color is installed. */
export const LEFT_OUT = ["pg-native", "supports-color"];

/**
 * Copies the packages into `folder`, with the binaries of one platform.
 *
 * @param {string} folder
 * @param {Platform} platform
 */
export async function stagePackages(folder, platform) {
  for (const [name, filesOf] of Object.entries(PACKAGES)) {
    const source = join(ROOT, "node_modules", name);
    const pattern = filesOf(platform);
    const names = filesIn(source).filter((file) => file === "package.json" || pattern.test(file));
    copyFiles(source, join(folder, name), names);
  }
  await stageArgon2(folder, platform);
}

/**
 * The binary of @node-rs/argon2 is a package of its own, of which npm installs the one of this machine alone.
 *
 * @param {string} folder
 * @param {Platform} platform
 */
async function stageArgon2(folder, platform) {
  const name = `@node-rs/argon2-${platform.name}-gnu`;
  const { version, integrity } = lockedPackages()[`node_modules/${name}`] ?? {};
  if (!version || !integrity) throw new ReleaseError(`package-lock.json does not contain ${name}.`);
  await unpackFromRegistry({ name, version, integrity, folder: join(folder, name) });
}

/**
 * Returns the entries of package-lock.json by path.
 *
 * @returns {Record<string, { version: string, integrity?: string, dev?: boolean, devOptional?: boolean, license?: string }>}
 */
export function lockedPackages() {
  return JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
}

/** Returns the folders of the installed production packages, relative to the repository, sorted. */
export function productionPackages() {
  return Object.entries(lockedPackages())
    .filter(([path, entry]) => path !== "" && !entry.dev && !entry.devOptional && existsSync(join(ROOT, path)))
    .map(([path]) => path)
    .sort();
}
