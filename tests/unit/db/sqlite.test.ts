import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { migrateStore } from "#app/db/migrations.server.ts";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { hideValuesFromPlanner } from "#app/db/sqlite/connection.server.ts";
import { openStore } from "#app/db/store.server.ts";

const group = { id: "1", name: "office", requireMfa: false, createdAt: new Date(0) };

function newFile() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "deeper", "gatehouse.sqlite");
}

async function open(file: string, options: { server?: boolean } = {}) {
  const store = await openStore({ dialect: "sqlite", file }, options);
  onTestFinished(() => store.close());
  return store;
}

function modeOf(file: string) {
  return (statSync(file).mode & 0o777).toString(8);
}

describe("a SQLite store", () => {
  test.each([
    ["synchronous", { synchronous: 2 }],
    ["journal_mode", { journal_mode: "wal" }],
    ["foreign_keys", { foreign_keys: 1 }],
    ["trusted_schema", { trusted_schema: 0 }],
    ["secure_delete", { secure_delete: 1 }],
  ])("is opened with the correct %s, every time", async (pragma, expected) => {
    const file = newFile();
    await migrateStore(await open(file));
    const again = await open(file);
    expect(await again.execute(`PRAGMA ${pragma}`)).toEqual([expected]);
  });

  test.each([{ server: false }, { server: true }])(
    "is not opened in place of a folder, which stays as it is: %o",
    async (options) => {
      const folder = mkdtempSync(join(tmpdir(), "gatehouse-folder-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const found = `${folder} is a folder, not the file of a database. Nothing was changed.`;
      const remedy = `Name a file, for example in DATABASE_URL: sqlite:${folder}/gatehouse.sqlite`;
      chmodSync(folder, 0o755);
      await expect(open(folder, options)).rejects.toMatchObject({
        code: "not writable",
        message: `${found}\n${remedy}`,
      });
      expect([modeOf(folder), readdirSync(folder), existsSync(`${folder}.lock`)]).toEqual(["755", [], false]);
    },
  );

  test("keeps its foreign keys after a migration", async () => {
    const store = await open(newFile());
    await migrateStore(store);
    expect(await store.execute("PRAGMA foreign_keys")).toEqual([{ foreign_keys: 1 }]);
  });

  test("is readable by its owner only, including WAL and SHM, whatever the umask", async () => {
    const file = newFile();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const store = await open(file, { server: true });
    await migrateStore(store);
    await createGroup(store, group);
    expect([file, `${file}-wal`, `${file}-shm`, `${file}.lock`].map(modeOf)).toEqual(["600", "600", "600", "600"]);
  });

  test("removes the permissions of others from an existing file", async () => {
    const file = join(newFile(), "..", "..", "found.sqlite");
    for (const part of [file, `${file}-wal`]) {
      writeFileSync(part, "");
      chmodSync(part, 0o644);
    }
    await open(file);
    expect([file, `${file}-wal`].map(modeOf)).toEqual(["600", "600"]);
  });

  test("releases the lock if the file is not a database", async () => {
    const file = join(newFile(), "..", "..", "text.sqlite");
    writeFileSync(file, "this is no database, but long enough to be taken for one ".repeat(20));
    await expect(openStore({ dialect: "sqlite", file }, { server: true })).rejects.toThrow(/not a database/);
    writeFileSync(file, "");
    await open(file, { server: true });
  });

  test("leaves no WAL or SHM when it is closed", async () => {
    const file = newFile();
    const store = await openStore({ dialect: "sqlite", file });
    await migrateStore(store);
    await store.close();
    expect([`${file}-wal`, `${file}-shm`].map((path) => existsSync(path))).toEqual([false, false]);
  });

  test("allows one server per file; a command may open it beside the server", async () => {
    const file = newFile();
    const server = await open(file, { server: true });
    await migrateStore(server);
    await expect(openStore({ dialect: "sqlite", file }, { server: true })).rejects.toMatchObject({
      code: "second server",
      message: expect.stringContaining(file),
    });
    const command = await open(file);
    await createGroup(command, group);
    expect(await listGroups(server)).toHaveLength(1);
  });

  test("releases the lock for the next server when it is closed", async () => {
    const file = newFile();
    const first = await openStore({ dialect: "sqlite", file }, { server: true });
    await first.close();
    await open(file, { server: true });
  });

  test("is locked against another process until that one is killed", async () => {
    const file = newFile();
    const lockHolder = await startLockHolder(file);
    await expect(openStore({ dialect: "sqlite", file }, { server: true })).rejects.toMatchObject({
      code: "second server",
    });
    lockHolder.kill("SIGKILL");
    await once(lockHolder, "exit");
    const store = await open(file, { server: true });
    expect(await listGroups(store)).toEqual([]);
  });

  test("waits for a command that writes, and does other work meanwhile", async () => {
    const file = newFile();
    const server = await open(file, { server: true });
    await migrateStore(server);
    const command = await open(file);
    const order: string[] = [];
    const locked = Promise.withResolvers<void>();
    const otherWork = Promise.withResolvers<void>();
    const writing = command.tx(async (tx) => {
      await createGroup(tx, group);
      locked.resolve();
      await otherWork.promise;
      order.push("command");
    });
    await locked.promise;
    const waiting = createGroup(server, { ...group, id: "2", name: "branch" }).then(() => order.push("server"));
    setImmediate(() => {
      order.push("other work");
      otherWork.resolve();
    });
    await Promise.all([writing, waiting]);
    expect(order).toEqual(["other work", "command", "server"]);
    expect(await listGroups(server)).toHaveLength(2);
  });

  test("reports a busy database if the other process does not finish", { timeout: 15_000 }, async () => {
    const file = newFile();
    const server = await open(file, { server: true });
    await migrateStore(server);
    const other = new Database(file);
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    await expect(createGroup(server, group)).rejects.toMatchObject({ cause: { code: "SQLITE_BUSY" } });
    other.exec("COMMIT");
    await createGroup(server, group);
  });
});

describe("the values of a statement", () => {
  test("are hidden from the planner, which would compile it again for each run", () => {
    const statement = `select a from "b?" where a = ? and c in (?, ?) and d <> 'it''s ?' limit ?`;
    const hidden = `select a from "b?" where a = +? and c in (+?, +?) and d <> 'it''s ?' limit +?`;
    expect(hideValuesFromPlanner(statement)).toBe(hidden);
  });

  test("do not change by this", () => {
    const database = new Database(":memory:");
    onTestFinished(() => void database.close());
    for (const value of ["text", "1", "", 1, 1.5, -1n, Buffer.from("bytes"), null]) {
      const [plain] = database.prepare("select ? as value, typeof(?) as type").all(value, value);
      const hidden = hideValuesFromPlanner("select ? as value, typeof(?) as type");
      expect(database.prepare(hidden).all(value, value)).toEqual([plain]);
    }
  });
});

async function startLockHolder(file: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("./hold-store.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [first] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  expect(String(first)).toBe("holding\n");
  return child;
}
