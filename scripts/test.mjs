// @ts-check
// `npm test`: checks, build and all tests, from a fresh clone. The last line is always `N passed, N failed, N skipped`.
// While developing: `node scripts/test.mjs --only unit|http|browser|checks [part of a file name …]`.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endChildren, endChildrenWhenStopped, runNode } from "./children.mjs";
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
const RESULTS = join(ROOT, ".cache/test-results.json");

/** Values of --only with their vitest projects. */
const SUITES = {
  checks: [],
  unit: ["unit"],
  http: ["http-sqlite", "http-postgres"],
  browser: ["browser"],
};

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

/** @param {string[]} argv */
async function main(argv) {
  const { suite, filters } = readArguments(argv);
  const wholeSuite = suite === null && filters.length === 0;
  const projects = suite === null ? Object.values(SUITES).flat() : SUITES[suite];
  if (!(await prepare(projects))) return { passed: 0, failed: 1, skipped: 0 };

  const checks = wholeSuite || suite === "checks" ? CHECKS : [];
  const [checked, built] = await Promise.all([
    runChecks(checks),
    projects.some(needsBuild) ? check("build", runBuild) : none(),
  ]);
  // If the build fails, only the projects that do not need it run.
  const runnable = built.failed > 0 ? projects.filter((project) => !needsBuild(project)) : projects;
  return sum([checked, built, runnable.length > 0 ? await runVitest(runnable, filters) : none()]);
}

/**
 * @param {string[]} argv
 * @returns {{ suite: keyof typeof SUITES | null, filters: string[] }}
 */
function readArguments(argv) {
  const at = argv.indexOf("--only");
  if (at === -1) return { suite: null, filters: argv };
  const name = argv[at + 1] ?? "";
  if (!isSuite(name)) throw new SetupError(`--only takes one of ${Object.keys(SUITES).join(", ")}, not "${name}".`);
  return { suite: name, filters: argv.filter((_, index) => index !== at && index !== at + 1) };
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
  return project !== "unit";
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
    if (projects.some((project) => project !== "browser")) await ensureTools();
    if (projects.includes("browser")) {
      process.env.CHROMIUM_PATH = await ensureChromium();
      await ensureOtherBrowsers();
    }
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`✗ setup\n${indent(error.message)}`);
    return false;
  }
}

/**
 * Runs the checks sequentially, because the build uses the second core.
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
 * @param {readonly string[]} projects
 * @param {readonly string[]} filters
 * @returns {Promise<Counts>}
 */
async function runVitest(projects, filters) {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  rmSync(RESULTS, { force: true });
  const { code, timedOut } = await runNode(
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    [
      "run",
      ...projects.map((name) => `--project=${name}`),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${RESULTS}`,
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
