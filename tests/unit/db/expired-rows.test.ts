import { describe, expect, test } from "vitest";
import { countExpired } from "#app/db/repositories/expired-rows.server.ts";
import { rememberBrowser, removeExpiredBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { insertManageChain, removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { insertManageSession, removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import { addRatePoints } from "#app/db/repositories/rate-limits.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now, storedUser } from "./rows.ts";

const userId = "id of anna";

describe.each(dialects)("expired rows on %s", (dialect) => {
  test("of page sessions and chains are counted, and removed in batches", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    const fields = { userId, generation: 1, createdAt: now, lastUsedAt: now };
    for (let index = 0; index < 5; index += 1) {
      const expiresAt = at(index);
      const tokenHash = hashToken(`session ${index}`);
      await insertManageSession(store, { ...fields, tokenHash, browserHash: "b", expiresAt });
      const chain = { ...fields, id: `chain ${index}`, counter: 0, expiresAt };
      expect(await insertManageChain(store, chain)).toBe(true);
      expect(await insertManageChain(store, chain)).toBe(false);
    }
    await addRatePoints(store, { key: "counter", points: 1, durationMs: 2, now });
    await addRatePoints(store, { key: "for ever", points: 1, durationMs: null, now });
    expect([await countExpired(store, at(-1)), await countExpired(store, at(2))]).toEqual([0, 7]);
    const batch = { before: at(2), batchSize: 2 };
    for (const remove of [removeExpiredManageChains, removeExpiredManageSessions])
      expect([await remove(store, batch), await remove(store, batch), await remove(store, batch)]).toEqual([2, 1, 0]);
    expect(await countExpired(store, at(2))).toBe(1);
    expect(await store.q.$count(store.t.manageSessions)).toBe(2);
    expect(await store.q.$count(store.t.manageChains)).toBe(2);
  });

  test("of known browsers are removed in batches, except the latest of each user", async () => {
    const store = await withStore(dialect);
    for (const name of ["Anna", "Berta"]) {
      const { id } = await storedUser(store, name);
      for (let index = 0; index < 4; index += 1)
        await rememberBrowser(store, { userId: id, browserHash: `browser ${index}`, now: at(index) });
    }
    await rememberBrowser(store, { userId, browserHash: "new", now: at(100) });
    const batch = { before: at(50), batchSize: 4 };
    const removed = [await removeExpiredBrowsers(store, batch), await removeExpiredBrowsers(store, batch)];
    expect([...removed, await removeExpiredBrowsers(store, batch)]).toEqual([4, 3, 0]);
    const left = await store.q.select().from(store.t.knownBrowsers);
    expect(left.map((row) => [row.userId, row.browserHash]).sort()).toEqual([
      [userId, "new"],
      ["id of berta", "browser 3"],
    ]);
  });
});
