// @ts-check
// Mutation check: applies one deliberate fault at a time (tests/mutation/faults.mjs), runs the tests that should fail, and
// restores the file. Changes files in app/ while it runs.
// node scripts/mutate.mjs [part of an area, file or description …]
import "./supported-node.mjs";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { FAULTS } from "../tests/mutation/faults.mjs";
import { endChildren, onStop, runNode } from "./children.mjs";
import { ensureChromium, ROOT } from "./setup.mjs";

/** @typedef {import("../tests/mutation/faults.mjs").Fault} Fault */
/** @typedef {{ status: string, name: string, message: string, assertionResults: { status: string, fullName: string }[] }} FileResult */

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const RESULTS = join(ROOT, ".cache/mutation-results.json");
const TESTS_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 5 * 60_000;

/**
 * The file with a fault, and its original content.
 *
 * @type {{ path: string, content: string } | null}
 */
let changed = null;

let isStopping = false;

/** @param {string[]} filters */
async function main(filters) {
  const { stdout } = spawnSync("git", ["status", "--porcelain", "--", "app"], { cwd: ROOT, encoding: "utf8" });
  if (stdout !== "") throw new Error(`app/ has local changes. Commit or stash them first:\n${stdout}`);
  const faults = FAULTS.filter(({ area, file, fault }) =>
    filters.every((part) => `${area} ${file} ${fault}`.includes(part)),
  );
  if (faults.length === 0) throw new Error("No fault matches. Arguments are parts of: area file description.");
  for (const fault of faults) requireUnique(fault);
  await build();
  if (faults.some(({ tests }) => tests.some(({ project }) => project === "browser"))) {
    process.env.CHROMIUM_PATH = await ensureChromium();
  }
  let caught = 0;
  for (const fault of faults) {
    const started = performance.now();
    const failed = await failedTestOf(fault);
    const seconds = Math.round((performance.now() - started) / 1000);
    if (failed !== null) caught += 1;
    const result = failed === null ? "not caught" : `→ ${failed}`;
    console.log(
      `${failed === null ? "✗" : "✓"} ${fault.area} · ${fault.file}: ${fault.fault} (${seconds} s)\n  ${result}`,
    );
  }
  console.log(`${caught} caught, ${faults.length - caught} not caught`);
  return caught === faults.length;
}

/** @param {Fault} fault */
function requireUnique({ file, search }) {
  const parts = readFileSync(join(ROOT, file), "utf8").split(search).length - 1;
  if (parts !== 1) throw new Error(`${file} contains ${parts} times, not once:\n${search}`);
}

/**
 * Applies the fault and runs its tests in order until one fails.
 *
 * @param {Fault} fault
 * @returns {Promise<string | null>} the first failed test; null if none failed
 */
async function failedTestOf({ file, search, replace, tests }) {
  const path = join(ROOT, file);
  const content = readFileSync(path, "utf8");
  changed = { path, content };
  try {
    writeFileSync(
      path,
      content.replace(search, () => replace),
    );
    for (const { project, files, useBuild = false } of tests) {
      if (useBuild) await build();
      const failed = await runTests(project, files);
      if (failed !== null) return failed;
    }
    return null;
  } finally {
    restore();
    // Does nothing unless the build has the fault.
    await build();
  }
}

function restore() {
  if (changed === null) return;
  writeFileSync(changed.path, changed.content);
  changed = null;
}

async function build() {
  const { code, output } = await runScript(join(ROOT, "scripts/build.mjs"), [], BUILD_TIMEOUT_MS);
  if (code !== 0) throw new Error(`The build failed:\n${output}`);
}

/**
 * @param {string} project
 * @param {readonly string[]} files parts of file names
 * @returns {Promise<string | null>}
 */
async function runTests(project, files) {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  rmSync(RESULTS, { force: true });
  const { code, output } = await runScript(
    VITEST,
    [
      "run",
      `--project=${project}`,
      "--bail=1",
      "--maxWorkers=1",
      "--reporter=json",
      `--outputFile=${RESULTS}`,
      ...files,
    ],
    TESTS_TIMEOUT_MS,
  );
  if (code === 0) return null;
  const failed = firstFailure();
  if (failed === null) throw new Error(`vitest ended with code ${code} and no failed test:\n${output.slice(-2000)}`);
  return failed;
}

/**
 * Does not resolve after a stop signal, so that nothing else starts until this process exits.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {number} timeoutMs
 */
async function runScript(file, args, timeoutMs) {
  const finished = await runNode(file, args, { cwd: ROOT, timeoutMs });
  if (isStopping) await new Promise(() => {});
  return finished;
}

function firstFailure() {
  /** @type {{ testResults: FileResult[] }} */
  const { testResults } = JSON.parse(readFileSync(RESULTS, "utf8"));
  for (const { name, status, message, assertionResults } of testResults) {
    const failed = assertionResults.find((result) => result.status === "failed");
    if (failed) return `${relative(ROOT, name)}: ${failed.fullName}`;
    // An error outside the tests, such as in a hook.
    if (status === "failed") return `${relative(ROOT, name)}: ${message.split("\n")[0]}`;
  }
  return null;
}

process.on("exit", restore);
onStop((exitCode) => {
  isStopping = true;
  void endChildren().then(() => process.exit(exitCode));
});
try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  await endChildren();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
