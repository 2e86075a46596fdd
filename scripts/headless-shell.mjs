// @ts-check
// Chromium without windows: the same engine, at a third of the work for every page that is opened. Debian packs it apart
// from the browser that people use; its two packages are unpacked into .cache, without root.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./children.mjs";
import { isExecutable } from "./executable.mjs";

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/headless-shell");
const PROGRAM = join(FOLDER, "root/usr/lib/chromium/chromium-headless-shell");

/** The program, and the data that it finds beside itself. */
const PACKAGES = ["chromium-headless-shell", "chromium-common"];

const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
const UNPACK_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 30_000;

/**
 * Answers its path; null where it is not to be had, or does not run for want of a library. It does not throw.
 *
 * @param {(step: string) => void} say
 * @returns {Promise<string | null>}
 */
export async function ensureHeadlessShell(say) {
  if (await runs()) return PROGRAM;
  if (!existsSync("/etc/debian_version")) return null;
  say("unpacking chromium-headless-shell (Debian packages)");
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(join(FOLDER, "packages"), { recursive: true });
  if (!(await download([]))) {
    // A small image knows no packages; an own list needs no root.
    mkdirSync(join(FOLDER, "lists/partial"), { recursive: true });
    const own = ["-o", `Dir::State::lists=${join(FOLDER, "lists")}/`];
    await apt(["update", "-qq"], own);
    await download(own);
  }
  await unpack();
  return (await runs()) ? PROGRAM : null;
}

async function runs() {
  if (!isExecutable(PROGRAM)) return false;
  const { code } = await run(PROGRAM, ["--version"], { timeoutMs: PROBE_TIMEOUT_MS });
  return code === 0;
}

/** @param {string[]} options */
async function download(options) {
  return (await apt(["download", "-qq", ...PACKAGES], options)) === 0;
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
    "Dir::Cache::pkgcache=",
    "Dir::Cache::srcpkgcache=",
    // Where no mirror answers, the installed browser does as well.
    "Acquire::http::Timeout=20",
    "Acquire::Retries=0",
  ];
  const { code } = await run("apt-get", [...own.flatMap((option) => ["-o", option]), ...options, ...args], {
    cwd: join(FOLDER, "packages"),
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  return code;
}

async function unpack() {
  const folder = join(FOLDER, "packages");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb"))) {
    await run("dpkg-deb", ["-x", join(folder, file), join(FOLDER, "root")], { timeoutMs: UNPACK_TIMEOUT_MS });
  }
  rmSync(folder, { recursive: true });
}
