import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { createInstallation, type Installation } from "./terminal.ts";

let gatehouse: Installation["gatehouse"];
let file: string;
let copies: string;

/** A newer version copied the database with Anna, migrated it, and added Bert. */
beforeEach(async () => {
  const installation = await createInstallation();
  file = (installation.env["DATABASE_URL"] ?? "").replace("sqlite:", "");
  copies = join(dirname(file), "copies");
  mkdirSync(copies);
  gatehouse = (args, options = {}) =>
    installation.gatehouse(args, { ...options, env: { BACKUP_DIR: copies, ...options.env } });
  await gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
  await gatehouse(["backup", copyAt(1)]);
  await gatehouse(["user", "add", "bert", "--display-name", "Bert"]);
});

function copyAt(day: number, migration = "9998_of_tomorrow"): string {
  return join(copies, `gatehouse-2026030${day}T013000Z-before-${migration}.sqlite`);
}

/** Records migrations that this version does not have. */
function migrateToNewerVersion(): void {
  const database = new Database(file);
  database.exec(
    "INSERT INTO schema_migrations (name, version) VALUES ('9999_later', '99.0.0'), ('9998_of_tomorrow', '99.0.0')",
  );
  database.exec("CREATE TABLE of_tomorrow (id text)");
  database.close();
}

async function usernames(): Promise<string[]> {
  const { stdout } = await gatehouse(["user", "list", "--json"]);
  const users: { username: string }[] = JSON.parse(stdout);
  return users.map(({ username }) => username);
}

test("the copy before the first migration that this version lacks becomes the database, and what came later is named", async () => {
  await gatehouse(["backup", copyAt(3, "0001_second_factors")]);
  migrateToNewerVersion();
  const check = await gatehouse(["restore", "--before-upgrade", "--check"]);
  expect([check.exitCode, check.stdout]).toEqual([0, expect.stringMatching(/users: 2 -> 1.* {2}bert\n/s)]);
  expect((await gatehouse(["user", "list"])).exitCode).toBe(3);
  const { exitCode, json } = await gatehouse(["restore", "--before-upgrade", "--yes", "--json"]);
  expect([exitCode, json()]).toEqual([0, expect.objectContaining({ lost_users: ["bert"], epoch: 2 })]);
  expect(await usernames()).toEqual(["anna"]);
});

test("of several copies, the newest is used", async () => {
  await gatehouse(["backup", copyAt(2)]);
  migrateToNewerVersion();
  await gatehouse(["restore", "--before-upgrade", "--yes"]);
  expect(await usernames()).toEqual(["anna", "bert"]);
});

test("run again, or without a newer migration, it changes nothing", async () => {
  const first = await gatehouse(["restore", "--before-upgrade", "--yes"]);
  expect([first.exitCode, first.stderr]).toEqual([0, expect.stringMatching(/can use the database as it is/)]);
  expect(await usernames()).toEqual(["anna", "bert"]);
  migrateToNewerVersion();
  await gatehouse(["restore", "--before-upgrade", "--yes"]);
  const again = await gatehouse(["restore", "--before-upgrade", "--yes", "--json"]);
  expect([again.exitCode, again.json()]).toEqual([0, null]);
  expect(await usernames()).toEqual(["anna"]);
});

test("without a copy it is refused, with the migration and the folder", async () => {
  rmSync(copyAt(1));
  migrateToNewerVersion();
  const { exitCode, stderr } = await gatehouse(["restore", "--before-upgrade", "--yes"]);
  expect([exitCode, stderr]).toEqual([4, expect.stringMatching(/copies .BACKUP_DIR. .* 9998_of_tomorrow/)]);
  expect((await gatehouse(["user", "list"])).exitCode).toBe(3);
});

test("the newest copy before a migration stays in BACKUP_DIR, however many backups are newer", async () => {
  await gatehouse(["backup", copyAt(2)]);
  const nightly = join(copies, "gatehouse-20260304T013000Z.sqlite");
  await gatehouse(["backup", nightly]);
  await gatehouse(["backup"], { env: { BACKUP_KEEP: "1" } });
  const left = readdirSync(copies).filter((name) => name.endsWith(".sqlite"));
  expect([left.length, left.includes(basename(copyAt(2)))]).toEqual([2, true]);
});

test("a restore needs a file or --before-upgrade", async () => {
  expect((await gatehouse(["restore"])).exitCode).toBe(2);
  expect(existsSync(file)).toBe(true);
});
