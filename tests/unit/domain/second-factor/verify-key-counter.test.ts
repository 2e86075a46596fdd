import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { checkKey, keyOf, METADATA, onlyKey, pendingToken, signInWith, withAnna } from "./key-fixtures.ts";

const { browser } = METADATA;

describe.each(dialects)("the counter and the backup of a security key on %s", (dialect) => {
  it("of two simultaneous responses with the same counter, one is accepted, and the key is flagged", async () => {
    const deps = await withAnna(dialect);
    const key = await keyOf(deps.store, deps.anna.id, { bend: { counter: 0 } });
    const outcomes = await Promise.all(["a", "b"].map((uid) => signInWith(uid, deps, key, { counter: 9 })));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["refused", "verified"]);
    expect(outcomes).toContainEqual({ kind: "refused", reason: "counter" });
    expect(await onlyKey(deps.store, deps.anna.id)).toMatchObject({ counter: 9, flaggedAt: expect.any(Date) });
  });

  it.each([
    ["lower", 6, 5],
    ["equal", 6, 6],
    ["gone back to 0", 6, 0],
  ])("a counter that is %s is refused, and the key is flagged", async (_what, before, now) => {
    const { context, anna, store, clock } = await withAnna(dialect);
    const key = await keyOf(store, anna.id, { bend: { counter: before } });
    const mfaToken = await pendingToken(context, anna);
    expect(await checkKey(context, mfaToken, key, { counter: now })).toEqual({ kind: "refused", reason: "counter" });
    expect(await onlyKey(store, anna.id)).toMatchObject({ counter: before, lastUsedAt: null, flaggedAt: clock.now() });
    const [event] = await listAuditEvents(store, { after: 0, limit: 10 });
    expect(event).toMatchObject({
      type: "security-key.flagged",
      outcome: "refused",
      userId: anna.id,
      detail: { reason: "security key" },
    });
    expect(await findPending(context, { mfaToken, browser })).not.toBeNull();
  });

  it("a flagged key is accepted with a higher counter, and stays flagged", async () => {
    const deps = await withAnna(dialect);
    const { anna, store, clock } = deps;
    const key = await keyOf(store, anna.id, { bend: { counter: 6 } });
    await signInWith("a", deps, key, { counter: 6 });
    const flaggedAt = clock.now();
    clock.advance(60);
    expect(await signInWith("b", deps, key, { counter: 5 })).toMatchObject({ kind: "refused" });
    expect(await signInWith("c", deps, key, { counter: 7 })).toMatchObject({ kind: "verified" });
    expect(await onlyKey(store, anna.id)).toMatchObject({ counter: 7, flaggedAt });
  });

  // Proves requirement 49.
  it("a key cannot be flagged without its signature", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const key = await keyOf(store, anna.id, { bend: { counter: 6 } });
    const mfaToken = await pendingToken(context, anna);
    const signature = () => Buffer.from("3006020101020101", "hex");
    expect(await checkKey(context, mfaToken, key, { counter: 1, signature })).toEqual({
      kind: "refused",
      reason: "verification",
    });
    expect(await onlyKey(store, anna.id)).toMatchObject({ flaggedAt: null });
  });

  it("a key without a counter is accepted again and again", async () => {
    const deps = await withAnna(dialect);
    const key = await keyOf(deps.store, deps.anna.id, { bend: { counter: 0 } });
    for (const uid of ["a", "b", "c"]) {
      expect(await signInWith(uid, deps, key, { counter: 0 })).toMatchObject({ kind: "verified" });
    }
    expect(await onlyKey(deps.store, deps.anna.id)).toMatchObject({ counter: 0, flaggedAt: null });
  });

  it("the largest possible counter is stored", async () => {
    const deps = await withAnna(dialect);
    const key = await keyOf(deps.store, deps.anna.id);
    expect(await signInWith("a", deps, key, { counter: 0xffffffff })).toMatchObject({ kind: "verified" });
    expect(await onlyKey(deps.store, deps.anna.id)).toMatchObject({ counter: 0xffffffff });
  });

  // Proves requirement 46.
  it.each([
    ["becomes eligible", { be: false }, { be: true, bs: false }],
    ["becomes eligible and backed up", { be: false }, { be: true, bs: true }],
    ["is no longer eligible", { be: true, bs: true }, { be: false, bs: false }],
    ["is backed up", { be: true }, { be: true, bs: true }],
  ])("a key whose backup %s is accepted; that is stored, and recorded once", async (_what, registered, now) => {
    const deps = await withAnna(dialect);
    const key = await keyOf(deps.store, deps.anna.id, { bend: registered });
    for (const uid of ["a", "b"]) expect(await signInWith(uid, deps, key, now)).toMatchObject({ kind: "verified" });
    expect(await onlyKey(deps.store, deps.anna.id)).toMatchObject({ backupEligible: now.be, backedUp: now.bs });
    const events = await listAuditEvents(deps.store, { after: 0, limit: 10 });
    expect(events.map(({ type, outcome, userId }) => [type, outcome, userId])).toEqual([
      ["security-key.backup-changed", "ok", deps.anna.id],
    ]);
  });

  it("a key whose backup changed with a counter that did not increase is refused, and keeps its flags", async () => {
    const deps = await withAnna(dialect);
    const key = await keyOf(deps.store, deps.anna.id, { bend: { counter: 6 } });
    expect(await signInWith("a", deps, key, { counter: 6, be: true, bs: true })).toMatchObject({ reason: "counter" });
    expect(await onlyKey(deps.store, deps.anna.id)).toMatchObject({ backupEligible: false, backedUp: false });
    const events = await listAuditEvents(deps.store, { after: 0, limit: 10 });
    expect(events.map(({ type }) => type)).toEqual(["security-key.flagged"]);
  });
});
