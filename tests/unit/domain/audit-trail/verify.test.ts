import { eq, gte, inArray, lte, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { auditHash } from "#app/db/audit-hash.server.ts";
import { appendAuditEvent, listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { removeOldAuditEvents } from "#app/domain/audit-trail/retention.server.ts";
import { verifyAuditChain } from "#app/domain/audit-trail/verify.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock, recordingLog, type TestClock } from "#tests/unit/domain/fixtures.ts";

const DAY_S = 24 * 60 * 60;
const NO_ACTOR = { userId: null, clientId: null, address: null, requestId: null };

/** Appends one event per day, in one transaction. */
function writeDays(store: Store, clock: TestClock, days: number): Promise<void> {
  return store.tx(async (tx) => {
    for (let day = 0; day < days; day += 1) {
      const detail = { reason: `day ${day}` };
      await appendAuditEvent(tx, { ...NO_ACTOR, type: "user.added", outcome: "ok", at: clock.now(), detail });
      clock.advance(DAY_S);
    }
  });
}

async function trailOf(store: Store, events: number) {
  const clock = fixedClock();
  await writeDays(store, clock, events);
  return { clock, numbers: (await listAuditEvents(store, { after: 0, limit: 10_000 })).map((one) => one.sequence) };
}

describe.each(dialects)("an audit trail on %s", (dialect) => {
  test("that is unchanged verifies, across pages too", async () => {
    const store = await withStore(dialect);
    const { numbers } = await trailOf(store, 1_001);
    const result = await verifyAuditChain({ store });
    expect(result).toMatchObject({ ok: true, events: 1_001, first: numbers[0], broken: [] });
    expect(result.last?.sequence).toBe(numbers.at(-1));
  });

  // Proves requirement 121.
  test.each([
    ["the outcome", { outcome: "refused" as const }],
    ["the user", { userId: "bernd" }],
    ["the detail", { detail: { reason: "another day" } }],
    ["the time", { at: new Date(0) }],
  ])("reveals the event in which %s was changed", async (_what, change) => {
    const store = await withStore(dialect);
    const [, , third = 0] = (await trailOf(store, 5)).numbers;
    const { auditEvents } = store.t;
    await store.q.update(auditEvents).set(change).where(eq(auditEvents.sequence, third));
    const { ok, broken } = await verifyAuditChain({ store });
    expect({ ok, broken }).toEqual({ ok: false, broken: [{ kind: "edited", sequence: third, after: null }] });
  });

  test("reveals the event after one that was replaced together with its hash", async () => {
    const store = await withStore(dialect);
    const [, second = 0, third] = (await trailOf(store, 5)).numbers;
    const { auditEvents } = store.t;
    const [event] = await listAuditEvents(store, { after: second - 1, limit: 1 });
    if (!event) throw new Error("there is no second event");
    const forged = { ...event, outcome: "failed" as const };
    await store.q
      .update(auditEvents)
      .set({ outcome: "failed", hash: auditHash(forged) })
      .where(eq(auditEvents.sequence, second));
    expect((await verifyAuditChain({ store })).broken).toEqual([{ kind: "unlinked", sequence: third, after: second }]);
  });

  test("reveals where events were removed, in the middle and at the start", async () => {
    const store = await withStore(dialect);
    const numbers = (await trailOf(store, 8)).numbers;
    const [first = 0, second, third, fourth, fifth = 0, sixth = 0, seventh] = numbers;
    const { auditEvents } = store.t;
    await store.q.delete(auditEvents).where(inArray(auditEvents.sequence, [first, fifth, sixth]));
    expect((await verifyAuditChain({ store })).broken).toEqual([
      { kind: "unlinked", sequence: second, after: null },
      { kind: "unlinked", sequence: seventh, after: fourth },
    ]);
    expect(third).toBeDefined();
  });

  test("reveals events that were reordered", async () => {
    const store = await withStore(dialect);
    const [, second = 0, third = 0] = (await trailOf(store, 4)).numbers;
    const { auditEvents } = store.t;
    const moves: [number, number][] = [
      [second, 9_999],
      [third, second],
      [9_999, third],
    ];
    for (const [from, to] of moves) {
      await store.q.update(auditEvents).set({ sequence: to }).where(eq(auditEvents.sequence, from));
    }
    const { ok, broken } = await verifyAuditChain({ store });
    expect(ok).toBe(false);
    expect(broken.map(({ sequence }) => sequence)).toEqual(expect.arrayContaining([second, third]));
  });

  // Proves requirement 121.
  test("that was truncated verifies in itself, but not with an earlier digest", async () => {
    const store = await withStore(dialect);
    const numbers = (await trailOf(store, 5)).numbers;
    const { last } = await verifyAuditChain({ store });
    if (!last) throw new Error("there are no events");
    expect(await verifyAuditChain({ store }, { digest: last })).toMatchObject({ ok: true });
    await store.q.delete(store.t.auditEvents).where(gte(store.t.auditEvents.sequence, last.sequence));
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true, events: 4 });
    expect((await verifyAuditChain({ store }, { digest: last })).broken).toEqual([
      { kind: "missing", sequence: last.sequence, after: numbers[3] },
    ]);
  });

  test("that was rewritten completely does not match the digest", async () => {
    const store = await withStore(dialect);
    await trailOf(store, 3);
    const { last } = await verifyAuditChain({ store });
    if (!last) throw new Error("there are no events");
    const other = { ...last, hash: "A".repeat(43) };
    expect((await verifyAuditChain({ store }, { digest: other })).broken).toEqual([
      { kind: "replaced", sequence: last.sequence, after: null },
    ]);
  });
});

describe.each(dialects)("events older than the retention, on %s", (dialect) => {
  const config = { auditRetentionDays: 30 };

  async function oldTrail() {
    const store = await withStore(dialect);
    const { clock, numbers } = await trailOf(store, 250);
    const { log } = recordingLog();
    return { store, clock, log, config, numbers };
  }

  test("are removed, newer ones stay, and the trail verifies", async () => {
    const context = await oldTrail();
    const { store, clock, numbers } = context;
    expect(await removeOldAuditEvents(context)).toBe(220);
    const remaining = await listAuditEvents(store, { after: 0, limit: 1_000 });
    const cutoff = clock.now().getTime() - 30 * DAY_S * 1000;
    expect(remaining.slice(0, -1).every(({ at }) => at.getTime() >= cutoff)).toBe(true);
    expect(remaining.map(({ sequence }) => sequence).slice(0, 30)).toEqual(numbers.slice(220));
    expect(remaining.at(-1)).toMatchObject({ type: "audit.trimmed", detail: { through: numbers[219] } });
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true, events: 31, first: numbers[220] });
  });

  test("are removed once a day, however often it runs, also by two processes at once", async () => {
    const context = await oldTrail();
    const { store, clock } = context;
    await Promise.all([removeOldAuditEvents(context), removeOldAuditEvents(context)]);
    expect(await removeOldAuditEvents(context)).toBe(0);
    expect(await cuts(store)).toBe(1);
    for (let hour = 0; hour < 30; hour += 1) {
      clock.advance(60 * 60);
      await removeOldAuditEvents(context);
    }
    expect(await cuts(store)).toBe(2);
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true });
  });

  test("are removed at the next run if the process died, and the trail verifies all the time", async () => {
    const context = await oldTrail();
    const { store, numbers } = context;
    await removeOldAuditEvents(context);
    const [event] = await listAuditEvents(store, { after: 0, limit: 1 });
    if (!event) throw new Error("there is no event");
    // A row that an interrupted clean-up did not delete.
    const at = new Date(event.at.getTime() - DAY_S * 1000);
    await store.q.insert(store.t.auditEvents).values({ ...event, at, sequence: numbers[219] ?? 0, hash: "left" });
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true });
    expect(await removeOldAuditEvents(context)).toBe(1);
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true });
  });

  test("are removed also after an event of a clock that was years ahead, which is removed with its neighbours", async () => {
    const store = await withStore(dialect);
    const clock = fixedClock();
    const { log } = recordingLog();
    const context = { store, clock, log, config };
    const aheadSeconds = 5 * 365 * DAY_S;
    await writeDays(store, clock, 10);
    clock.advance(aheadSeconds);
    await writeDays(store, clock, 1);
    clock.advance(-aheadSeconds);
    await writeDays(store, clock, 29);
    // The event of the wrong clock is 29 days old, those before it are older than 30.
    expect(await removeOldAuditEvents(context)).toBe(10);
    const [ahead] = await listAuditEvents(store, { after: 0, limit: 1 });
    expect(ahead?.at.getTime()).toBeGreaterThan(clock.now().getTime());
    await writeDays(store, clock, 20);
    expect(await removeOldAuditEvents(context)).toBe(20);
    const remaining = await listAuditEvents(store, { after: 0, limit: 100 });
    expect(remaining.every(({ at }) => at <= clock.now())).toBe(true);
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true });
  });

  test("do not hide the removal of a newer event", async () => {
    const context = await oldTrail();
    const { store, numbers } = context;
    await removeOldAuditEvents(context);
    await store.q.delete(store.t.auditEvents).where(lte(store.t.auditEvents.sequence, numbers[221] ?? 0));
    expect((await verifyAuditChain({ store })).broken).toEqual([
      { kind: "unlinked", sequence: numbers[222], after: null },
    ]);
  });

  async function cuts(store: Store): Promise<number> {
    const { auditEvents } = store.t;
    return store.q.$count(auditEvents, sql`${auditEvents.type} = 'audit.trimmed'`);
  }
});
