import { describe, expect, test } from "vitest";
import { countExpired } from "#app/db/repositories/expired-rows.server.ts";
import { rememberBrowser, removeExpiredBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { insertManageChain, removeExpiredManageChains } from "#app/db/repositories/manage-chains.server.ts";
import { insertManageSession, removeExpiredManageSessions } from "#app/db/repositories/manage-sessions.server.ts";
import { addRatePoints } from "#app/db/repositories/rate-limits.server.ts";
import { putRememberedDevice, removeInvalidDevices } from "#app/db/repositories/remembered-devices.server.ts";
import { type UserSlice, userSlices } from "#app/db/repositories/user-slices.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now, storedUser } from "./rows.ts";

const userId = "id of anna";

/** Returns the slices of two users. */
async function slicesOf(store: Store): Promise<UserSlice[]> {
  const slices: UserSlice[] = [];
  for await (const slice of userSlices(store, 2)) slices.push(slice);
  return slices;
}

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
    const batch = { slice: { after: null, through: null }, before: at(50), batchSize: 4 };
    const removed = [await removeExpiredBrowsers(store, batch), await removeExpiredBrowsers(store, batch)];
    expect([...removed, await removeExpiredBrowsers(store, batch)]).toEqual([4, 3, 0]);
    const left = await store.q.select().from(store.t.knownBrowsers);
    expect(left.map((row) => [row.userId, row.browserHash]).sort()).toEqual([
      [userId, "new"],
      ["id of berta", "browser 3"],
    ]);
  });

  test("of browsers are removed for one slice of users at a time, and the slices cover every user", async () => {
    const store = await withStore(dialect);
    for (const name of ["Anna", "Berta", "Clara", "Dora", "Emil"]) {
      const { id } = await storedUser(store, name);
      for (const index of [0, 1]) {
        const browserHash = `browser ${index}`;
        await rememberBrowser(store, { userId: id, browserHash, now: at(index) });
        const times = { createdAt: now, expiresAt: at(index) };
        const fields = { generation: 1, userAgent: "", ...times, tokenHash: hashToken(`${name} ${index}`) };
        await putRememberedDevice(store, { id: `${name} ${index}`, userId: id, browserHash, ...fields });
      }
    }
    const removed: [number, number][] = [];
    for await (const slice of userSlices(store, 2)) {
      const all = { slice, before: now, rememberedBefore: at(-1), batchSize: 50 };
      const devices = await removeInvalidDevices(store, all);
      removed.push([devices, await removeExpiredBrowsers(store, { slice, before: at(50), batchSize: 50 })]);
    }
    expect(removed).toEqual([
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
    expect(await store.q.$count(store.t.knownBrowsers)).toBe(5);
    expect(await store.q.$count(store.t.rememberedDevices)).toBe(5);
  });

  test("of browsers have one slice without users, and an empty last one if the users fill the others", async () => {
    const store = await withStore(dialect);
    expect(await slicesOf(store)).toEqual([{ after: null, through: null }]);
    for (const name of ["Anna", "Berta"]) await storedUser(store, name);
    expect(await slicesOf(store)).toEqual([
      { after: null, through: "id of berta" },
      { after: "id of berta", through: null },
    ]);
  });
});
