import { describe, expect, test } from "vitest";
import {
  addRatePoints,
  findRateLimits,
  removeExpiredRateLimits,
  removeRateLimit,
} from "#app/db/repositories/rate-limits.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now } from "./rows.ts";

describe.each(dialects)("rate limits on %s", (dialect) => {
  test("points add up until the window of the first one ends", async () => {
    const store = await withStore(dialect);
    const add = (points: number, ms: number) =>
      addRatePoints(store, { key: "k", points, durationMs: 1000, now: at(ms) });
    expect(await add(1, 0)).toEqual({ key: "k", points: 1, expiresAt: at(1000) });
    expect(await add(2, 999)).toEqual({ key: "k", points: 3, expiresAt: at(1000) });
    expect(await add(-1, 999)).toEqual({ key: "k", points: 2, expiresAt: at(1000) });
    expect(await add(1, 1000)).toEqual({ key: "k", points: 1, expiresAt: at(2000) });
  });

  test("of a hundred concurrent calls every point counts, and each returns another number", async () => {
    const store = await withStore(dialect);
    const adding = Array.from({ length: 100 }, () =>
      addRatePoints(store, { key: "k", points: 1, durationMs: 1000, now }),
    );
    const seen = (await Promise.all(adding)).map((counter) => counter.points);
    expect(new Set(seen).size).toBe(100);
    expect(Math.max(...seen)).toBe(100);
  });

  test("a counter without an expiry keeps its points", async () => {
    const store = await withStore(dialect);
    await addRatePoints(store, { key: "k", points: 9, durationMs: null, now });
    expect(await findRateLimits(store, ["k"], at(1e12))).toEqual([{ key: "k", points: 9, expiresAt: null }]);
    expect(await addRatePoints(store, { key: "k", points: 1, durationMs: 1000, now: at(1e12) })).toEqual({
      key: "k",
      points: 10,
      expiresAt: null,
    });
  });

  test("up to six counters are found in the order of their keys, null for one that does not exist", async () => {
    const store = await withStore(dialect);
    for (const [index, key] of ["a", "b", "c", "d", "e"].entries())
      await addRatePoints(store, { key, points: index + 1, durationMs: 1000, now });
    const found = await findRateLimits(store, ["e", "none", "a", "d", "c", "b"], now);
    expect(found.map((row) => row?.points ?? null)).toEqual([5, null, 1, 4, 3, 2]);
  });

  test("an expired counter is not found, and is removed once", async () => {
    const store = await withStore(dialect);
    await addRatePoints(store, { key: "k", points: 5, durationMs: 1000, now });
    expect(await findRateLimits(store, ["k"], at(999))).toMatchObject([{ points: 5 }]);
    expect(await findRateLimits(store, ["k"], at(1000))).toEqual([null]);
    expect(await removeRateLimit(store, "k")).toBe(true);
    expect(await removeRateLimit(store, "k")).toBe(false);
  });

  test("expired counters are removed in batches", async () => {
    const store = await withStore(dialect);
    for (let index = 0; index < 5; index++) {
      await addRatePoints(store, { key: `k${index}`, points: 1, durationMs: 1000 + index, now });
    }
    await addRatePoints(store, { key: "for ever", points: 1, durationMs: null, now });
    const batch = () => removeExpiredRateLimits(store, { before: at(1003), batchSize: 3 });
    expect([await batch(), await batch(), await batch()]).toEqual([3, 1, 0]);
    expect(await store.q.$count(store.t.rateLimits)).toBe(2);
  });
});
