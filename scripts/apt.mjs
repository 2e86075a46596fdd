// @ts-check
// Installs Debian packages without root: downloads and unpacks them into a folder, without changing the system.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./children.mjs";

const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const UNPACK_TIMEOUT_MS = 2 * 60_000;

/**
 * Downloads packages into `folder` and unpacks them into `folder`/root. `command` is passed to apt-get: "install"
 * includes missing dependencies, "download" fetches only the named packages. Packages that cannot be downloaded are
 * skipped; the caller must check for its programs. `architecture`: that of the packages, if it is not this machine's.
 *
 * @param {{ folder: string, command: "install" | "download", packages: readonly string[], architecture?: string }} input
 */
export async function unpackPackages({ folder, command, packages, architecture }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "packages/partial"), { recursive: true });
  mkdirSync(join(folder, "lists/partial"), { recursive: true });
  const plan = command === "install" ? ["--download-only", "-y", "--no-install-recommends"] : [];
  const foreign = architecture === undefined ? [] : ["-o", `APT::Architectures::=${architecture}`];
  const names = packages.map((name) => (architecture === undefined ? name : `${name}:${architecture}`));
  const aptArguments = [...foreign, command, "-qq", ...plan, ...names];
  if (!(await apt(folder, aptArguments))) {
    // A minimal image has no package lists; a private copy needs no root.
    const own = ["-o", `Dir::State::lists=${join(folder, "lists")}/`];
    await apt(folder, [...own, ...foreign, "update", "-qq"]);
    await apt(folder, [...own, ...aptArguments]);
  }
  const downloaded = join(folder, "packages");
  for (const file of readdirSync(downloaded).filter((name) => name.endsWith(".deb"))) {
    await run("dpkg-deb", ["-x", join(downloaded, file), join(folder, "root")], { timeoutMs: UNPACK_TIMEOUT_MS });
  }
  rmSync(downloaded, { recursive: true });
}

/**
 * Runs apt-get with its caches and downloads in `folder`. Resolves to false if it fails.
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
    // Fail fast without a network.
    "Acquire::http::Timeout=20",
    "Acquire::Retries=0",
  ].flatMap((option) => ["-o", option]);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // "download" writes into the working directory.
  const cwd = join(folder, "packages");
  const { code } = await run("apt-get", [...own, ...args], { env, cwd, timeoutMs: DOWNLOAD_TIMEOUT_MS });
  return code === 0;
}
