import { describe, expect, test } from "vitest";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { now } from "./rows.ts";

const group = (name: string) => ({ id: name, name, createdAt: now });

describe.each(dialects)("what is to be told after a commit (%s)", (dialect) => {
  test("is told after it, before its transaction answers, and outside of one at once", async () => {
    const store = await withStore(dialect);
    const calls: string[] = [];
    store.afterCommit(() => calls.push("outside"));
    expect(calls).toEqual(["outside"]);
    await store.tx(async (tx) => {
      await createGroup(tx, group("office"));
      tx.afterCommit(() => calls.push("first"));
      // Registered on the outer store, but run within the transaction.
      store.afterCommit(() => calls.push("second"));
      expect(calls).toHaveLength(1);
    });
    expect(calls).toEqual(["outside", "first", "second"]);
  });

  test("is never told of what was undone, alone or with all around it", async () => {
    const store = await withStore(dialect);
    const calls: string[] = [];
    const undone = new Error("changed my mind");
    await store.tx(async (tx) => {
      await tx
        .tx(async (savepoint) => {
          savepoint.afterCommit(() => calls.push("part undone"));
          throw undone;
        })
        .catch(() => {});
      await tx.tx(async (savepoint) => savepoint.afterCommit(() => calls.push("part kept")));
      expect(calls).toEqual([]);
    });
    expect(calls).toEqual(["part kept"]);

    const all = store.tx(async (tx) => {
      await tx.tx(async (savepoint) => savepoint.afterCommit(() => calls.push("kept in vain")));
      tx.afterCommit(() => calls.push("undone"));
      throw undone;
    });
    await expect(all).rejects.toThrow(undone);
    expect(calls).toEqual(["part kept"]);
  });

  test("is told of work whose commits are waited for at its end, once they are there", async () => {
    const store = await withStore(dialect);
    const calls: string[][] = [];
    await store.withDeferredDurability(async () => {
      await store.tx(async (tx) => {
        await createGroup(tx, group("office"));
        tx.afterCommit(() => calls.push(["office"]));
      });
    });
    expect(calls).toEqual([(await listGroups(store)).map(({ name }) => name)]);
  });
});
