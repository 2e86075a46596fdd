import { createHash } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { migrateStore } from "#app/db/migrations.server.ts";
import { acquireServerLock } from "#app/db/sqlite/server-lock.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { createInstallation, type Installation } from "./terminal.ts";

let gatehouse: Installation["gatehouse"];
let file: string;
let folder: string;
let copy: string;

/** The backup contains Anna and Bert. Later Anna was blocked and Carl was added. */
beforeEach(async () => {
  const installation = await createInstallation();
  gatehouse = installation.gatehouse;
  file = (installation.env["DATABASE_URL"] ?? "").replace("sqlite:", "");
  folder = dirname(file);
  copy = join(folder, "copy.sqlite");
  for (const name of ["anna", "bert"]) await gatehouse(["user", "add", name, "--display-name", name]);
  await gatehouse(["backup", copy]);
  await gatehouse(["user", "block", "anna"]);
  await gatehouse(["user", "add", "carl", "--display-name", "Carl"]);
});

async function users(): Promise<string[]> {
  const { stdout } = await gatehouse(["user", "list"]);
  return stdout
    .split("\n")
    .slice(1, -1)
    .map((line) => line.replace(/\s+/g, " ").split(" ").slice(0, 4).join(" "));
}

const NOW = ["anna anna - blocked", "bert bert - active", "carl Carl - active"];
const RESTORED = ["anna anna - blocked", "bert bert - active"];

function epoch(): number {
  return JSON.parse(readFileSync(join(folder, "gatehouse.epoch"), "utf8")).epoch;
}

/** Hashes of the files that a refused restore must not change. */
function untouched() {
  return ["gatehouse.sqlite", "gatehouse.epoch", "audit.jsonl"].map((name) =>
    createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex"),
  );
}

describe("restore", () => {
  test("puts the copy in the place of the database, keeps the former one, and names whom it concerns", async () => {
    const { exitCode, json } = await gatehouse(["restore", copy, "--yes", "--json"]);
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({ blocked: [{ username: "anna", why: ["blocked"] }], lost_users: ["carl"], epoch: 2 });
    expect(await users()).toEqual(RESTORED);
    const former = readdirSync(folder).filter((name) => name.includes("before-restore"));
    expect(former).toHaveLength(1);
    const database = new Database(join(folder, former[0] ?? ""), { readonly: true });
    expect(database.prepare("SELECT count(*) AS n FROM users").get()).toEqual({ n: 3 });
    database.close();
    expect(readdirSync(folder).filter((name) => name.startsWith("restoring"))).toEqual([]);
  });

  test("a second time, and a third time by hand: the epoch increases each time, blocked users stay blocked", async () => {
    await gatehouse(["restore", copy, "--yes"]);
    await gatehouse(["user", "add", "dora", "--display-name", "Dora"]);
    const again = await gatehouse(["restore", copy, "--yes", "--json"]);
    expect(again.json()).toMatchObject({ epoch: 3, blocked: [{ username: "anna" }], lost_users: ["carl", "dora"] });
    copyFileSync(copy, file);
    expect(await users()).toEqual(RESTORED);
    expect(epoch()).toBe(4);
    // The epoch does not rise again: this database is in service now.
    expect(await users()).toEqual(RESTORED);
    expect(epoch()).toBe(4);
  });

  test("--check prints the effects, and changes nothing", async () => {
    await gatehouse(["user", "list"]);
    const before = untouched();
    for (const option of ["--check", "--dry-run"]) {
      const { exitCode, stdout } = await gatehouse(["restore", copy, option]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/users: 3 -> 2/);
      expect(stdout).toMatch(/anna: was blocked/);
      expect(stdout).toMatch(/ {2}carl\n/);
    }
    expect(untouched()).toEqual(before);
    expect(await users()).toEqual(NOW);
  });

  test("asks for confirmation on a terminal, and needs --yes otherwise", async () => {
    expect((await gatehouse(["restore", copy])).exitCode).toBe(5);
    expect((await gatehouse(["restore", copy], { answers: ["n"] })).exitCode).toBe(5);
    expect(await users()).toEqual(NOW);
    expect((await gatehouse(["restore", copy], { answers: ["y"] })).exitCode).toBe(0);
    expect(await users()).toEqual(RESTORED);
  });

  test("refuses while the server runs, but still checks", async () => {
    const lock = acquireServerLock(file);
    try {
      const { exitCode, stderr } = await gatehouse(["restore", copy, "--yes"]);
      expect([exitCode, stderr]).toEqual([5, expect.stringMatching(/Another server is running/)]);
      expect((await gatehouse(["restore", copy, "--check"])).exitCode).toBe(0);
    } finally {
      lock.release();
    }
    expect(await users()).toEqual(NOW);
  });

  test("a file exchanged under a running server is refused by every command", async () => {
    const lock = acquireServerLock(file);
    try {
      copyFileSync(copy, file);
      const { exitCode, stderr } = await gatehouse(["user", "list"]);
      expect([exitCode, stderr]).toEqual([5, expect.stringMatching(/replaced by another database while its server/)]);
    } finally {
      lock.release();
    }
  });

  test("a copy beside the -wal of another file is refused by every command, with the fix", async () => {
    copyFileSync(copy, file);
    writeFileSync(`${file}-wal`, "the end of another database");
    const { exitCode, stderr } = await gatehouse(["user", "list"]);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining(`mv ${file}-wal ${file}-wal.old`)]);
    expect(readFileSync(`${file}-wal`, "utf8")).toBe("the end of another database");
    rmSync(`${file}-wal`);
    expect(await users()).toEqual(RESTORED);
  });

  test("a -wal without its database is refused, instead of starting with an empty database", async () => {
    rmSync(file);
    writeFileSync(`${file}-wal`, "the end of a database");
    const { exitCode, stderr } = await gatehouse(["user", "list"]);
    expect([exitCode, stderr]).toEqual([5, expect.stringMatching(/does not exist, but/)]);
    expect(existsSync(file)).toBe(false);
  });
});

describe("a file that cannot be restored", () => {
  /** Invalid files: their creation and the expected message. */
  const WRONG: readonly [what: string, make: () => Promise<string> | string, said: RegExp][] = [
    ["is not there", () => join(folder, "nothing"), /does not exist/],
    ["is empty", () => written(""), /is empty/],
    ["is garbage", () => written("garbage ".repeat(2000)), /is not a SQLite database/],
    ["is cut off", () => written(readFileSync(copy).subarray(0, 100_000)), /damaged|malformed/],
    ["was changed after it was made", changedCopy, /does not match its manifest/],
    ["is another program's database", foreignDatabase, /not one of Gatehouse/],
    ["is of a newer version", newerCopy, /0099_from_the_future.*This version has \d+ migrations/s],
    ["is the database itself", () => file, /is the current database/],
  ];

  test.each(WRONG)(
    "one that %s: check ends with 1, restore ends with 5, nothing is changed",
    async (_, make, message) => {
      const wrong = await make();
      await gatehouse(["user", "list"]);
      const before = untouched();
      const check = await gatehouse(["restore", wrong, "--check"]);
      expect([check.exitCode, check.stderr]).toEqual([1, expect.stringMatching(message)]);
      const restore = await gatehouse(["restore", wrong, "--yes"]);
      expect([restore.exitCode, restore.stderr]).toEqual([5, expect.stringMatching(message)]);
      expect(untouched()).toEqual(before);
      expect(readdirSync(folder).filter((name) => /restoring|before-restore/.test(name))).toEqual([]);
      expect(await users()).toEqual(NOW);
    },
  );

  test("one of another key: both fingerprints are named; by hand, the start refuses", async () => {
    const env = { SECRET_KEYS: "another secret key that only the tests know" };
    const check = await gatehouse(["restore", copy, "--check"], { env });
    expect([check.exitCode, check.stderr]).toEqual([
      1,
      expect.stringMatching(/key [0-9a-f]{16}; SECRET_KEYS contains [0-9a-f]{16}/),
    ]);
    expect((await gatehouse(["restore", copy, "--yes"], { env })).exitCode).toBe(5);
    copyFileSync(copy, file);
    const byHand = await gatehouse(["user", "list"], { env });
    expect([byHand.exitCode, byHand.stderr]).toEqual([3, expect.stringMatching(/SECRET_KEYS does not fit/)]);
    expect(epoch()).toBe(1);
  });

  test("one of another issuer, unless --accept-issuer is set", async () => {
    const env = { ISSUER: "https://login.office.example" };
    const check = await gatehouse(["restore", copy, "--check"], { env });
    expect([check.exitCode, check.stderr]).toEqual([
      1,
      expect.stringMatching(/belongs to issuer http:\/\/localhost:3000/),
    ]);
    expect((await gatehouse(["restore", copy, "--yes"], { env })).exitCode).toBe(5);
    const meant = await gatehouse(["restore", copy, "--yes", "--accept-issuer", "--json"], { env });
    expect(meant.exitCode).toBe(0);
    expect(meant.json()).toMatchObject({ former_issuer: "http://localhost:3000" });
  });
});

test("an older schema is migrated", async () => {
  const old = join(folder, "old.sqlite");
  copyFileSync(copy, old);
  const database = new Database(old);
  const columns = "id, epoch, keys_generation, key_fingerprint, issuer, rp_id, created_at";
  const instance = database.prepare(`SELECT ${columns} FROM instance`).get();
  database.close();
  rmSync(old);
  await makeFirstSchema(old, instance);
  const check = await gatehouse(["restore", old, "--check"]);
  expect([check.exitCode, check.stdout]).toEqual([
    0,
    expect.stringMatching(/0000_first_tables\n.*\d+ migrations will run/),
  ]);
  expect((await gatehouse(["restore", old, "--yes"])).exitCode).toBe(0);
  expect(await users()).toEqual([]);
  expect((await gatehouse(["migrate", "--plan", "--json"])).json()).toEqual({ pending: [] });
});

test("a restore that fails after the files were exchanged puts everything back", async () => {
  await gatehouse(["user", "list"]);
  const before = untouched();
  // The epoch mark cannot be written, because its temporary file is a folder.
  const inTheWay = join(folder, `gatehouse.epoch.${process.pid}.part`);
  mkdirSync(inTheWay);
  const { exitCode, stderr } = await gatehouse(["restore", copy, "--yes"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/The previous database is in place again/)]);
  rmSync(inTheWay, { recursive: true });
  expect(untouched().slice(1)).toEqual(before.slice(1));
  expect(await users()).toEqual(NOW);
  expect(epoch()).toBe(1);
});

/** Creates a database with the first schema that was in service once. */
async function makeFirstSchema(path: string, instance: unknown) {
  const migrations = mkdtempSync(join(tmpdir(), "gatehouse-first-"));
  cpSync(join(ROOT, "drizzle"), migrations, { recursive: true });
  const journal = join(migrations, "sqlite/meta/_journal.json");
  const { entries } = JSON.parse(readFileSync(journal, "utf8"));
  writeFileSync(journal, JSON.stringify({ entries: entries.slice(0, 1) }));
  const store = await openStore({ dialect: "sqlite", file: path });
  await migrateStore(store, { folder: migrations });
  await store.close();
  rmSync(migrations, { recursive: true });
  const database = new Database(path);
  const row = z.record(z.string(), z.union([z.string(), z.number()])).parse(instance);
  const names = Object.keys(row);
  database
    .prepare(`INSERT INTO instance (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
  database.close();
}

function written(content: string | Uint8Array): string {
  const path = join(folder, "wrong");
  writeFileSync(path, content);
  return path;
}

function changedCopy(): string {
  const database = new Database(copy);
  database.exec("UPDATE users SET display_name = 'Somebody else'");
  database.close();
  return copy;
}

function foreignDatabase(): string {
  const path = join(folder, "foreign.sqlite");
  const database = new Database(path);
  database.exec("CREATE TABLE letters (text)");
  database.close();
  return path;
}

function newerCopy(): string {
  const path = join(folder, "newer.sqlite");
  copyFileSync(copy, path);
  const database = new Database(path);
  database.exec("INSERT INTO schema_migrations (name) VALUES ('0099_from_the_future')");
  database.close();
  return path;
}

test("a crash at any point of the reconciliation is repaired at the next start, once", async () => {
  copyFileSync(copy, file);
  // The process ended after it wrote the epoch mark and before the transaction.
  writeFileSync(join(folder, "gatehouse.epoch"), JSON.stringify({ epoch: 2, raising: true }));
  expect(await users()).toEqual(RESTORED);
  expect(epoch()).toBe(2);
  // The process ended after the transaction: the report is not yet logged, and the audit file has the earlier events.
  const audit = join(folder, "audit.jsonl");
  const lines = readFileSync(audit, "utf8").split("\n");
  writeFileSync(audit, lines.filter((text) => !text.includes("database.restored")).join("\n"));
  writeFileSync(join(folder, "gatehouse.epoch"), JSON.stringify({ epoch: 2, raising: true }));
  const { stderr } = await gatehouse(["user", "list"]);
  expect(stderr).toBe("");
  expect(JSON.parse(readFileSync(join(folder, "gatehouse.epoch"), "utf8"))).toEqual({ epoch: 2, raising: false });
  const report = await gatehouse(["restore", "--report", "--json"]);
  expect(report.json()).toMatchObject({ epoch: 2, lost_users: ["carl"] });
});

test("a truncated last line of the audit file is ignored", async () => {
  appendFileSync(join(folder, "audit.jsonl"), '{"sequence":99,"at":"20');
  expect(await users()).toEqual(NOW);
  await gatehouse(["user", "block", "bert"]);
  expect(epoch()).toBe(1);
  const { json } = await gatehouse(["restore", copy, "--yes", "--json"]);
  expect(json()).toMatchObject({ blocked: [{ username: "anna" }, { username: "bert" }] });
});

test("a removed database is detected: the next one reports the lost users", async () => {
  rmSync(file);
  await gatehouse(["migrate"]);
  expect(await users()).toEqual([]);
  const { json } = await gatehouse(["restore", "--report", "--json"]);
  expect(json()).toMatchObject({ sign: "behind", lost_users: ["anna", "bert", "carl"] });
});
