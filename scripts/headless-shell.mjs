// @ts-check
// Chromium without windows: the same engine, at a third of the work for every page that is opened. Debian packs it apart
// from the browser that people use; its two packages are unpacked into .cache, without root.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackPackages } from "./apt.mjs";
import { run } from "./children.mjs";
import { isExecutable } from "./executable.mjs";

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache/headless-shell");
const PROGRAM = join(FOLDER, "root/usr/lib/chromium/chromium-headless-shell");

/** The program, and the data that it finds beside itself. */
const PACKAGES = ["chromium-headless-shell", "chromium-common"];

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
  await unpackPackages({ folder: FOLDER, command: "download", packages: PACKAGES });
  return (await runs()) ? PROGRAM : null;
}

async function runs() {
  if (!isExecutable(PROGRAM)) return false;
  const { code } = await run(PROGRAM, ["--version"], { timeoutMs: PROBE_TIMEOUT_MS });
  return code === 0;
}
