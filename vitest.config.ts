import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Tests of several processes and of `data copy`, which need PostgreSQL: a SQLite file has one server process. */
const POSTGRES_ONLY = ["tests/http/two-processes/**/*.test.ts", "tests/http/data-copy.test.ts"];

/** Tests of disk failures, and of languages, which do not depend on the database. */
const SQLITE_ONLY = ["tests/http/disk/**/*.test.ts", "tests/http/languages/**/*.test.ts"];

/** Options of all projects; each adds its files, time limits and database. */
const shared = {
  pool: "forks" as const,
  setupFiles: ["tests/support/setup.ts"],
  globalSetup: ["tests/support/global-setup.ts"],
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
} satisfies TestProjectInlineConfiguration["test"];

export default defineConfig({
  test: {
    maxWorkers: 2,
    teardownTimeout: 10_000,
    // An empty run fails.
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["tests/unit/**/*.test.{ts,tsx}"],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      ...(["sqlite", "postgres"] as const).map((dialect) => ({
        test: {
          ...shared,
          name: `http-${dialect}`,
          include: ["tests/http/**/*.test.ts"],
          exclude: dialect === "sqlite" ? POSTGRES_ONLY : SQLITE_ONLY,
          env: { GATEHOUSE_TEST_DIALECT: dialect },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      })),
      {
        test: {
          ...shared,
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          env: { GATEHOUSE_TEST_DIALECT: "sqlite" },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
