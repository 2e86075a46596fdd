import { describe, expect, test } from "vitest";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { now } from "./rows.ts";

const group = (name: string) => ({ id: name, name, createdAt: now });

describe.each(dialects)("what is to be told after a commit (%s)", (dialect) => {
  test("is told after it, before its transaction answers, and outside of one at once", async () => {
    const store = await withStore(dialect);
    const told: string[] = [];
    store.afterCommit(() => told.push("outside"));
    expect(told).toEqual(["outside"]);
    await store.tx(async (tx) => {
      await createGroup(tx, group("office"));
      tx.afterCommit(() => told.push("first"));
      // Registered on the outer store, but run within the transaction.
      store.afterCommit(() => told.push("second"));
      expect(told).toHaveLength(1);
    });
    expect(told).toEqual(["outside", "first", "second"]);
  });

  test("is never told of what was undone, alone or with all around it", async () => {
    const store = await withStore(dialect);
    const told: string[] = [];
    const undone = new Error("changed my mind");
    await store.tx(async (tx) => {
      await tx
        .tx(async (part) => {
          part.afterCommit(() => told.push("part undone"));
          throw undone;
        })
        .catch(() => {});
      await tx.tx(async (part) => part.afterCommit(() => told.push("part kept")));
      expect(told).toEqual([]);
    });
    expect(told).toEqual(["part kept"]);

    const all = store.tx(async (tx) => {
      await tx.tx(async (part) => part.afterCommit(() => told.push("kept in vain")));
      tx.afterCommit(() => told.push("undone"));
      throw undone;
    });
    await expect(all).rejects.toThrow(undone);
    expect(told).toEqual(["part kept"]);
  });

  test("is told of work whose commits are waited for at its end, once they are there", async () => {
    const store = await withStore(dialect);
    const told: string[][] = [];
    await store.withDeferredDurability(async () => {
      await store.tx(async (tx) => {
        await createGroup(tx, group("office"));
        tx.afterCommit(() => told.push(["office"]));
      });
    });
    expect(told).toEqual([(await listGroups(store)).map(({ name }) => name)]);
  });
});
