import { describe, expect, test } from "vitest";
import { auditHash } from "#app/db/audit-hash.server.ts";
import { appendAuditEvent, listAuditEvents, type NewAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { now } from "./rows.ts";

function event(fields: Partial<NewAuditEvent> = {}): NewAuditEvent {
  return {
    at: now,
    type: "sign-in",
    userId: "anna",
    clientId: null,
    address: "192.0.2.1",
    requestId: "7f3k-92qd",
    outcome: "ok",
    detail: {},
    ...fields,
  };
}

describe.each(dialects)("audit events on %s", (dialect) => {
  test("each event contains the hash of the previous one, also with fifty concurrent calls, inside and outside transactions", async () => {
    const store = await withStore(dialect);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const one = event({ detail: { index } });
        return index % 2 ? appendAuditEvent(store, one) : store.tx((tx) => appendAuditEvent(tx, one));
      }),
    );
    const events = await listAuditEvents(store, { after: 0, limit: 100 });
    expect(events).toHaveLength(50);
    expect(events.map((row) => row.previousHash)).toEqual(["", ...events.map((row) => row.hash).slice(0, -1)]);
    expect(events.map(auditHash)).toEqual(events.map((row) => row.hash));
  });

  test("the hash verifies after reading back, whatever the detail contains, and changes with every field", async () => {
    const store = await withStore(dialect);
    const detail = { zeta: "ü \u2028 \0 👍", alpha: { b: [1, { d: 1, c: 2 }], a: null }, 10: 0.1, 9: -1e21 };
    await appendAuditEvent(store, event({ detail }));
    const [stored] = await listAuditEvents(store, { after: 0, limit: 1 });
    expect(stored?.detail).toEqual(detail);
    expect(stored && auditHash(stored)).toBe(stored?.hash);
    const changes = [
      { userId: "bert" },
      { outcome: "failed" as const },
      { detail: {} },
      { at: new Date(now.getTime() + 1) },
    ];
    for (const change of changes) expect(stored && auditHash({ ...stored, ...change })).not.toBe(stored?.hash);
  });

  test("an event of a transaction that is rolled back leaves no gap in the chain", async () => {
    const store = await withStore(dialect);
    const first = await appendAuditEvent(store, event());
    const undone = store.tx(async (tx) => {
      await appendAuditEvent(tx, event({ type: "undone" }));
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    expect(await appendAuditEvent(store, event())).toMatchObject({ previousHash: first.hash });
  });

  test("events are listed in order, from any position, optionally of one user", async () => {
    const store = await withStore(dialect);
    const stored: AuditEvent[] = [];
    for (const userId of ["anna", "bert", "anna", null]) stored.push(await appendAuditEvent(store, event({ userId })));
    const [first, second, third, fourth] = stored;
    expect(await listAuditEvents(store, { after: 0, limit: 2 })).toEqual([first, second]);
    expect(await listAuditEvents(store, { after: second?.sequence ?? 0, limit: 9 })).toEqual([third, fourth]);
    expect(await listAuditEvents(store, { after: 0, limit: 9, userId: "anna" })).toEqual([first, third]);
  });
});
