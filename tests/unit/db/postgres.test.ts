import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { databaseUrl, showDatabase } from "#app/config/database-value.server.ts";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { createDatabase, withStore } from "#tests/support/databases.ts";
import { now } from "./rows.ts";

const group = { id: "1", name: "office", createdAt: now };
const HANG_UP = "SELECT pg_terminate_backend(pg_backend_pid())";

/** libpq's forms of a Unix socket (section 34.1.1 of its manual). */
const SOCKET_URLS: [string, (part: SocketParts) => string][] = [
  [
    "postgresql:///DB?host=FOLDER&user=USER",
    (s) => `postgresql:///${s.db}?${s.query}&user=${s.user}&password=${s.password}`,
  ],
  ["postgresql://USER@/DB?host=FOLDER", (s) => `postgresql://${s.user}:${s.password}@/${s.db}?${s.query}`],
  [
    "postgresql://USER@%2FFOLDER:PORT/DB",
    (s) => `postgresql://${s.user}:${s.password}@${encodeURIComponent(s.folder)}:${s.port}/${s.db}`,
  ],
];

type SocketParts = Record<"user" | "password" | "db" | "folder" | "port" | "query", string>;

/** Returns the socket of the server at this URL. */
async function socketOf(store: Store, text: string): Promise<SocketParts> {
  const { username: user, password, port, pathname } = new URL(text);
  const [row] = await store.execute("SELECT split_part(current_setting('unix_socket_directories'), ',', 1) AS folder");
  const folder = String(new Map(Object.entries(row ?? {})).get("folder"));
  return { user, password, port, folder, db: pathname.slice(1), query: `host=${folder}&port=${port}` };
}

describe("a PostgreSQL store", () => {
  test.each(SOCKET_URLS)(
    "%s connects by a Unix socket, which messages show without the password",
    async (_form, urlOf) => {
      const { target, remove } = await createDatabase("postgres");
      onTestFinished(remove);
      if (target.dialect !== "postgres") throw new Error("PostgreSQL was asked for");
      const direct = await openStore(target);
      const parts = await socketOf(direct, target.url).finally(() => direct.close());
      const database = databaseUrl().parse(urlOf(parts));
      const store = await openStore(database);
      onTestFinished(() => store.close());
      expect(await store.execute("SELECT inet_server_addr() IS NULL AS local")).toEqual([{ local: true }]);
      expect(showDatabase(database)).toContain(`${encodeURIComponent(parts.folder)}`);
      expect(showDatabase(database)).not.toContain(parts.password);
    },
  );

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
      const running = `SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`;
      await fromOutside(() => vi.waitFor(async () => expect(await store.execute(running)).toEqual([])));
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
