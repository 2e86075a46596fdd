import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { migrateStore } from "#app/db/migrations.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { databaseOfRun, runProgram } from "#tests/http/crash/command.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { ROOT } from "#tests/support/source-tree.ts";

vi.setConfig({ testTimeout: 240_000 });

/** Makes the backup slow enough for concurrent writes. */
const ROWS = 20_000;
const WRITES_PER_SECOND = 100;
const ROUNDS = 5;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-killed-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function environment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    DATABASE_URL: `sqlite:${join(home, "gatehouse.sqlite")}`,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
  };
}

async function openLarge(): Promise<Store> {
  const store = await openStore({ dialect: "sqlite", file: join(folder, "gatehouse.sqlite") });
  await migrateStore(store);
  await store.execute(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO oidc_records (model, id, payload) SELECT 'Filler', i, json_quote(hex(randomblob(500))) FROM n`,
  );
  return store;
}

/** Writes one row to each of two tables in one transaction. */
async function writePair(store: Store, index: number): Promise<void> {
  await store.tx(async (tx) => {
    await tx.execute(
      `INSERT INTO "groups" (id, name, require_mfa, created_at) VALUES ('g${index}', 'g${index}', 0, 0)`,
    );
    await tx.execute(`INSERT INTO rate_limits (key, points) VALUES ('g${index}', 1)`);
  });
}

/** Writes pairs at a fixed rate until it is stopped; `written` returns the number of acknowledged ones. */
function writeSteadily(store: Store) {
  let written = 0;
  let isStopped = false;
  const writing = (async () => {
    const startedAt = performance.now();
    for (let index = 0; !isStopped; index += 1) {
      await writePair(store, index);
      written = index + 1;
      await sleep(Math.max(0, startedAt + (index * 1000) / WRITES_PER_SECOND - performance.now()));
    }
  })();
  return {
    written: () => written,
    async stop() {
      isStopped = true;
      await writing;
    },
  };
}

function readPairs(file: string) {
  const database = new Database(file, { readonly: true });
  try {
    return {
      integrity: database.pragma("integrity_check", { simple: true }),
      groups: Number(database.prepare('SELECT count(*) FROM "groups"').pluck().get()),
      torn: database
        .prepare('SELECT count(*) FROM "groups" FULL JOIN rate_limits ON key = id WHERE key IS NULL OR id IS NULL')
        .pluck()
        .get(),
    };
  } finally {
    database.close();
  }
}

/** Starts a command and kills it after this time, unless it has ended before. */
async function killAfter(momentMs: number, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, "build/main.js"), ...args], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  await Promise.race([sleep(momentMs), ended]);
  child.kill("SIGKILL");
  await ended;
}

/** Starts a command and kills it as soon as the condition is met. */
async function killWhen(isSo: () => boolean, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, "build/main.js"), ...args], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  while (child.exitCode === null && !isSo()) await sleep(1);
  child.kill("SIGKILL");
  await ended;
}

const unfinishedIn = (directory: string) => readdirSync(directory).filter((name) => /\.part$/.test(name));

/** Returns moments spread over the command's normal run time. */
async function momentsOf(work: () => Promise<unknown>): Promise<number[]> {
  const startedAt = performance.now();
  await work();
  const lasts = performance.now() - startedAt;
  // Skips the first part, which is mostly the start of the program.
  return Array.from({ length: ROUNDS }, (_, round) => lasts * (0.4 + (0.6 * (round + 0.5)) / ROUNDS));
}

if (process.env.GATEHOUSE_TEST_DIALECT === "postgres") {
  test("a restore on PostgreSQL changes nothing and names the tool to use", async () => {
    const database = await databaseOfRun();
    try {
      const { code, stderr } = await runProgram({ ...environment(folder), ...database.env }, ["restore", "x", "--yes"]);
      expect([code, stderr]).toEqual([5, expect.stringMatching(/pg_restore .*--single-transaction/)]);
    } finally {
      await database.remove();
    }
  });
} else {
  test("a backup during 100 writes per second is consistent, and readable by the sqlite3 program", async () => {
    const store = await openLarge();
    const writer = writeSteadily(store);
    try {
      await vi.waitFor(() => expect(writer.written()).toBeGreaterThan(20), { timeout: 30_000 });
      const before = writer.written();
      const copy = join(folder, "copy.sqlite");
      const { code, stderr } = await runProgram(environment(folder), ["backup", copy]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      const after = writer.written();
      // Writers did not wait for the backup.
      expect(after - before).toBeGreaterThan(20);
      const pairs = readPairs(copy);
      expect(pairs).toMatchObject({ integrity: "ok", torn: 0 });
      expect(pairs.groups).toBeGreaterThanOrEqual(before);
      expect(pairs.groups).toBeLessThanOrEqual(after);
      expect(countBySqlite(copy)).toBe(pairs.groups);
    } finally {
      await writer.stop();
      await store.close();
    }
  });

  test("a killed backup leaves no incomplete file under its final name, and the next one removes the temporary file", async () => {
    const store = await openLarge();
    await writePair(store, 0);
    await store.close();
    const env = environment(folder);
    const moments = await momentsOf(() => runProgram(env, ["backup", join(folder, "first.sqlite")]));
    const copy = join(folder, "copy.sqlite");
    for (const momentMs of moments) {
      await killAfter(momentMs, env, ["backup", copy]);
      if (existsSync(copy)) expect(readPairs(copy)).toEqual({ integrity: "ok", groups: 1, torn: 0 });
      rmSync(copy, { force: true });
    }
    // Beside other work, the backup may be complete before the signal: it is then made again.
    do {
      rmSync(copy, { force: true });
      await killWhen(() => unfinishedIn(folder).length > 0, env, ["backup", copy]);
    } while (existsSync(copy));
    expect(unfinishedIn(folder)).toHaveLength(1);
    expect((await runProgram(env, ["backup", copy])).code).toBe(0);
    expect(unfinishedIn(folder)).toEqual([]);
    expect(readPairs(join(folder, "gatehouse.sqlite"))).toMatchObject({ integrity: "ok", groups: 1 });
  });

  test("a killed restore leaves the old database or the new one, increments the epoch once, and the next one removes temporary files", async () => {
    const home = join(folder, "home");
    mkdirSync(home);
    const env = environment(home);
    const copy = join(folder, "copy.sqlite");
    const add = (name: string) => runProgram(env, ["user", "add", name, "--display-name", name]);
    await add("anna");
    await runProgram(env, ["backup", copy]);
    await runProgram(env, ["user", "block", "anna"]);
    await add("bert");
    const template = new Map(readdirSync(home).map((name) => [name, readFileSync(join(home, name))]));
    const args = ["restore", copy, "--yes"];
    const moments = await momentsOf(() => runProgram(env, args));
    const has = (part: string) => readdirSync(home).some((name) => name.includes(part));
    const marked = () => readFileSync(join(home, "gatehouse.epoch"), "utf8").includes('"raising":true');
    const kills = [
      ...moments.map((momentMs) => () => killAfter(momentMs, env, args)),
      () => killWhen(() => has("before-restore"), env, args),
      () => killWhen(marked, env, args),
      () => killWhen(() => has("restoring"), env, args),
    ];
    for (const kill of kills) {
      rmSync(home, { recursive: true });
      mkdirSync(home);
      for (const name of template.keys()) copyFileSync(savedCopy(name, template), join(home, name));
      await kill();
      const { stdout, stderr } = await runProgram(env, ["user", "list", "--json"]);
      const names = namesIn(stdout, stderr);
      expect([["anna:blocked", "bert:active"], ["anna:blocked"]]).toContainEqual(names);
      const { epoch } = JSON.parse(readFileSync(join(home, "gatehouse.epoch"), "utf8"));
      expect(epoch).toBe(names.length === 1 ? 2 : 1);
    }
    expect(unfinishedIn(home)).toHaveLength(1);
    expect((await runProgram(env, args)).code).toBe(0);
    expect(unfinishedIn(home)).toEqual([]);
  });
}

function savedCopy(name: string, template: ReadonlyMap<string, Uint8Array>): string {
  const path = join(folder, `saved-${name}`);
  if (!existsSync(path)) writeFileSync(path, template.get(name) ?? new Uint8Array());
  return path;
}

function namesIn(stdout: string, stderr: string): string[] {
  if (stdout === "") throw new Error(stderr);
  const users: { username: string; status: string }[] = JSON.parse(stdout);
  return users.map(({ username, status }) => `${username}:${status}`);
}

/** Counts rows of a copy with the sqlite3 command, which writes nothing. */
function countBySqlite(file: string): number {
  const { program, env } = requireDebianTool("sqlite3");
  return Number(execFileSync(program, ["-readonly", file, 'SELECT count(*) FROM "groups"'], { encoding: "utf8", env }));
}
