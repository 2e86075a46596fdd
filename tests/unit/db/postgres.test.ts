import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { withStore } from "#tests/support/databases.ts";
import { now } from "./rows.ts";

const group = { id: "1", name: "office", createdAt: now };
const HANG_UP = "SELECT pg_terminate_backend(pg_backend_pid())";

describe("a PostgreSQL store", () => {
  test("reconnects after the server has closed a connection", async () => {
    const store = await withStore("postgres");
    await expect(store.execute(HANG_UP)).rejects.toThrow();
    await createGroup(store, group);
    expect(await listGroups(store)).toHaveLength(1);
  });

  test("rolls back a transaction whose connection is closed between two statements, and continues", async () => {
    const store = await withStore("postgres");
    const cut = store.tx(async (tx) => {
      await createGroup(tx, group);
      const [row] = await tx.execute("SELECT pg_backend_pid() AS pid");
      const pid = Number(new Map(Object.entries(row ?? {})).get("pid"));
      await fromOutside(() => store.execute(`SELECT pg_terminate_backend(${pid})`));
      await new Promise((resolve) => setTimeout(resolve, 50));
      await createGroup(tx, { ...group, id: "2", name: "branch" });
    });
    await expect(cut).rejects.toThrow();
    expect(await listGroups(store)).toEqual([]);
  });

  test("limits the wait for an idle transaction", async () => {
    const store = await withStore("postgres");
    expect(await store.execute("SHOW idle_in_transaction_session_timeout")).toEqual([
      { idle_in_transaction_session_timeout: "10s" },
    ]);
  });
});

/** Runs a function outside of the current transaction's async context. */
const fromOutside = AsyncLocalStorage.snapshot();
