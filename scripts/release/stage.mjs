// @ts-check
// Stages the files of a release for one platform: the folder that becomes the Debian package, and whose program becomes the
// image.
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "../setup.mjs";
import { bundleProgram } from "./bundle.mjs";
import { unpackFromRegistry } from "./fetch-package.mjs";
import { copyFiles, filesIn, normalise, ReleaseError, readElfMachine, writeInto } from "./files.mjs";
import { collectLicences } from "./licences.mjs";
import { stagePackages } from "./packages.mjs";
import { NODE_VERSION } from "./platforms.mjs";

/** @typedef {import("./platforms.mjs").Platform} Platform */

const RELEASES = "usr/lib/gatehouse/releases";

/** Files of deploy/ that the program's folder does not contain: they have places of their own, or build something. */
const PLACED = ["Containerfile", "compose.yaml", "gatehouse.service", "gatehouse.sh"];

/** Files of the package that are executable. */
const EXECUTABLE = [/^usr\/bin\/gatehouse$/, /^usr\/lib\/gatehouse\/releases\/[^/]+\/(node|main\.js)$/];

/**
 * Stages a release into `folder`.
 *
 * @param {{ folder: string, platform: Platform, version: string, epoch: number }} input epoch: time of all files, seconds
 */
export async function stageRelease({ folder, platform, version, epoch }) {
  rmSync(folder, { recursive: true, force: true });
  await stageProgram(join(folder, RELEASES, version), { platform, version });
  stageSystem(folder, { version, epoch });
  requireMachine(folder, platform);
  const isExecutable = (/** @type {string} */ path) =>
    EXECUTABLE.some((pattern) => pattern.test(path.slice(folder.length + 1)));
  normalise(folder, { isExecutable, epoch });
}

/**
 * The program with its Node: everything that it needs at run time.
 *
 * @param {string} folder
 * @param {{ platform: Platform, version: string }} options
 */
async function stageProgram(folder, { platform, version }) {
  const build = join(ROOT, "build");
  await bundleProgram(folder);
  copyFiles(join(build, "client"), join(folder, "client"));
  copyFiles(build, folder, ["client-script.txt"]);
  copyFiles(join(ROOT, "drizzle"), join(folder, "drizzle"), migrationFiles());
  copyFiles(join(ROOT, "deploy"), join(folder, "deploy"), examples());
  const { releaseDate } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const description = { name: "gatehouse", version, releaseDate, type: "module" };
  writeInto(join(folder, "package.json"), `${JSON.stringify(description)}\n`);
  await stagePackages(join(folder, "node_modules"), platform);
  const node = await stageNode(folder, platform);
  writeInto(join(folder, "licences.txt"), collectLicences({ nodeVersion: NODE_VERSION, nodeLicence: node.licence }));
}

/** The snapshots of drizzle-kit serve the development only. */
function migrationFiles() {
  return filesIn(join(ROOT, "drizzle")).filter((name) => /\.sql$|\/_journal\.json$/.test(name));
}

function examples() {
  const entries = readdirSync(join(ROOT, "deploy"), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !PLACED.includes(entry.name)).map(({ name }) => name);
}

/**
 * Puts `node` into the folder, exactly as Node's project published it, and returns its licences.
 *
 * @param {string} folder
 * @param {Platform} platform
 */
async function stageNode(folder, platform) {
  const unpacked = `${folder}.node`;
  const name = `node-${platform.name}`;
  const files = ["bin/node", "LICENSE"];
  await unpackFromRegistry({ name, version: NODE_VERSION, integrity: platform.nodeIntegrity, folder: unpacked, files });
  copyFileSync(join(unpacked, "bin/node"), join(folder, "node"));
  const licence = readFileSync(join(unpacked, "LICENSE"), "utf8");
  rmSync(unpacked, { recursive: true });
  return { licence };
}

/**
 * Everything outside the program's folder.
 *
 * @param {string} root
 * @param {{ version: string, epoch: number }} options
 */
function stageSystem(root, { version, epoch }) {
  const place = (/** @type {string} */ from, /** @type {string} */ to) =>
    writeInto(join(root, to), readFileSync(join(ROOT, from)));
  place("deploy/gatehouse.sh", "usr/bin/gatehouse");
  place("deploy/gatehouse.service", "usr/lib/systemd/system/gatehouse.service");
  place("deploy/debian/sysusers.conf", "usr/lib/sysusers.d/gatehouse.conf");
  place("deploy/debian/tmpfiles.conf", "usr/lib/tmpfiles.d/gatehouse.conf");
  place("deploy/debian/lintian-overrides", "usr/share/lintian/overrides/gatehouse");
  place("deploy/debian/copyright", "usr/share/doc/gatehouse/copyright");
  place("CHANGELOG.md", "usr/share/doc/gatehouse/CHANGELOG.md");
  for (const folder of ["", "applications/"]) {
    for (const name of readdirSync(join(ROOT, "docs", folder))) {
      // docs/map.md lists sources, which are not in the package.
      if (!/\.(md|json)$/.test(name) || name === "map.md") continue;
      place(`docs/${folder}${name}`, `usr/share/doc/gatehouse/${folder}${name}`);
    }
  }
  const compressed = (/** @type {string} */ text) => gzipSync(text, { level: 9 });
  const manual = readFileSync(join(ROOT, "deploy/debian/gatehouse.8"), "utf8");
  writeInto(join(root, "usr/share/man/man8/gatehouse.8.gz"), compressed(manual));
  writeInto(join(root, "usr/share/doc/gatehouse/changelog.gz"), compressed(debianChangelog(version, epoch)));
}

/**
 * Debian's form of the changelog; the changes themselves are in CHANGELOG.md.
 *
 * @param {string} version
 * @param {number} epoch
 */
function debianChangelog(version, epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");
  return [
    `gatehouse (${version}) stable; urgency=medium`,
    "  * See /usr/share/doc/gatehouse/CHANGELOG.md.",
    ` -- ${readMaintainer()}  ${date}`,
  ]
    .join("\n\n")
    .concat("\n");
}

/**
 * Returns the field "Maintainer" of the package: the author of package.json. The address shipped there is in .invalid
 * (RFC 2606), because the authors have none in common; lintian refuses an address without a domain.
 */
export function readMaintainer() {
  return String(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).author);
}

/**
 * Throws ReleaseError if a binary is for another processor.
 *
 * @param {string} folder
 * @param {Platform} platform
 */
function requireMachine(folder, { name, elfMachine }) {
  const foreign = filesIn(folder).filter((file) => ![null, elfMachine].includes(readElfMachine(join(folder, file))));
  if (foreign.length > 0) throw new ReleaseError(`These files are not for ${name}: ${foreign.join(", ")}`);
}
