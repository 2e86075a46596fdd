import { describe, expect, test } from "vitest";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
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

  test("is never told of what was undone", async () => {
    const store = await withStore(dialect);
    const calls: string[] = [];
    const undone = new Error("changed my mind");
    const failing = store.tx(async (tx) => {
      tx.afterCommit(() => calls.push("undone"));
      throw undone;
    });
    await expect(failing).rejects.toThrow(undone);
    await store.tx(async (tx) => {
      tx.afterCommit(() => calls.push("rolled back"));
      return rollback(undefined);
    });
    expect(calls).toEqual([]);
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
