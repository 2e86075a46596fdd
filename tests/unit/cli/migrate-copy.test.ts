import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createInstallation, createNewInstallation } from "./terminal.ts";

/** Creates an installation in which one migration is pending: by default the last one, which can run again. */
async function olderInstallation(pending?: string) {
  const { gatehouse, env } = await createInstallation();
  await gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
  const file = (env["DATABASE_URL"] ?? "").replace("sqlite:", "");
  const database = new Database(file);
  const last =
    pending ?? database.prepare("SELECT name FROM schema_migrations ORDER BY name DESC LIMIT 1").pluck().get();
  database.prepare("DELETE FROM schema_migrations WHERE name = ?").run(last);
  database.close();
  return { gatehouse, folder: dirname(file), step: String(last) };
}

test("before the schema changes, the database is copied; a plan copies nothing", async () => {
  const { gatehouse, folder, step } = await olderInstallation();
  const env = { BACKUP_DIR: join(folder, "copies") };
  const plan = await gatehouse(["migrate", "--plan", "--json"], { env });
  expect(plan.json()).toEqual({ pending: [step] });
  expect(readdirSync(folder)).not.toContain("copies");
  mkdirSync(env.BACKUP_DIR);
  // The migration fails because its tables exist already; the backup was made before.
  await gatehouse(["migrate"], { env });
  const copies = readdirSync(env.BACKUP_DIR).filter((name) => name.endsWith(".sqlite"));
  expect(copies).toEqual([expect.stringMatching(new RegExp(`^gatehouse-\\d{8}T\\d{6}Z-before-${step}\\.sqlite$`))]);
  const copy = new Database(join(env.BACKUP_DIR, copies[0] ?? ""), { readonly: true });
  expect(copy.prepare("SELECT count(*) FROM users").pluck().get()).toBe(1);
  copy.close();
});

test("if no copy can be made, the schema is unchanged, and the reason is printed", async () => {
  const { gatehouse, folder, step } = await olderInstallation();
  const blocked = join(folder, "a-file");
  writeFileSync(blocked, "");
  const { exitCode, stderr } = await gatehouse(["migrate"], { env: { BACKUP_DIR: blocked } });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/backup before it failed.*Nothing was changed.*BACKUP_DIR/s),
  ]);
  expect((await gatehouse(["migrate", "--plan", "--json"])).json()).toEqual({ pending: [step] });
});

test("a check fails on a copy of the database, and leaves the database and its folder as they were", async () => {
  // This one cannot run again: its column exists.
  const { gatehouse, folder, step } = await olderInstallation("0008_canonical_emails");
  await gatehouse(["migrate", "--plan"]);
  const before = readdirSync(folder);
  const { exitCode, stdout, stderr } = await gatehouse(["migrate", "--check"]);
  expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringMatching(/^error: duplicate column/)]);
  expect(readdirSync(folder)).toEqual(before);
  expect((await gatehouse(["migrate", "--plan", "--json"])).json()).toEqual({ pending: [step] });
});

test("a check of a new database lists every migration, and creates no database", async () => {
  const { gatehouse, env } = await createNewInstallation();
  const plan = await gatehouse(["migrate", "--check", "--json"]);
  expect(plan.json()).toEqual({ ok: true, pending: expect.arrayContaining(["0000_first_tables"]) });
  expect(readdirSync(dirname((env["DATABASE_URL"] ?? "").replace("sqlite:", "")))).toEqual([]);
});

test("a check removes the copy of a killed one", async () => {
  const { gatehouse, folder } = await olderInstallation();
  const left = join(folder, `checking.${hostname()}.999999.part`);
  writeFileSync(left, "");
  await gatehouse(["migrate", "--check"]);
  expect(readdirSync(folder)).not.toContain(basename(left));
});

test("a new database needs no copy", async () => {
  const { gatehouse, env } = await createNewInstallation();
  const copies = join(dirname((env["DATABASE_URL"] ?? "").replace("sqlite:", "")), "copies");
  expect((await gatehouse(["migrate"], { env: { BACKUP_DIR: copies } })).exitCode).toBe(0);
  expect(readdirSync(dirname(copies))).not.toContain("copies");
});
