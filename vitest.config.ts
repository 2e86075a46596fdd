import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** What several processes share, and what a move ends at, is PostgreSQL: a SQLite file has one process. */
const POSTGRES_ONLY = ["tests/http/two-processes/**/*.test.ts", "tests/http/data-copy.test.ts"];

const BUILD_FOLDER = fileURLToPath(new URL("./build/", import.meta.url));

/** What the disk under a file does to it. */
const SQLITE_ONLY = ["tests/http/disk/**/*.test.ts"];

/** What every kind of test is run with; a kind adds its files, its time limit and its database. */
const shared = {
  pool: "forks" as const,
  setupFiles: ["tests/support/setup.ts"],
  globalSetup: ["tests/support/global-setup.ts"],
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
  // The built pages run as they do in production: loaded by Node, not by Vite.
  server: { deps: { external: [new RegExp(`^${escapeRegExp(BUILD_FOLDER)}`)] } },
} satisfies TestProjectInlineConfiguration["test"];

export default defineConfig({
  test: {
    maxWorkers: 2,
    teardownTimeout: 10_000,
    // An empty run is a mistake.
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

function escapeRegExp(text: string) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
