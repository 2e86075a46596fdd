import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { readVersion } from "#app/config/version.server.ts";
import { findNewerMigrations, listPendingMigrations, migrateStore, tryMigrations } from "#app/db/migrations.server.ts";
import * as postgresTables from "#app/db/postgres/schema.server.ts";
import { findClient, removeClient } from "#app/db/repositories/clients.server.ts";
import { createGroup, findGroup } from "#app/db/repositories/groups.server.ts";
import { rememberBrowser } from "#app/db/repositories/known-browsers.server.ts";
import { findUser, findUserByLoginName } from "#app/db/repositories/users.server.ts";
import { defineSchema } from "#app/db/schema.server.ts";
import { sqliteColumnTypes } from "#app/db/sqlite/columns.server.ts";
import * as sqliteTables from "#app/db/sqlite/schema.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { ALL_DIALECTS, createEmptyDatabase, type Dialect, dialects } from "#tests/support/databases.ts";
import { findKnownBrowser } from "#tests/unit/db/known-browser.ts";
import { generateMigrations } from "../../../scripts/generate-migrations.mjs";
import { now, storedUser } from "./rows.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

async function emptyDatabase(dialect: Dialect) {
  const database = await createEmptyDatabase(dialect);
  onTestFinished(database.remove);
  return async function open() {
    const store = await openStore(database.target);
    onTestFinished(() => store.close());
    return store;
  };
}

/** Copies the product's migrations and adds one step. */
function migrationsWith(name: string, statements: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, "drizzle"), folder, { recursive: true });
  addMigration(folder, name, statements);
  return folder;
}

function addMigration(folder: string, name: string, statements: string): void {
  for (const dialect of dialects) {
    const journal = join(folder, dialect, "meta", "_journal.json");
    const { entries } = JSON.parse(readFileSync(journal, "utf8"));
    writeFileSync(journal, JSON.stringify({ entries: [...entries, { tag: name }] }));
    writeFileSync(join(folder, dialect, `${name}.sql`), statements);
  }
}

/** Copies the product's migrations up to this one. */
function migrationsUntil(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, "drizzle"), folder, { recursive: true });
  for (const dialect of dialects) {
    const journal = join(folder, dialect, "meta", "_journal.json");
    const { entries } = z
      .object({ entries: z.array(z.object({ tag: z.string() })) })
      .parse(JSON.parse(readFileSync(journal, "utf8")));
    writeFileSync(journal, JSON.stringify({ entries: entries.filter(({ tag }) => tag <= name) }));
  }
  return folder;
}

/** An SQL expression for a time. */
function timeOf(dialect: Dialect): string {
  return dialect === "sqlite" ? "0" : "now()";
}

async function definitionOf(store: Store, table: string): Promise<string> {
  const [row] = await store.execute(`SELECT sql FROM sqlite_master WHERE name = '${table}'`);
  return z.object({ sql: z.string() }).parse(row).sql;
}

describe.each(dialects)("migrations on %s", (dialect) => {
  test("migrate an empty database, and do nothing the second time", async () => {
    const store = await (await emptyDatabase(dialect))();
    const planned = await listPendingMigrations(store);
    expect(planned.length).toBeGreaterThan(0);
    expect(await migrateStore(store)).toEqual(planned);
    expect(await listPendingMigrations(store)).toEqual([]);
    expect(await migrateStore(store)).toEqual([]);
  });

  test("a plan changes nothing", async () => {
    const store = await (await emptyDatabase(dialect))();
    const planned = await listPendingMigrations(store);
    expect(await listPendingMigrations(store)).toEqual(planned);
  });

  test("add what an older database lacks, and keep its rows", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store);
    await createGroup(store, { id: "1", name: "office", requireMfa: true, createdAt: new Date(0) });
    const folder = migrationsWith(
      "9999_more",
      "CREATE TABLE more (id text);--> statement-breakpoint\nDROP TABLE more;",
    );
    expect(await migrateStore(store, { folder })).toEqual(["9999_more"]);
    expect(await findGroup(store, "1")).toMatchObject({ name: "office" });
  });

  test("fill the canonical form of stored e-mail addresses, by which users are found", async () => {
    const store = await (await emptyDatabase(dialect))();
    const before = migrationsUntil("0007_index_emails");
    await migrateStore(store, { folder: before });
    for (const [id, email] of [
      ["1", "'Anna.Berg@Office.example'"],
      ["2", "NULL"],
    ])
      await store.execute(
        `INSERT INTO users (id, username, username_canonical, display_name, email, email_verified, permissions, created_at, updated_at)
         SELECT '${id}', 'user ${id}', 'user ${id}', 'User', ${email}, TRUE, '[]', ${timeOf(dialect)}, ${timeOf(dialect)}`,
      );
    await migrateStore(store);
    expect(await findUserByLoginName(store, { canonical: "", email: "anna.berg@office.example" })).toMatchObject({
      id: "1",
      email: "Anna.Berg@Office.example",
    });
    expect(await findUser(store, "2")).toMatchObject({ email: null, emailCanonical: null });
  });

  test("rename the counters of three limits, and no others", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store, { folder: migrationsUntil("0008_canonical_emails") });
    const keys = ["sign-in/strangers:all", "second-factor/unremarkable:1", "second-factor/told:1", "sign-in/name:told"];
    for (const key of keys) await store.execute(`INSERT INTO rate_limits (key, points) VALUES ('${key}', 1)`);
    await migrateStore(store);
    const rows = await store.execute("SELECT key FROM rate_limits ORDER BY key");
    expect(rows).toEqual([
      { key: "second-factor/notices:1" },
      { key: "second-factor/tolerated:1" },
      { key: "sign-in/name:told" },
      { key: "sign-in/unknown-browsers:all" },
    ]);
  });

  test("leave existing applications open to everyone, and keep the logouts that wait for them", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store, { folder: migrationsUntil("0010_unchecked_restore") });
    const time = timeOf(dialect);
    const lists = ["redirect_uris", "post_logout_redirect_uris", "scopes", "settings_return_uris", "reg_hints"];
    await store.execute(
      `INSERT INTO clients (id, name, auth_method, created_at, updated_at, ${lists.join(", ")})
       VALUES ('desk', 'Desk', 'none', ${time}, ${time}, ${lists.map(() => "'[]'").join(", ")})`,
    );
    await store.execute(
      `INSERT INTO backchannel_logouts (id, client_id, user_id, sid, attempts, next_attempt_at, created_at)
       VALUES ('s', 'desk', 'anna', 's', 3, ${time}, ${time})`,
    );
    await migrateStore(store);
    expect(await findClient(store, "desk")).toMatchObject({ access: "everyone", requireMfa: false });
    const waiting = { id: "s", clientId: "desk", userId: "anna", sid: "s", attempts: 3, removedClient: null };
    expect(await store.q.select().from(store.t.backchannelLogouts)).toMatchObject([waiting]);
    expect(await removeClient(store, "desk")).toBe(true);
    expect(await store.q.$count(store.t.backchannelLogouts)).toBe(1);
  });

  test("fill the last sign-in of users from the audit trail of an older version", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store, { folder: migrationsUntil("0012_logouts_outlive_clients") });
    const time = timeOf(dialect);
    for (const id of ["used", "unused"]) {
      await store.execute(
        `INSERT INTO users (id, username, username_canonical, display_name, permissions, created_at, updated_at)
         VALUES ('${id}', '${id}', '${id}', 'User', '[]', ${time}, ${time})`,
      );
    }
    const at = (hour: number) => new Date(Date.UTC(2026, 1, 1, hour));
    const [early, late, later] = [at(6), at(8), at(10)];
    for (const [moment, type] of [
      [late, "sign-in.succeeded"],
      [early, "sign-in.succeeded"],
      [later, "sign-in.refused"],
    ] as const) {
      const value = dialect === "sqlite" ? moment.getTime() : `'${moment.toISOString()}'`;
      await store.execute(
        `INSERT INTO audit_events (at, type, user_id, outcome, detail, previous_hash, hash)
         VALUES (${value}, '${type}', 'used', 'ok', '{}', '', '${moment.getTime()}')`,
      );
    }
    await migrateStore(store);
    expect(await findUser(store, "used")).toMatchObject({ lastSignedInAt: late });
    expect(await findUser(store, "unused")).toMatchObject({ lastSignedInAt: null });
  });

  test("a failing migration leaves no changes, and can be repeated", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store);
    const broken = migrationsWith("9999_more", "CREATE TABLE more (id text);--> statement-breakpoint\nNONSENSE;");
    await expect(migrateStore(store, { folder: broken })).rejects.toThrow(/NONSENSE/);
    const repaired = migrationsWith("9999_more", "CREATE TABLE more (id text);");
    expect(await migrateStore(store, { folder: repaired })).toEqual(["9999_more"]);
  });

  test("if the second of two migrations fails, the first is rolled back too", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store);
    const folder = migrationsWith("9998_more", "CREATE TABLE more (id text);");
    addMigration(folder, "9999_broken", "INSERT INTO missing VALUES (1);");
    await expect(migrateStore(store, { folder })).rejects.toThrow(/missing/);
    await expect(store.execute("SELECT * FROM more")).rejects.toThrow(/more/);
    expect(await listPendingMigrations(store)).toEqual([]);
  });

  test("trying migrations finds a failing one, and changes nothing", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store);
    const folder = migrationsWith("9998_more", "CREATE TABLE more (id text);");
    expect(await tryMigrations(store, { folder })).toEqual(["9998_more"]);
    addMigration(folder, "9999_broken", "INSERT INTO missing VALUES (1);");
    await expect(tryMigrations(store, { folder })).rejects.toThrow(/missing/);
    await expect(store.execute("SELECT * FROM more")).rejects.toThrow(/more/);
    expect(await tryMigrations(store)).toEqual([]);
  });

  test("a database of 0.2.0, which recorded no versions, is migrated", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store);
    await store.execute("ALTER TABLE schema_migrations DROP COLUMN version");
    const folder = migrationsWith("9999_more", "CREATE TABLE more (id text);");
    expect(await migrateStore(store, { folder })).toEqual(["9999_more"]);
    const rows = await store.execute("SELECT name, version FROM schema_migrations ORDER BY name");
    expect([rows[0], rows.at(-1)]).toEqual([
      { name: "0000_first_tables", version: null },
      { name: "9999_more", version: readVersion() },
    ]);
  });

  test("four processes that start simultaneously migrate once", async () => {
    const open = await emptyDatabase(dialect);
    const stores = await Promise.all([open(), open(), open(), open()]);
    const planned = await listPendingMigrations(stores[0]);
    const done = await Promise.all(stores.map((store) => migrateStore(store)));
    expect(done.flat()).toEqual(planned);
  });

  test("a database that is newer than the program is refused with a helpful message", async () => {
    const store = await (await emptyDatabase(dialect))();
    await migrateStore(store, { folder: migrationsWith("9999_from_the_future", "CREATE TABLE more (id text);") });
    const refusal = { code: "database newer", message: expect.stringMatching(/Gatehouse \d.*9999_from_the_future/) };
    await expect(migrateStore(store)).rejects.toMatchObject(refusal);
    await expect(listPendingMigrations(store)).rejects.toMatchObject(refusal);
    await expect(tryMigrations(store)).rejects.toMatchObject(refusal);
    expect(await findNewerMigrations(store)).toEqual({ names: ["9999_from_the_future"], version: readVersion() });
  });
});

describe("migrations on SQLite", () => {
  test("rebuilding a table does not delete the rows that reference it", async () => {
    const store = await (await emptyDatabase("sqlite"))();
    await migrateStore(store);
    await storedUser(store, "Anna");
    await rememberBrowser(store, { userId: "id of anna", browserHash: "b", now });
    const steps = [
      (await definitionOf(store, "users")).replace("`users`", "`new_users`"),
      "INSERT INTO new_users SELECT * FROM users",
      "DROP TABLE users",
      "ALTER TABLE new_users RENAME TO users",
    ];
    const folder = migrationsWith("9999_rebuild", steps.join(";\n--> statement-breakpoint\n"));
    expect(await migrateStore(store, { folder })).toEqual(["9999_rebuild"]);
    expect(await findUser(store, "id of anna")).toMatchObject({ username: "Anna" });
    expect(await findKnownBrowser(store, "id of anna", "b")).not.toBeNull();
  });

  test("a migration that leaves dangling references is rolled back", async () => {
    const store = await (await emptyDatabase("sqlite"))();
    await migrateStore(store);
    const folder = migrationsWith("9999_orphan", "INSERT INTO known_browsers VALUES ('nobody', 'b', 0, 0);");
    await expect(migrateStore(store, { folder })).rejects.toThrow(/9999_orphan leaves 1 rows/);
    expect(await store.execute("SELECT * FROM known_browsers")).toEqual([]);
  });
});

test("the migrations match the schema, with the same names for both databases", async () => {
  expect(await generateMigrations(root, { check: true })).toEqual([]);
  const [one, other] = ALL_DIALECTS.map((dialect) => readdirSync(join(root, "drizzle", dialect)));
  expect(one).toEqual(other);
});

test("every table of the schema is exported for both databases", () => {
  const names = Object.keys(defineSchema(sqliteColumnTypes)).sort();
  expect(Object.keys(sqliteTables).sort()).toEqual(names);
  expect(Object.keys(postgresTables).sort()).toEqual(names);
});
