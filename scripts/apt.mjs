// @ts-check
// Debian packages without root: downloaded and unpacked in a folder of ours. Nothing of the system is locked or changed.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./children.mjs";

const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const UNPACK_TIMEOUT_MS = 2 * 60_000;

/**
 * Downloads packages into `folder` by a command of apt-get, "install" (what they need and is not installed comes along) or
 * "download" (they alone, installed or not), and unpacks them into `folder`/root. What cannot be had is not there: who
 * needs it looks.
 *
 * @param {{ folder: string, command: "install" | "download", packages: readonly string[] }} input
 */
export async function unpackPackages({ folder, command, packages }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "packages/partial"), { recursive: true });
  mkdirSync(join(folder, "lists/partial"), { recursive: true });
  const plan = command === "install" ? ["--download-only", "-y", "--no-install-recommends"] : [];
  const asked = [command, "-qq", ...plan, ...packages];
  if (!(await apt(folder, asked))) {
    // A small image knows no packages; an own list needs no root.
    const own = ["-o", `Dir::State::lists=${join(folder, "lists")}/`];
    await apt(folder, [...own, "update", "-qq"]);
    await apt(folder, [...own, ...asked]);
  }
  const downloaded = join(folder, "packages");
  for (const file of readdirSync(downloaded).filter((name) => name.endsWith(".deb"))) {
    await run("dpkg-deb", ["-x", join(downloaded, file), join(folder, "root")], { timeoutMs: UNPACK_TIMEOUT_MS });
  }
  rmSync(downloaded, { recursive: true });
}

/**
 * Whether apt-get, with caches and downloads in a folder of ours, did it.
 *
 * @param {string} folder
 * @param {string[]} args
 */
async function apt(folder, args) {
  const own = [
    "Debug::NoLocking=1",
    "APT::Sandbox::User=",
    `Dir::Cache::archives=${join(folder, "packages")}/`,
    "Dir::Cache::pkgcache=",
    "Dir::Cache::srcpkgcache=",
    // Where no mirror answers, that is to be known soon.
    "Acquire::http::Timeout=20",
    "Acquire::Retries=0",
  ].flatMap((option) => ["-o", option]);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // "download" puts what it gets where it is called.
  const cwd = join(folder, "packages");
  const { code } = await run("apt-get", [...own, ...args], { env, cwd, timeoutMs: DOWNLOAD_TIMEOUT_MS });
  return code === 0;
}
