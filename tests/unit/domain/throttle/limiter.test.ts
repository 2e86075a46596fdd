import { describe, expect, it } from "vitest";
import { createLimiter, findWait } from "#app/domain/throttle/limiter.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock } from "#tests/unit/domain/fixtures.ts";

describe.each(dialects)("limiter on %s", (dialect) => {
  it("of 30 simultaneous events exactly as many pass as the limit allows", async () => {
    const deps = { store: await withStore(dialect), clock: fixedClock() };
    const limiter = createLimiter({ name: "test", points: 10, windowSeconds: 60 });
    const waits = await Promise.all(Array.from({ length: 30 }, () => limiter.count(deps, "key")));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
    expect(waits.filter((wait) => wait === 60)).toHaveLength(20);
  });

  it("the window begins with its first event and ends on time, whatever comes in between", async () => {
    const clock = fixedClock();
    const deps = { store: await withStore(dialect), clock };
    const limiter = createLimiter({ name: "test", points: 2, windowSeconds: 60 });
    expect(await limiter.count(deps, "key")).toBe(0);
    clock.advance(59.5);
    expect(await limiter.count(deps, "key")).toBe(0);
    expect(await limiter.count(deps, "key")).toBe(1);
    clock.advance(0.5);
    expect(await limiter.count(deps, "key")).toBe(0);
  });

  it("a reader waits as soon as the next event would exceed the limit, and counts nothing", async () => {
    const clock = fixedClock();
    const deps = { store: await withStore(dialect), clock };
    const first = { limiter: createLimiter({ name: "first", points: 2, windowSeconds: 60 }), key: "key" };
    const second = { limiter: createLimiter({ name: "second", points: 1, windowSeconds: 30 }), key: "key" };
    expect(await findWait(deps, [first, second])).toBe(0);
    await second.limiter.count(deps, "key");
    await first.limiter.count(deps, "key");
    expect(await findWait(deps, [first])).toBe(0);
    expect(await findWait(deps, [first, second])).toBe(30);
    await first.limiter.count(deps, "key");
    expect(await findWait(deps, [first, second])).toBe(60);
    clock.advance(60);
    expect(await findWait(deps, [first, second])).toBe(0);
  });

  it("all events are cleared, and other keys and limits are not affected", async () => {
    const deps = { store: await withStore(dialect), clock: fixedClock() };
    const limiter = createLimiter({ name: "test", points: 2, windowSeconds: 60 });
    const other = createLimiter({ name: "other", points: 2, windowSeconds: 60 });
    for (const each of [limiter, limiter, other, other]) await each.count(deps, "key");
    for (let n = 0; n < 2; n += 1) await limiter.count(deps, "second key");
    expect(await limiter.count(deps, "key")).toBe(60);
    await limiter.clear(deps, "key");
    expect(await limiter.count(deps, "key")).toBe(0);
    expect(await limiter.count(deps, "second key")).toBe(60);
    expect(await other.count(deps, "key")).toBe(60);
  });
});
