import { describe, expect, it, onTestFinished } from "vitest";
import { clockBehindSeconds, warnOfClock } from "#app/domain/audit/clock-check.server.ts";
import { ACTIVITY_KINDS } from "#app/domain/audit/event-definition.ts";
import { AUDIT_EVENTS, findAuditEvent, listTypesOfKind } from "#app/domain/audit/events.ts";
import { type CountedEvent, instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation } from "#tests/unit/domain/fixtures.ts";

/** Creates an installation; `counted` lists what metrics count, `rows` reads the audit trail. */
async function recording(dialect: (typeof dialects)[number]) {
  const deps = installation(await withStore(dialect));
  const counted: CountedEvent[] = [];
  const listener = (event: CountedEvent) => void counted.push(event);
  instrumentation.on("audit event", listener);
  onTestFinished(() => void instrumentation.off("audit event", listener));
  const rows = () => deps.store.q.select().from(deps.store.t.auditEvents);
  const logged = () => deps.lines.map((line): Record<string, unknown> => JSON.parse(line));
  return { deps, counted, rows, logged };
}

const CHANGED = { type: "password.changed", outcome: "ok", userId: "anna" } as const;

describe.each(dialects)("a recorded event on %s", (dialect) => {
  it("is a row, a log line and a count, the last two only after the commit", async () => {
    const { deps, counted, rows, logged } = await recording(dialect);
    await deps.store.tx(async (store) => {
      await recordEvent({ ...deps, store }, CHANGED);
      expect([logged(), counted]).toEqual([[], []]);
    });
    expect(await rows()).toMatchObject([{ ...CHANGED, at: deps.clock.now(), address: null }]);
    expect(logged()).toMatchObject([{ event: "password.changed", outcome: "ok", userId: "anna", address: null }]);
    expect(counted).toEqual([{ type: "password.changed", outcome: "ok", reason: null }]);
  });

  it("leaves no trace if its transaction is rolled back, even one that is only logged", async () => {
    const { deps, counted, rows, logged } = await recording(dialect);
    const failed = deps.store.tx(async (store) => {
      await recordEvent({ ...deps, store }, CHANGED);
      await recordEvent({ ...deps, store }, { type: "settings.refused", outcome: "refused" });
      throw new Error("the change failed");
    });
    await expect(failed).rejects.toThrow("the change failed");
    expect([await rows(), logged(), counted]).toEqual([[], [], []]);
  });

  it("is only logged and counted if an attacker could repeat it without limit", async () => {
    const { deps, counted, rows, logged } = await recording(dialect);
    await recordEvent(deps, { type: "password-reset.refused", outcome: "refused", reason: "unknown user" });
    expect(await rows()).toEqual([]);
    expect(logged()).toMatchObject([{ event: "password-reset.refused", reason: "unknown user" }]);
    expect(counted).toHaveLength(1);
  });

  it("has printable names, the beginning of a long user agent, and the hash of a typed name in its row alone", async () => {
    const { deps, rows, logged } = await recording(dialect);
    const typed = { username: "anna\u202e\n", userAgent: "x".repeat(5_000), nameHash: "hash of a typed name" };
    await recordEvent(deps, { ...CHANGED, ...typed });
    const [line] = logged();
    expect(JSON.stringify(line)).not.toMatch(/\u202e|hash of a typed name/);
    expect(String(line?.["userAgent"]).length).toBeLessThanOrEqual(257);
    const { username, userAgent } = line ?? {};
    expect(await rows()).toMatchObject([{ detail: { username, userAgent, nameHash: "hash of a typed name" } }]);
  });

  it("of the future shows that the clock was set back, but for the seconds by which machines differ", async () => {
    const { deps, logged } = await recording(dialect);
    expect(await clockBehindSeconds(deps)).toBe(0);
    await recordEvent(deps, CHANGED);
    deps.clock.advance(-5);
    expect(await clockBehindSeconds(deps)).toBe(0);
    await warnOfClock(deps);
    expect(logged()).toHaveLength(1);
    deps.clock.advance(-115);
    expect(await clockBehindSeconds(deps)).toBe(120);
    await warnOfClock(deps);
    expect(logged()).toMatchObject([{}, { level: 40, behindSeconds: 120 }]);
  });
});

describe("the definition of an event", () => {
  it("is found by its stored type; that of another version has none", () => {
    expect(findAuditEvent("password.changed")).toBe(AUDIT_EVENTS["password.changed"]);
    for (const type of ["", "password", "toString", "__proto__"]) expect(findAuditEvent(type)).toBeNull();
  });

  it.each(ACTIVITY_KINDS)("has a text and a row for the user's recent activity, if it is of the kind %s", (kind) => {
    const types = listTypesOfKind(kind);
    expect(types).not.toEqual([]);
    for (const type of types) expect([type, findAuditEvent(type)]).toMatchObject([type, { stored: true }]);
    for (const type of types) expect([type, findAuditEvent(type)?.activity]).toEqual([type, expect.any(String)]);
  });
});
