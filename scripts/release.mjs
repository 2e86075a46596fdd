// @ts-check
// Builds a release into build/release/: a folder for each platform, which contains the program, its packages and Node, and
// the Debian package. The same sources give the same bytes, at any time and on any machine with the same tools.
// npm run release                the folders and the Debian package
// npm run release -- --image     also the image, with buildah
import "./supported-node.mjs";
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { BuildError, build } from "./build.mjs";
import { endChildrenWhenStopped, run } from "./children.mjs";
import { packDebian } from "./release/debian.mjs";
import { installedKib, ReleaseError } from "./release/files.mjs";
import { packImage } from "./release/image.mjs";
import { PACKAGED, PLATFORMS } from "./release/platforms.mjs";
import { stageRelease } from "./release/stage.mjs";
import { ensurePackages, ROOT, SetupError } from "./setup.mjs";

const OUT = join(ROOT, "build/release");

/** Limits of a release, in bytes. */
const MAX_INSTALLED = 170e6;
const MAX_PACKED = 55e6;

const GIT_TIMEOUT_MS = 30_000;

/** @param {{ withImage: boolean }} options */
async function release({ withImage }) {
  await ensurePackages();
  await build();
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const epoch = await sourceDateEpoch();
  for (const platform of PLATFORMS) {
    const folder = join(OUT, platform.name);
    await stageRelease({ folder, platform, version, epoch });
    report(folder, installedKib(folder) * 1024, MAX_INSTALLED);
    if (platform.name !== PACKAGED) continue;
    const input = { folder, out: OUT, architecture: platform.debian, version, epoch };
    const file = await packDebian(input);
    report(file, statSync(file).size, MAX_PACKED);
    if (withImage) console.log(relative(ROOT, await packImage(input)));
  }
}

/** Returns the time of all files in seconds: SOURCE_DATE_EPOCH, or the time of the last commit. */
async function sourceDateEpoch() {
  const given = process.env.SOURCE_DATE_EPOCH;
  const committed = async () => {
    const args = ["-C", ROOT, "log", "-1", "--format=%ct"];
    return (await run("git", args, { timeoutMs: GIT_TIMEOUT_MS })).output.trim();
  };
  const text = given ?? (await committed());
  if (/^\d+$/.test(text)) return Number(text);
  throw new ReleaseError("The time of the release is unknown: set SOURCE_DATE_EPOCH to a number of seconds.");
}

/**
 * Prints a path with its size. Throws ReleaseError if it is too large.
 *
 * @param {string} path
 * @param {number} bytes
 * @param {number} limit
 */
function report(path, bytes, limit) {
  const megabytes = `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes > limit) throw new ReleaseError(`${path} has ${megabytes}; the limit is ${limit / 1e6} MB.`);
  console.log(`${relative(ROOT, path)}: ${megabytes}`);
}

endChildrenWhenStopped();
try {
  const { values } = parseArgs({ options: { image: { type: "boolean" } } });
  await release({ withImage: values.image === true });
} catch (error) {
  const isExpected = [ReleaseError, BuildError, SetupError].some((known) => error instanceof known);
  if (!(error instanceof Error && isExpected)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
