import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { ON_POSTGRES } from "./tests/http/on-postgres.ts";
import { memoryFolder } from "./tests/support/memory-folder.ts";

/**
 * Tests that are slow, or that need Debian programs or other browsers than Chromium. `npm run test:long` runs them, in
 * projects with the prefix `long-`, and the project `http-postgres`; `npm test` runs all others.
 */
const LONG = [
  "tests/unit/deploy/systemd.test.ts",
  // Killed processes, failing disks, and databases that other processes use.
  "tests/unit/db/migrations-killed.test.ts",
  "tests/http/crash/**/*.test.ts",
  "tests/http/disk/**/*.test.ts",
  "tests/http/log/stream.test.ts",
  "tests/http/restore/killed.test.ts",
  // The commands of the manuals, on an installation, and Prometheus.
  "tests/http/manual/operations.test.ts",
  "tests/http/metrics/prometheus.test.ts",
  // Packages that dpkg installs into a folder.
  "tests/http/upgrade/**/*.test.ts",
  // Other versions of Node.
  "tests/http/node-versions.test.ts",
  // The release, built twice.
  "tests/http/release/**/*.test.ts",
  "tests/http/back-channel/durable.test.ts",
  "tests/http/middleware/locked-database.test.ts",
  "tests/http/two-processes/**/*.test.ts",
  // nginx, Apache and Caddy.
  "tests/http/proxies/**/*.test.ts",
  // Python and Apache.
  "tests/http/recipes/{authlib,mod-auth-openidc}.test.ts",
  // Commands and servers, each in several processes.
  "tests/http/setup/**/*.test.ts",
  "tests/http/{cli,mail/token}.test.ts",
  // A build with a third language.
  "tests/http/languages/third-language.test.ts",
  // Lynx.
  "tests/http/text-browser.test.ts",
  // Comparisons of times.
  "tests/http/login/timing.test.ts",
  "tests/http/mail/slow-server.test.ts",
  // It sends 3000 requests.
  "tests/http/external/start-limit.test.ts",
  // Eighty passwords at the same time, of which all are checked.
  "tests/http/login/fair-queue.test.ts",
  // Rows of 10,000 sign-ins.
  "tests/http/clean-up.test.ts",
  // All states of all pages, in German without scripts too; `npm test` checks the first state of each page.
  "tests/browser/every-page-{scripted,unscripted}.test.ts",
  // The history and tabs of a browser, lost connections, late scripts, and the bytes of pages.
  "tests/browser/{second-factor-history,password-reset-history,tabs}.test.ts",
  "tests/browser/{settings-unreachable,settings-failures,second-factor-script,challenges,stable-layout}.test.ts",
  "tests/browser/{weight,settings-weight,settings-long-names}.test.ts",
  // Fields while a person types, and parts of pages that seldom change.
  "tests/browser/{new-password,password-field,password-reset-fields,password-reset-typing}.test.ts",
  "tests/browser/{settings-banner,settings-key-refusals,error-pages,leaving,brand,mails,qr-code}.test.ts",
  // Libraries of applications in a browser.
  "tests/browser/journey-*.test.ts",
  // Firefox and WebKit.
  "tests/browser/engines/**/*.test.ts",
];

/**
 * Tests of several servers and of `data copy`, which need PostgreSQL: a SQLite file has one server process. Lost access
 * is tested on it with a server and a second process that works as a command does.
 */
const POSTGRES_ONLY = ["tests/http/two-processes/!(lost-access).test.ts", "tests/http/data-copy.test.ts"];

/** Long tests that do not depend on the database. */
const LONG_ON_SQLITE_ONLY = [
  "tests/http/manual/operations.test.ts",
  "tests/http/metrics/prometheus.test.ts",
  "tests/http/node-versions.test.ts",
  "tests/http/upgrade/upgrade-killed.test.ts",
  "tests/http/release/**/*.test.ts",
  "tests/http/disk/**/*.test.ts",
  "tests/http/proxies/**/*.test.ts",
  "tests/http/recipes/{authlib,mod-auth-openidc}.test.ts",
  "tests/http/setup/**/*.test.ts",
  "tests/http/{mail/token,languages/third-language,text-browser}.test.ts",
  "tests/http/{login/{fair-queue,timing},log/stream}.test.ts",
  "tests/http/mail/slow-server.test.ts",
];

/** Temporary files of the tests that are not long are in memory. */
function temporaryFolder(): { TMPDIR?: string } {
  const folder = memoryFolder();
  return folder === null ? {} : { TMPDIR: folder };
}

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

/** Options of all projects; each adds its files, time limits and database. */
const shared = {
  pool: "forks" as const,
  // A worker imports React, the engine and the built pages once, not once per file: half of the CPU time.
  isolate: false,
  setupFiles: ["tests/support/setup.ts"],
  globalSetup: ["tests/support/global-setup.ts"],
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
  // The default of 1 s is too short on a busy machine.
  expect: { poll: { timeout: 15_000 } },
} satisfies Options;

/**
 * Returns two projects for a folder: `<name>`, without the long tests, and `long-<name>`.
 *
 * @param folder relative to this file
 * @param options `include`: default all tests of the folder; does not limit the long tests
 */
function projectsOf(
  name: string,
  folder: string,
  { include = [`${folder}/**/*.test.{ts,tsx}`], exclude = [], env = {}, ...options }: Options,
): TestProjectInlineConfiguration[] {
  const long = LONG.filter((glob) => glob.startsWith(`${folder}/`));
  // The JSX runtime of both builds of React; the default one exists in the development build alone.
  const esbuild = { jsxDev: false };
  return [
    {
      esbuild,
      test: {
        ...{ ...shared, ...options, name, include },
        exclude: [...exclude, ...long],
        env: { ...temporaryFolder(), ...env },
      },
    },
    { esbuild, test: { ...shared, ...options, name: `long-${name}`, include: long, exclude, env } },
  ];
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    teardownTimeout: 10_000,
    // Transformed modules are kept between runs and shared by the projects, each of which would transform all again.
    fsModuleCache: true,
    fsModuleCachePath: ".cache/vitest-modules",
    // An empty run fails.
    passWithNoTests: false,
    projects: [
      ...projectsOf("unit", "tests/unit", { testTimeout: 20_000, hookTimeout: 30_000 }),
      ...(["sqlite", "postgres"] as const).flatMap((dialect) =>
        projectsOf(`http-${dialect}`, "tests/http", {
          ...(dialect === "sqlite"
            ? { exclude: POSTGRES_ONLY }
            : { include: ON_POSTGRES, exclude: LONG_ON_SQLITE_ONLY }),
          // React as main.ts loads it, which saves a tenth of the processor time. The unit and browser tests use the
          // development build, whose warnings fail them.
          env: { GATEHOUSE_TEST_DIALECT: dialect, NODE_ENV: "production" },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        }),
      ),
      ...projectsOf("browser", "tests/browser", {
        env: { GATEHOUSE_TEST_DIALECT: "sqlite" },
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
    ],
  },
});
