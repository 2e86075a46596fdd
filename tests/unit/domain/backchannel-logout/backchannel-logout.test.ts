import { describe, expect, it } from "vitest";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { deliverDueLogouts, type LogoutResponse } from "#app/domain/backchannel-logout/deliver.server.ts";
import { queueAllLogouts, queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { readLogoutQueue } from "#app/domain/backchannel-logout/state.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { installation } from "#tests/unit/domain/fixtures.ts";

const FAILED = { kind: "failed", reason: "status 503" } as const;

/** Creates three sessions at an application that wants logouts: two of Anna, one of Berta. */
async function signedIn(dialect: Dialect) {
  const deps = installation(await withStore(dialect));
  const { store, clock } = deps;
  const now = clock.now();
  const fields = { authMethod: "none", createdAt: now, updatedAt: now } as const;
  await createClient(store, {
    id: "suite",
    name: "Suite",
    backchannelLogoutUri: "https://suite.example/out",
    ...fields,
  });
  await createClient(store, { id: "maps", name: "Maps", ...fields });
  for (const [uid, accountId] of [
    ["one", "anna"],
    ["two", "anna"],
    ["three", "berta"],
  ] as const) {
    const authorizations = { suite: { sid: `sid of ${uid}` }, maps: { sid: `maps of ${uid}` }, unused: {} };
    const expiresAt = new Date(now.getTime() + 3_600_000);
    await saveRecord(store, { model: "Session", id: uid, uid, accountId, payload: { authorizations }, expiresAt });
  }
  const sent: string[] = [];
  function deliver(response: LogoutResponse = { kind: "delivered" }) {
    return deliverDueLogouts(deps, async ({ sid }) => {
      sent.push(sid);
      return response;
    });
  }
  const state = () => readLogoutQueue(deps);
  const end = (ending?: Parameters<typeof queueLogouts>[2]) =>
    store.tx((tx) => queueLogouts({ store: tx, now }, "anna", ending));
  const events = () => store.q.select().from(store.t.auditEvents);
  return { deps, store, clock, sent, deliver, state, end, events };
}

describe.each(dialects)("back-channel logouts on %s", (dialect) => {
  it.each([
    ["all sessions of the user", {}, ["sid of one", "sid of two"]],
    ["one session", { uid: "two" }, ["sid of two"]],
    ["all sessions but one", { exceptUid: "two" }, ["sid of one"]],
  ])("are queued for %s, at the applications that want them", async (_sessions, ending, sids) => {
    const { sent, deliver, end, state } = await signedIn(dialect);
    await end(ending);
    expect(await state()).toEqual({ waiting: sids.length, oldestSeconds: 0, failed: 0 });
    expect(await deliver()).toBe(sids.length);
    expect(sent.sort()).toEqual(sids);
    expect(await deliver()).toBe(0);
  });

  it("are queued for the sessions of all users after a restore", async () => {
    const { store, clock, sent, deliver } = await signedIn(dialect);
    await queueAllLogouts(store, clock.now());
    await deliver();
    expect(sent.sort()).toEqual(["sid of one", "sid of three", "sid of two"]);
  });

  it("wake the sender after the commit, and are lost with a rolled-back transaction", async () => {
    const { store, clock, end, state } = await signedIn(dialect);
    let woken = 0;
    store.events.on("logouts queued", () => {
      woken += 1;
    });
    const failed = store.tx(async (tx) => {
      await queueLogouts({ store: tx, now: clock.now() }, "anna");
      throw new Error("the change failed");
    });
    await expect(failed).rejects.toThrow("the change failed");
    expect([woken, (await state()).waiting]).toEqual([0, 0]);
    await end();
    expect([woken, (await state()).waiting]).toEqual([1, 2]);
  });

  it("that fail are sent again after growing delays, for a day, and then recorded as failed", async () => {
    const { clock, sent, deliver, end, state, events } = await signedIn(dialect);
    await end({ uid: "one" });
    // The next attempt after the last one of 24 hours would be too late.
    const waits = [0, 10, 60, 300, 1800, ...Array<number>(11).fill(7200)];
    for (const [index, seconds] of waits.entries()) {
      clock.advance(seconds - 1);
      await deliver(FAILED);
      expect(sent).toHaveLength(index);
      clock.advance(1);
      await deliver(FAILED);
      expect(sent).toHaveLength(index + 1);
      expect((await state()).waiting).toBe(index + 1 === waits.length ? 0 : 1);
    }
    expect(await state()).toMatchObject({ failed: 1 });
    const failure = {
      type: "backchannel-logout.failed",
      userId: "anna",
      clientId: "suite",
      detail: { reason: "status 503" },
    };
    expect(await events()).toMatchObject([failure]);
  });

  it("that fail for good are sent again if that cannot be recorded, and recorded then", async () => {
    const { store, clock, deliver, end, state, events } = await signedIn(dialect);
    await end({ uid: "one" });
    await store.execute("ALTER TABLE audit_events RENAME TO audit_events_away");
    await expect(deliver({ kind: "rejected", reason: "status 400" })).rejects.toThrow();
    await store.execute("ALTER TABLE audit_events_away RENAME TO audit_events");
    expect(await state()).toMatchObject({ waiting: 1, failed: 0 });
    clock.advance(60);
    await deliver({ kind: "rejected", reason: "status 400" });
    expect(await events()).toMatchObject([{ type: "backchannel-logout.failed" }]);
  });

  it("that a client rejects are not sent again", async () => {
    const { clock, deliver, end, state, sent } = await signedIn(dialect);
    await end({ uid: "one" });
    await deliver({ kind: "rejected", reason: "status 400" });
    clock.advance(HOUR_SECONDS);
    expect([await deliver(), sent, await state()]).toMatchObject([0, ["sid of one"], { waiting: 0, failed: 1 }]);
  });

  it("are sent once by two senders at the same time", async () => {
    const { deliver, end, sent } = await signedIn(dialect);
    await end();
    const delivered = await Promise.all([deliver(), deliver(), deliver()]);
    expect(delivered.reduce((sum, count) => sum + count)).toBe(2);
    expect(sent.sort()).toEqual(["sid of one", "sid of two"]);
  });
});
