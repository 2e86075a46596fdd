// @ts-check
// Chromium's headless shell: the same engine at a third of the cost per page. Unpacks Debian's two packages into
// .cache, without root.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackPackages } from "./apt.mjs";
import { run } from "./children.mjs";
import { isExecutable } from "./executable.mjs";

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/headless-shell");
const PROGRAM = join(FOLDER, "root/usr/lib/chromium/chromium-headless-shell");

/** The program and its data files. */
const PACKAGES = ["chromium-headless-shell", "chromium-common"];

const PROBE_TIMEOUT_MS = 30_000;

/**
 * Returns the path of the headless shell; null if it cannot be downloaded or started. Does not throw.
 *
 * @param {(step: string) => void} report
 * @returns {Promise<string | null>}
 */
export async function ensureHeadlessShell(report) {
  if (await runs()) return PROGRAM;
  if (!existsSync("/etc/debian_version")) return null;
  report("unpacking chromium-headless-shell (Debian packages)");
  await unpackPackages({ folder: FOLDER, command: "download", packages: PACKAGES });
  return (await runs()) ? PROGRAM : null;
}

async function runs() {
  if (!isExecutable(PROGRAM)) return false;
  const { code } = await run(PROGRAM, ["--version"], { timeoutMs: PROBE_TIMEOUT_MS });
  return code === 0;
}
