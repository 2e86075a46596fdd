import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrateStore } from "#app/db/migrations.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { ROOT } from "#tests/support/source-tree.ts";

const STEPS = 6;
const ROUNDS = 6;
/** Enough rows to make a migration step slow enough to be killed midway. */
const ROWS = 30_000;

/** Copies the product's migrations and adds slow steps; each creates a table, fills it, and alters it. */
function longMigrations(folder: string): string {
  const migrations = join(folder, "drizzle");
  cpSync(join(ROOT, "drizzle"), migrations, { recursive: true });
  const journal = join(migrations, "sqlite/meta/_journal.json");
  const { entries } = JSON.parse(readFileSync(journal, "utf8"));
  const names = Array.from({ length: STEPS }, (_, step) => `900${step}_step`);
  writeFileSync(journal, JSON.stringify({ entries: [...entries, ...names.map((tag) => ({ tag }))] }));
  for (const [step, name] of names.entries()) {
    const statements = [
      `CREATE TABLE t${step} (i integer, half integer)`,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) INSERT INTO t${step} SELECT i, NULL FROM n`,
      `UPDATE t${step} SET half = i / 2`,
    ];
    writeFileSync(join(migrations, "sqlite", `${name}.sql`), statements.join("\n--> statement-breakpoint\n"));
  }
  return migrations;
}

test("migrations that are killed at any moment are all applied or none", { timeout: 180_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-migrate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const migrations = longMigrations(folder);
  const lasts = await migrateFor(join(folder, "whole.sqlite"), migrations, null);
  const reached = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = join(folder, `round-${round}.sqlite`);
    await migrateFor(file, migrations, (lasts * (round + 0.5)) / ROUNDS);
    reached.add(expectCompleteMigrations(file));
    const store = await openStore({ dialect: "sqlite", file });
    await migrateStore(store, { folder: migrations });
    await store.close();
    expect(expectCompleteMigrations(file)).toBe(STEPS);
  }
  expect([0, STEPS]).toEqual(expect.arrayContaining([...reached]));
  expect(reached).toContain(0);
});

/** Migrates in another process and kills it after `momentMs`, unless null. Returns its run time in ms. */
async function migrateFor(file: string, migrations: string, momentMs: number | null): Promise<number> {
  const script = join(ROOT, "tests/unit/db/migrate-until-killed.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, file, migrations], { cwd: ROOT });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  const startedAt = performance.now();
  await (momentMs === null ? exited : Promise.race([sleep(momentMs), exited]));
  const ran = performance.now() - startedAt;
  child.kill("SIGKILL");
  await exited;
  return ran;
}

/** Returns the number of completed slow steps; fails if one is partly applied. */
function expectCompleteMigrations(file: string): number {
  const database = new Database(file);
  try {
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    const hasJournal = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get();
    const steps = Array.from({ length: STEPS }, (_, step) => step).filter(
      (step) => hasJournal && database.prepare("SELECT 1 FROM schema_migrations WHERE name = ?").get(`900${step}_step`),
    );
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name LIKE 't_' ORDER BY name").pluck().all();
    expect(tables).toEqual(steps.map((step) => `t${step}`));
    for (const step of steps) {
      const completeRows = database.prepare(`SELECT count(*) FROM t${step} WHERE half IS NOT NULL`).pluck().get();
      expect(completeRows).toBe(ROWS);
    }
    return steps.length;
  } finally {
    database.close();
  }
}
