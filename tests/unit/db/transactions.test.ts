import { describe, expect, test } from "vitest";
import { createGroup, findGroupByName, listGroups } from "#app/db/repositories/groups.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";

function group(name: string) {
  return { id: `id of ${name}`, name, requireMfa: false, createdAt: new Date(0) };
}

function signal() {
  let send = () => {};
  const received = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { send: () => send(), received };
}

async function names(store: Store) {
  return (await listGroups(store)).map((row) => row.name);
}

describe.each(dialects)("transactions on %s", (dialect) => {
  test("a commit keeps the writes", async () => {
    const store = await withStore(dialect);
    const response = await store.tx(async (tx) => {
      await createGroup(tx, group("office"));
      return "done";
    });
    expect(response).toBe("done");
    expect(await names(store)).toEqual(["office"]);
  });

  test("an error rolls back all writes, also after a pause", async () => {
    const store = await withStore(dialect);
    const failing = store.tx(async (tx) => {
      await createGroup(tx, group("before"));
      await new Promise((resolve) => setImmediate(resolve));
      await createGroup(tx, group("after"));
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await names(store)).toEqual([]);
  });

  test("using the outer store inside a transaction throws at once and rolls back", async () => {
    const store = await withStore(dialect);
    const failing = store.tx(async (tx) => {
      await createGroup(tx, group("inner"));
      await createGroup(store, group("outer"));
    });
    await expect(failing).rejects.toMatchObject({ cause: { message: /only its own store/ } });
    expect(await names(store)).toEqual([]);
  });

  test("a transaction of the outer store inside a transaction throws instead of a deadlock", async () => {
    const store = await withStore(dialect);
    await expect(store.tx(() => store.tx(async () => {}))).rejects.toThrow(/only its own store/);
  });

  test("using a store after its transaction throws", async () => {
    const store = await withStore(dialect);
    const leaked = await store.tx(async (tx) => ({ tx }));
    await expect(createGroup(leaked.tx, group("late"))).rejects.toMatchObject({ cause: { message: /is over/ } });
    expect(await names(store)).toEqual([]);
  });

  test("another store may be used inside a transaction", async () => {
    const [store, other] = await Promise.all([withStore(dialect), withStore(dialect)]);
    await store.tx(async (tx) => {
      await createGroup(tx, group("here"));
      await createGroup(other, group("there"));
    });
    expect([await names(store), await names(other)]).toEqual([["here"], ["there"]]);
  });

  test("a rollback undoes all writes and resolves to its value", async () => {
    const store = await withStore(dialect);
    const refused = await store.tx<string>(async (tx) => {
      await createGroup(tx, group("office"));
      return rollback("refused");
    });
    expect(refused).toBe("refused");
    expect(await names(store)).toEqual([]);
  });

  test("a transaction inside a transaction throws", async () => {
    const store = await withStore(dialect);
    await expect(store.tx((tx) => tx.tx(async () => {}))).rejects.toThrow(/a transaction inside a transaction/);
  });

  test("work before the commit comes last and is undone with the rest", async () => {
    const store = await withStore(dialect);
    const run = (returned: string | ReturnType<typeof rollback<string>>) =>
      store.tx<string>(async (tx) => {
        tx.beforeCommit(async () => {
          await createGroup(tx, group(`sees ${(await names(tx)).join()}`));
        });
        await createGroup(tx, group("office"));
        return returned;
      });
    expect(await run(rollback("refused"))).toBe("refused");
    expect(await names(store)).toEqual([]);
    await run("done");
    expect(await names(store)).toEqual(["office", "sees office"]);
    const failing = store.tx(async (tx) => {
      await createGroup(tx, group("second"));
      tx.beforeCommit(async () => Promise.reject(new Error("cannot end")));
    });
    await expect(failing).rejects.toThrow("cannot end");
    expect(await names(store)).toEqual(["office", "sees office"]);
  });

  test("a transaction with a swallowed error does not commit", async () => {
    const store = await withStore(dialect);
    const swallowing = store.tx(async (tx) => {
      await createGroup(tx, group("twice"));
      await createGroup(tx, group("twice")).catch(() => {});
    });
    const settled = await Promise.allSettled([swallowing]);
    // SQLite rolls back the failed statement only; PostgreSQL rolls back the transaction, which must then reject.
    expect(await names(store)).toEqual(settled[0].status === "fulfilled" ? ["twice"] : []);
  });

  test("a transaction reads its own writes; others never see rolled-back ones", async () => {
    const store = await withStore(dialect);
    const wrote = signal();
    const failing = store.tx(async (tx) => {
      await createGroup(tx, group("office"));
      expect(await findGroupByName(tx, "office")).toMatchObject({ name: "office" });
      wrote.send();
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("changed my mind");
    });
    await wrote.received;
    const [seen] = await Promise.all([findGroupByName(store, "office"), expect(failing).rejects.toThrow()]);
    expect(seen).toBeNull();
  });

  test("twenty concurrent transactions that read and then write lose no update", async () => {
    const store = await withStore(dialect);
    const members = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(
      members.map((index) =>
        store.tx(async (tx) => {
          await tx.lock("count");
          const count = (await names(tx)).length;
          await createGroup(tx, group(`group ${index} saw ${count}`));
        }),
      ),
    );
    const seen = (await names(store)).map((name) => Number(name.split(" ").at(-1)));
    expect(seen.toSorted((one, other) => one - other)).toEqual(members);
  });

  test("a lock outside a transaction is refused", async () => {
    const store = await withStore(dialect);
    await expect(store.lock("count")).rejects.toThrow(/must be called inside a transaction/);
  });
});
