// @ts-check
// Packages of the npm registry for another platform than this one, which `npm ci` does not install.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../children.mjs";
import { npm } from "../node.mjs";
import { ROOT } from "../setup.mjs";
import { ReleaseError } from "./files.mjs";

const CACHE = join(ROOT, ".cache/release");
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const UNPACK_TIMEOUT_MS = 2 * 60_000;

/**
 * Unpacks the named files of a package into a folder, and downloads the package on first use. Throws ReleaseError if its
 * content is not the expected one.
 *
 * @param {{ name: string, version: string, integrity: string, folder: string, files?: string[] }} input
 *   integrity: "sha512-…", as in package-lock.json
 */
export async function unpackFromRegistry({ name, version, integrity, folder, files = [] }) {
  const archive = join(CACHE, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  if (!hasIntegrity(archive, integrity)) await download(`${name}@${version}`, archive, integrity);
  mkdirSync(folder, { recursive: true });
  const members = files.map((file) => `package/${file}`);
  const args = ["-xzf", archive, "-C", folder, "--strip-components=1", "--no-same-owner", ...members];
  const { code, output } = await run("tar", args, { timeoutMs: UNPACK_TIMEOUT_MS });
  if (code !== 0) throw new ReleaseError(`${archive} could not be unpacked:\n${output.trim()}`);
}

/**
 * @param {string} spec
 * @param {string} archive
 * @param {string} integrity
 */
async function download(spec, archive, integrity) {
  console.error(`release: fetching ${spec}`);
  mkdirSync(CACHE, { recursive: true });
  rmSync(archive, { force: true });
  const args = ["pack", spec, "--pack-destination", CACHE, "--ignore-scripts", "--loglevel=error"];
  const { output } = await npm(args, { timeoutMs: DOWNLOAD_TIMEOUT_MS });
  if (hasIntegrity(archive, integrity)) return;
  throw new ReleaseError(
    existsSync(archive)
      ? `${spec} of the npm registry is not the expected package: its integrity is not ${integrity}.`
      : `${spec} could not be fetched from the npm registry:\n${output.trim()}`,
  );
}

/**
 * @param {string} archive
 * @param {string} integrity
 */
function hasIntegrity(archive, integrity) {
  if (!existsSync(archive)) return false;
  return integrity === `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
}
