import { describe, expect, test } from "vitest";
import { addBackchannelLogouts, countLogouts, settleLogout } from "#app/db/repositories/backchannel-logouts.server.ts";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { removeOldLogouts } from "#app/domain/clean-up/remove-old-logouts.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/durations.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now } from "./rows.ts";

describe.each(dialects)("the queue of back-channel logouts on %s", (dialect) => {
  /** Queues one delivered logout, one that was given up, and one that is due since `now`. */
  async function queue() {
    const store = await withStore(dialect);
    await createClient(store, {
      id: "app",
      name: "app",
      authMethod: "none",
      backchannelLogoutUri: "https://app.example/out",
      createdAt: now,
      updatedAt: now,
    });
    const session = (sid: string) => ({ clientId: "app", userId: "anna", sid });
    await addBackchannelLogouts(store, [session("delivered"), session("failed"), session("waiting")], now);
    await settleLogout(store, "delivered", { nextAttemptAt: null, sentAt: now });
    await settleLogout(store, "failed", { nextAttemptAt: null, failedAt: now, lastError: "status 503" });
    const idsAfter = async (ms: number) => {
      await removeOldLogouts({ store, clock: { now: () => at(ms) } });
      const rows = await store.q.select({ id: store.t.backchannelLogouts.id }).from(store.t.backchannelLogouts);
      return rows.map(({ id }) => id).toSorted();
    };
    return { store, idsAfter };
  }

  test("counts those that wait, since when, and those that failed since a moment", async () => {
    const { store } = await queue();
    expect(await countLogouts(store, { failedSince: now })).toEqual({ waiting: 1, oldest: now, failed: 1 });
    expect(await countLogouts(store, { failedSince: at(1) })).toMatchObject({ failed: 0 });
    await settleLogout(store, "waiting", { nextAttemptAt: null, sentAt: now });
    expect(await countLogouts(store, { failedSince: now })).toEqual({ waiting: 0, oldest: null, failed: 1 });
  });

  test("keeps delivered logouts for ten minutes, failed and unattempted ones for a week", async () => {
    const { idsAfter } = await queue();
    expect(await idsAfter(10 * MINUTE_MS - 1)).toEqual(["delivered", "failed", "waiting"]);
    expect(await idsAfter(10 * MINUTE_MS)).toEqual(["failed", "waiting"]);
    expect(await idsAfter(7 * DAY_MS - 1)).toEqual(["failed", "waiting"]);
    expect(await idsAfter(7 * DAY_MS)).toEqual([]);
  });
});
