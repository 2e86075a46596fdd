// @ts-check
// Checks, build and tests, from a fresh clone. The last line is always `N passed, N failed, N skipped`.
// npm test                              checks and all tests but the long ones
// npm run test:long                     the long tests
// npm test -- --with-long               both, as .ci/run
// npm test -- --timings                 also prints the seconds of projects, phases and slow files
// npm run test:unit -- --watch          the unit tests of changed files, again after each change
// node scripts/test.mjs --only unit|http|http-sqlite|browser|checks|long [part of a file name …]
import "./supported-node.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endChildren, endChildrenWhenStopped, runNode } from "./children.mjs";
import { fetchNode, NodeError } from "./node.mjs";
import {
  ensureChromium,
  ensureOtherBrowsers,
  ensurePackages,
  ensurePostgres,
  ensureTools,
  ROOT,
  SetupError,
} from "./setup.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const CHECK_TIMEOUT_MS = 5 * 60_000;
const TESTS_TIMEOUT_MS = 75 * 60_000;
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const RESULTS = join(ROOT, ".cache/test-results.json");

/** Values of --only with their vitest projects. */
const SUITES = {
  checks: [],
  unit: ["unit"],
  http: ["http-sqlite", "http-postgres"],
  "http-sqlite": ["http-sqlite"],
  browser: ["browser"],
  long: ["http-postgres", "long-unit", "long-http-sqlite", "long-http-postgres", "long-browser"],
};

/** Major versions that tests/http/node-versions.test.ts runs; the first is too old. */
const TESTED_NODES = [20, 22, 24, 26];

/** Suites of `npm test`. On PostgreSQL it runs the unit tests; the HTTP tests, which run on SQLite, follow in `long`. */
const USUAL = /** @type {const} */ (["checks", "unit", "http-sqlite", "browser"]);

/** Static checks; each counts as one test. */
const CHECKS = [
  {
    name: "format and lint",
    file: "node_modules/@biomejs/biome/bin/biome",
    args: ["check", "--error-on-warnings", "."],
  },
  { name: "types", file: "node_modules/typescript/bin/tsc", args: ["--noEmit"] },
  { name: "generated files", file: "scripts/generate.mjs", args: ["--check"] },
];

/**
 * `filters`: parts of file names; with any, the checks do not run. `timings`: prints seconds per project and file.
 *
 * @typedef {keyof typeof SUITES} Suite
 * @typedef {{ filters: string[], timings: boolean }} Options
 */

let isBuilt = false;

/** @param {string[]} argv */
async function main(argv) {
  const { only, withLong, watch, ...options } = readArguments(argv);
  if (watch) return watchUnitTests(options.filters);
  const counts = [await runSuites(only === null ? USUAL : [only], options)];
  if (withLong) counts.push(await runSuites(["long"], options));
  return sum(counts);
}

/**
 * @param {string[]} argv
 * @returns {{ only: Suite | null, withLong: boolean, watch: boolean } & Options}
 */
function readArguments(argv) {
  const { values, positionals } = parse(argv);
  const { only = null, "with-long": withLong = false, watch = false, timings = false } = values;
  if (only !== null && !isSuite(only)) {
    throw new SetupError(`--only takes one of ${Object.keys(SUITES).join(", ")}, not "${only}".`);
  }
  if (watch && only !== "unit") throw new SetupError("--watch needs --only unit: the other tests need a build.");
  return { only, withLong, watch, timings, filters: positionals };
}

/** @param {string[]} argv */
function parse(argv) {
  try {
    return parseArgs({
      args: argv,
      options: {
        only: { type: "string" },
        "with-long": { type: "boolean" },
        watch: { type: "boolean" },
        timings: { type: "boolean" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {readonly Suite[]} suites
 * @param {Options} options
 */
async function runSuites(suites, options) {
  const projects = suites.flatMap((suite) => SUITES[suite]);
  if (!(await prepare(projects))) return { passed: 0, failed: 1, skipped: 0 };

  // The checks run beside the build and the tests, which leave a core idle now and then.
  const checked = runChecks(suites.includes("checks") && options.filters.length === 0 ? CHECKS : []);
  const built = projects.some(needsBuild) ? await buildOnce() : none();
  // If the build fails, only the projects that do not need it run.
  const runnable = projects.filter((project) => isBuilt || !needsBuild(project));
  const tested = runnable.length > 0 ? await runVitest(runnable, options) : none();
  return sum([await checked, built, tested]);
}

/**
 * @param {string} name
 * @returns {name is keyof typeof SUITES}
 */
function isSuite(name) {
  return Object.hasOwn(SUITES, name);
}

/** @param {string} project */
function needsBuild(project) {
  return !project.endsWith("unit");
}

/**
 * Installs what is missing. Resolves to false, after printing the reason, if that fails.
 *
 * @param {readonly string[]} projects
 */
async function prepare(projects) {
  try {
    await ensurePackages();
    if (projects.length > 0) await ensurePostgres();
    if (projects.some((project) => project.endsWith("browser"))) process.env.CHROMIUM_PATH = await ensureChromium();
    if (projects.some((project) => project.startsWith("long-"))) await ensureTools();
    if (projects.includes("long-http-sqlite")) for (const major of TESTED_NODES) await fetchNode(major);
    if (projects.includes("long-browser")) await ensureOtherBrowsers();
    return true;
  } catch (error) {
    if (!(error instanceof SetupError || error instanceof NodeError)) throw error;
    console.log(`✗ setup\n${indent(error.message)}`);
    return false;
  }
}

/**
 * Runs the checks sequentially, because the build and the tests use the other core.
 *
 * @param {typeof CHECKS} checks
 */
async function runChecks(checks) {
  const counts = [];
  for (const { name, file, args } of checks) {
    counts.push(
      await check(name, async () => {
        const { code, output } = await runNode(join(ROOT, file), args, { cwd: ROOT, timeoutMs: CHECK_TIMEOUT_MS });
        return code === 0 ? null : output.trim() || `ended with code ${code}`;
      }),
    );
  }
  return sum(counts);
}

/** Builds unless an earlier suite of this run did. Sets `isBuilt`. */
async function buildOnce() {
  if (isBuilt) return none();
  const counts = await check("build", runBuild);
  isBuilt = counts.failed === 0;
  return counts;
}

async function runBuild() {
  const { BuildError, build } = await import("./build.mjs");
  try {
    await build();
    return null;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return error.message;
  }
}

/**
 * @param {string} name
 * @param {() => Promise<string | null>} work resolves to null, or to the error text
 * @returns {Promise<Counts>}
 */
async function check(name, work) {
  const started = performance.now();
  const problem = await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(problem === null ? `✓ ${name} (${seconds} s)` : `✗ ${name} (${seconds} s)\n${indent(problem)}`);
  return { passed: problem === null ? 1 : 0, failed: problem === null ? 0 : 1, skipped: 0 };
}

/**
 * Runs the unit tests of files that differ from the last commit, and again after each change, until the user quits. The
 * tests of the store run on SQLite alone, which halves the time after a change of a module with many importers.
 *
 * @param {readonly string[]} filters
 * @returns {Promise<Counts>}
 */
async function watchUnitTests(filters) {
  if (!(await prepare(SUITES.unit))) return { passed: 0, failed: 1, skipped: 0 };
  const vitest = spawn(process.execPath, [VITEST, "watch", "--project=unit", "--changed", ...filters], {
    cwd: ROOT,
    env: { GATEHOUSE_TEST_DIALECT: "sqlite", ...process.env },
    stdio: "inherit",
  });
  const [code] = await once(vitest, "exit");
  return { ...none(), failed: code === 0 ? 0 : 1 };
}

/**
 * @param {readonly string[]} projects
 * @param {Options} options
 * @returns {Promise<Counts>}
 */
async function runVitest(projects, { filters, timings }) {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  rmSync(RESULTS, { force: true });
  const { code, timedOut } = await runNode(
    VITEST,
    [
      "run",
      ...projects.map((name) => `--project=${name}`),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${RESULTS}`,
      ...(timings ? ["--reporter=./scripts/timings.mjs"] : []),
      ...filters,
    ],
    { cwd: ROOT, env: process.stdout.isTTY ? process.env : withoutColour(), timeoutMs: TESTS_TIMEOUT_MS, live: true },
  );
  if (timedOut) console.log(`✗ the tests took longer than ${TESTS_TIMEOUT_MS / 60_000} minutes and were ended`);
  const counts = readResults();
  // vitest's exit code also covers errors outside tests, empty runs and crashes.
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** Disables colours if the output is not a terminal. */
function withoutColour() {
  const { FORCE_COLOR: _, ...env } = process.env;
  return { ...env, NO_COLOR: "1" };
}

/** @returns {Counts} */
function readResults() {
  try {
    const results = JSON.parse(readFileSync(RESULTS, "utf8"));
    // A test file that cannot be loaded has no failed tests; count the file.
    const brokenFiles = results.testResults.filter(
      (/** @type {{ status: string, assertionResults: { status: string }[] }} */ { status, assertionResults }) =>
        status === "failed" && !assertionResults.some((result) => result.status === "failed"),
    );
    return {
      passed: results.numPassedTests,
      failed: results.numFailedTests + brokenFiles.length,
      skipped: results.numPendingTests + results.numTodoTests,
    };
  } catch {
    // The run ended before the results were written.
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** @returns {Counts} */
function none() {
  return { passed: 0, failed: 0, skipped: 0 };
}

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
function sum(all) {
  return all.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    none(),
  );
}

/** @param {string} text */
function indent(text) {
  return text.replaceAll(/^/gm, "  ");
}

endChildrenWhenStopped();
let counts = { passed: 0, failed: 1, skipped: 0 };
try {
  counts = await main(process.argv.slice(2));
} catch (error) {
  await endChildren();
  console.log(`✗ ${error instanceof SetupError ? error.message : error instanceof Error ? error.stack : error}`);
}
// Skipped tests count as failures.
process.exitCode = counts.failed > 0 || counts.skipped > 0 ? 1 : 0;
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
