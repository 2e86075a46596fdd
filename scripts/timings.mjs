// @ts-check
// A reporter of vitest for `npm test -- --timings`: prints the seconds of each project by phase, the slowest files, and
// what they started (tests/support/counts.ts).

const SLOWEST_FILES = 30;

/**
 * Seconds of a file by phase. `hooks` includes the starts of servers and browsers; all are elapsed seconds in a worker.
 *
 * @typedef {{ prepare: number, setup: number, import: number, tests: number, hooks: number }} Phases
 * @typedef {{ servers: number, processes: number, browsers: number, signIns: number }} Counts
 * @typedef {{ project: string, path: string, count: number, phases: Phases, started: Counts }} FileTiming
 */

export default class TimingsReporter {
  /** @type {FileTiming[]} */
  #files = [];

  /** @param {import("vitest/node").TestModule} file */
  onTestModuleEnd(file) {
    const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = file.diagnostic();
    const tests = [...file.children.allTests()];
    const inTests = tests.reduce((total, test) => total + (test.diagnostic()?.duration ?? 0), 0);
    this.#files.push({
      project: file.project.name,
      path: file.relativeModuleId,
      count: tests.length,
      phases: {
        prepare: (environmentSetupDuration + prepareDuration) / 1000,
        setup: setupDuration / 1000,
        import: collectDuration / 1000,
        tests: inTests / 1000,
        // Concurrent tests take longer in sum than their file.
        hooks: Math.max(0, duration - inTests) / 1000,
      },
      started: { ...NOTHING, ...Object(file.meta()).counts },
    });
  }

  onTestRunEnd() {
    console.log("\nSeconds in workers by project");
    printTable(
      "files",
      [...new Set(this.#files.map(({ project }) => project))].map((name) => {
        const files = this.#files.filter(({ project }) => project === name);
        return {
          name,
          count: files.length,
          phases: sum(files.map(({ phases }) => phases)),
          started: sumCounts(files.map(({ started }) => started)),
        };
      }),
    );
    console.log(`\nSeconds in workers of the ${SLOWEST_FILES} slowest files`);
    const files = this.#files.map(({ project, path, ...rest }) => ({ name: `${project} ${path}`, ...rest }));
    printTable(
      "tests",
      files
        .slice()
        .sort((a, b) => totalOf(b.phases) - totalOf(a.phases))
        .slice(0, SLOWEST_FILES),
    );
  }
}

/**
 * @param {string} counted heading of the column of `count`
 * @param {{ name: string, count: number, phases: Phases, started: Counts }[]} rows
 */
function printTable(counted, rows) {
  const times = ["total", "prepare", "setup", "import", "tests", "hooks"];
  printLine([counted, ...times, "servers", "processes", "browsers", "sign-ins"], "");
  for (const { name, count, phases, started } of rows) {
    const { prepare, setup, import: imports, tests, hooks } = phases;
    const seconds = [totalOf(phases), prepare, setup, imports, tests, hooks].map((value) => value.toFixed(1));
    const { servers, processes, browsers, signIns } = started;
    printLine([String(count), ...seconds, ...[servers, processes, browsers, signIns].map(String)], name);
  }
}

/**
 * @param {string[]} columns
 * @param {string} name
 */
function printLine(columns, name) {
  console.log(`${columns.map((text) => text.padStart(10)).join("")}  ${name}`.trimEnd());
}

/** @type {Counts} */
const NOTHING = { servers: 0, processes: 0, browsers: 0, signIns: 0 };

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
function sumCounts(all) {
  return all.reduce(
    (total, counts) => ({
      servers: total.servers + counts.servers,
      processes: total.processes + counts.processes,
      browsers: total.browsers + counts.browsers,
      signIns: total.signIns + counts.signIns,
    }),
    NOTHING,
  );
}

/** @param {Phases} phases */
function totalOf({ prepare, setup, import: imports, tests, hooks }) {
  return prepare + setup + imports + tests + hooks;
}

/**
 * @param {Phases[]} all
 * @returns {Phases}
 */
function sum(all) {
  const none = { prepare: 0, setup: 0, import: 0, tests: 0, hooks: 0 };
  return all.reduce(
    (total, phases) => ({
      prepare: total.prepare + phases.prepare,
      setup: total.setup + phases.setup,
      import: total.import + phases.import,
      tests: total.tests + phases.tests,
      hooks: total.hooks + phases.hooks,
    }),
    none,
  );
}
