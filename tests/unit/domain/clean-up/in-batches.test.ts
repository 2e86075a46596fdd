import { existsSync, statSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { removeExpiredRecords, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import { createDatabase, dialects, withStore } from "#tests/support/databases.ts";
import { at, now } from "#tests/unit/db/rows.ts";

vi.setConfig({ testTimeout: 120_000 });

const clock = { now: () => new Date() };

const ROWS = 2_000;
/** A WAL of 1000 pages (SQLite's default checkpoint limit) plus two batches. */
const MOST_WAL_BYTES = 12 * 1024 * 1024;

async function openFile() {
  const database = await createDatabase("sqlite");
  const store = await openStore(database.target, { server: true });
  onTestFinished(async () => {
    await store.close();
    await database.remove();
  });
  const file = database.target.dialect === "sqlite" ? database.target.file : "";
  return { store, file };
}

/** Inserts expired rows in shuffled key order, like the engine's records. */
async function fill(store: Store) {
  await store.tx(async (tx) => {
    for (let row = 0; row < ROWS; row += 1) {
      const id = `${(row * 7919) % 100_003}-${row}`;
      await saveRecord(tx, {
        ...{ model: "AccessToken", id, payload: { text: "x".repeat(300) }, expiresAt: at(-1) },
        ...{ grantId: `grant-${id}`, accountId: `person-${row % 64}`, clientId: "app", userCode: null, uid: null },
      });
    }
  });
}

const removeExpired = (store: Store) =>
  inBatches({ store, clock }, (part, batchSize) => removeExpiredRecords(part, { before: now, batchSize }));

describe.each(dialects)("removing expired rows in batches (%s)", (dialect) => {
  test("removes all of them, and other work goes on meanwhile", async () => {
    const store = await withStore(dialect);
    await fill(store);
    let isOver = false;
    const removing = removeExpired(store).finally(() => {
      isOver = true;
    });
    const names: string[] = [];
    while (!isOver) {
      const name = `group ${names.length}`;
      await store.tx((tx) => createGroup(tx, { id: name, name, createdAt: now }));
      names.push(name);
    }
    expect(await removing).toBe(ROWS);
    expect(await store.q.$count(store.t.oidcRecords)).toBe(0);
    expect(names.length).toBeGreaterThan(10);
    expect((await listGroups(store)).map(({ name }) => name).sort()).toEqual(names.sort());
    expect(await removeExpired(store)).toBe(0);
  });
});

describe("removing expired rows in batches on SQLite", () => {
  test("does not let the WAL grow", async () => {
    const { store, file } = await openFile();
    await fill(store);
    await store.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    await removeExpired(store);
    expect(statSync(`${file}-wal`).size).toBeLessThan(MOST_WAL_BYTES);
  });

  test("ends when the store is closed, and leaves no WAL behind", async () => {
    const { store, file } = await openFile();
    await fill(store);
    const removing = removeExpired(store).catch(() => "broken off");
    // The removal has started, but is not finished.
    await expect.poll(() => store.q.$count(store.t.oidcRecords), { interval: 1 }).toBeLessThan(ROWS - 200);
    await store.close();
    expect(await removing).toBe("broken off");
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});
