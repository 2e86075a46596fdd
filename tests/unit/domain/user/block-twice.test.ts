import { expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { lastAuditEvents } from "#app/domain/audit-trail/read.server.ts";
import { blockUser, changeStatus, unblockUser } from "#app/domain/user/block.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, dialects, withTwoStores } from "#tests/support/databases.ts";
import { installation, putUser } from "#tests/unit/domain/fixtures.ts";

test.each(dialects)(
  "a user who is blocked is not blocked again: the reason stays, and one event, on %s",
  async (dialect) => {
    const [store, otherStore] = await withTwoStores(dialect);
    const [context, other] = [installation(store), installation(otherStore)];
    const anna = await putUser(store, { username: "anna", displayName: "Anna" });
    const raw = [{ line: 2, fields: { username: "anna", display_name: "Anna", status: "blocked" } }];
    const { rows } = await planImport(context, raw, { onConflict: "update" });
    const later: Promise<unknown>[] = [];
    const held = beforeEachCommit(store, async (tx) => {
      later.push(blockUser(other, "anna"), applyImport(other, rows));
      await whenWaiting(tx, 2);
    });
    await held.tx((tx) => changeStatus({ ...context, store: tx }, anna, "blocked", { blockReason: "Long leave" }));
    await Promise.all(later);
    await blockUser(context, "anna");
    expect(await findUser(store, anna.id)).toMatchObject({ status: "blocked", blockReason: "Long leave" });
    expect((await lastAuditEvents(context, {}, 10)).map(({ type }) => type)).toEqual(["user.blocked"]);
  },
);

test.each(dialects)(
  "an active user who is unblocked keeps sessions, and of two unblocks one is recorded, on %s",
  async (dialect) => {
    const [store, otherStore] = await withTwoStores(dialect);
    const [context, other] = [installation(store), installation(otherStore)];
    const { id, generation } = await putUser(store, { username: "anna", displayName: "Anna" });
    expect(await unblockUser(context, "anna")).toBe(false);
    expect(await findUser(store, id)).toMatchObject({ status: "active", generation });
    await blockUser(context, "anna");
    const results = await Promise.all([unblockUser(context, "anna"), unblockUser(other, "anna")]);
    expect(results.sort()).toEqual([false, true]);
    expect(await findUser(store, id)).toMatchObject({ status: "active", generation: generation + 2 });
    const events = await lastAuditEvents(context, {}, 10);
    expect(events.map(({ type }) => type)).toEqual(["user.blocked", "user.unblocked"]);
  },
);
