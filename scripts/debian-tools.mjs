// @ts-check
// Programs of Debian that some tests run for real: the proxies, the examiner of systemd's units, what makes a disk fail and
// what reads SQLite's files. What is installed is taken; what is not is unpacked into .cache, without root and without
// starting a service that would hold a port.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./children.mjs";
import { isExecutable } from "./executable.mjs";

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/debian-tools");
const UNPACKED = join(FOLDER, "root");

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
const UNPACK_TIMEOUT_MS = 60_000;

/** The package of each program. */
const PACKAGES = {
  nginx: "nginx",
  apache2: "apache2-bin",
  "systemd-analyze": "systemd",
  strace: "strace",
  sqlite3: "sqlite3",
};

/** @typedef {keyof typeof PACKAGES} ToolName */

/** Not every person's PATH names the folders of what administrators run. */
const INSTALLED = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin", "/usr/bin", "/sbin"];

/**
 * Gets the programs that are not there. It does not throw: the tests that need one say what is missing.
 *
 * @param {(step: string) => void} say
 */
export async function ensureDebianTools(say) {
  if (missingTools().length === 0 || !existsSync("/etc/debian_version")) return;
  rmSync(FOLDER, { recursive: true, force: true });
  // Now those too that were unpacked before this list grew.
  const missing = missingTools();
  say(`unpacking ${missing.join(", ")} (Debian packages)`);
  mkdirSync(join(FOLDER, "packages/partial"), { recursive: true });
  mkdirSync(join(FOLDER, "lists/partial"), { recursive: true });
  const packages = missing.map((name) => PACKAGES[name]);
  if (!(await download(packages, []))) {
    // A small image knows no packages; an own list needs no root.
    const own = ["-o", `Dir::State::lists=${join(FOLDER, "lists")}/`];
    await apt(["update", "-qq"], own);
    await download(packages, own);
  }
  await unpack();
}

function missingTools() {
  return /** @type {ToolName[]} */ (Object.keys(PACKAGES)).filter((name) => findDebianTool(name) === null);
}

/**
 * A program and the environment to run it in; null when it is neither installed nor unpacked.
 *
 * @param {ToolName} name
 * @returns {{ program: string, env: NodeJS.ProcessEnv, root: string } | null}
 */
export function findDebianTool(name) {
  const installed = INSTALLED.map((folder) => join(folder, name)).find(isExecutable);
  if (installed !== undefined) return { program: installed, env: process.env, root: "/" };
  const unpacked = ["usr/sbin", "usr/bin", "bin"].map((folder) => join(UNPACKED, folder, name)).find(isExecutable);
  if (unpacked === undefined) return null;
  const libraries = [...libraryFolders(), process.env.LD_LIBRARY_PATH ?? ""].filter(Boolean).join(delimiter);
  return { program: unpacked, env: { ...process.env, LD_LIBRARY_PATH: libraries }, root: UNPACKED };
}

/**
 * Downloads packages and what they need that is not installed.
 *
 * @param {string[]} packages
 * @param {string[]} options
 */
async function download(packages, options) {
  const code = await apt(["install", "--download-only", "-y", "-qq", "--no-install-recommends", ...packages], options);
  return code === 0;
}

/**
 * Nothing of the system is locked or changed: caches and downloads are in a folder of ours.
 *
 * @param {string[]} args
 * @param {string[]} options
 */
async function apt(args, options) {
  const own = [
    "Debug::NoLocking=1",
    "APT::Sandbox::User=",
    `Dir::Cache::archives=${join(FOLDER, "packages")}/`,
    "Dir::Cache::pkgcache=",
    "Dir::Cache::srcpkgcache=",
  ].flatMap((option) => ["-o", option]);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { code } = await run("apt-get", [...own, ...options, ...args], { env, timeoutMs: DOWNLOAD_TIMEOUT_MS });
  return code;
}

async function unpack() {
  const folder = join(FOLDER, "packages");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb"))) {
    await run("dpkg-deb", ["-x", join(folder, file), UNPACKED], { timeoutMs: UNPACK_TIMEOUT_MS });
  }
}

/** Where unpacked programs find their libraries: `lib/x86_64-linux-gnu` and what is beneath it. */
function libraryFolders() {
  const found = [];
  for (const lib of ["usr/lib", "lib"]) {
    const folder = join(UNPACKED, lib);
    if (!existsSync(folder)) continue;
    for (const triple of readdirSync(folder).filter((name) => name.endsWith("-linux-gnu"))) {
      found.push(join(folder, triple), join(folder, triple, "systemd"));
    }
  }
  return found;
}
