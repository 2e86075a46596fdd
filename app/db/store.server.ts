import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle as postgresQueries } from "drizzle-orm/pg-proxy";
import { type SqliteRemoteDatabase, drizzle as sqliteQueries } from "drizzle-orm/sqlite-proxy";
import type { Config } from "#app/config.server.ts";
import type { Driver, Statement } from "./driver.server.ts";
import { openPostgres } from "./postgres.server.ts";
import * as postgresTables from "./schema.postgres.server.ts";
import type { Tables } from "./schema.server.ts";
import * as sqliteTables from "./schema.sqlite.server.ts";
import { outerScope, type Scope } from "./scope.server.ts";
import { openSqlite } from "./sqlite.server.ts";

/** Which database: a SQLite file or a PostgreSQL server. */
export type DatabaseTarget = Config["database"];

/**
 * The query builder, with SQLite's types on both databases. Repositories use await, `.returning()`,
 * `onConflictDoUpdate`, `$count`; never `.get()`, `.run()`.
 */
export type Queries = SqliteRemoteDatabase<Record<string, never>>;

/** A database, or one transaction on it. */
export type Store = {
  dialect: "sqlite" | "postgres";
  /** The tables. */
  t: Tables;
  q: Queries;
  /**
   * Does the work in one transaction: all of it is kept, or, when it throws, nothing.
   * The work must use the store it is given; any other one of the same database throws. Never await mail, network or
   * hashing inside: on SQLite it is the only writer. Inside a transaction it makes a part that can fail alone (a
   * savepoint).
   */
  tx<T>(work: (tx: Store) => Promise<T>): Promise<T>;
  /** Waits for the lock of this name until the transaction ends; throws outside one. */
  lock(name: string): Promise<void>;
  /** Runs plain SQL, a row is an object: for migrations and probes, never with values in it. */
  execute(sql: string): Promise<unknown[]>;
  /** Whether the error, or what caused it, is a value that must be unique and is not. */
  isUnique(error: unknown): boolean;
  close(): Promise<void>;
};

/**
 * Opens the database; it may be empty or older than the program until `migrateStore` ran.
 * `server: true` is for the serving process: a SQLite file has one, a second one throws StoreError "second server".
 */
export async function openStore(database: DatabaseTarget, options: { server?: boolean } = {}): Promise<Store> {
  const driver =
    database.dialect === "sqlite"
      ? openSqlite(database.file, { server: options.server ?? false })
      : openPostgres(database.url);
  return createStore(driver);
}

function createStore(driver: Driver): Store {
  // Knows in which scope the running code is, so that the outer store used inside a transaction is an error, and
  // neither a deadlock (SQLite) nor a write that survives the rollback (PostgreSQL).
  const inside = new AsyncLocalStorage<Scope>();

  function enter(scope: Scope): void {
    if (!scope.open) throw new Error("this transaction is over");
    const current = inside.getStore();
    if (current?.open && current !== scope) throw new Error("inside a transaction only its own store may be used");
  }

  async function transaction<T>(outer: Scope, work: (tx: Store) => Promise<T>): Promise<T> {
    enter(outer);
    const scope = await outer.begin();
    try {
      const result = await inside.run(scope, () => work(storeOf(scope)));
      scope.open = false;
      await scope.commit();
      return result;
    } catch (error) {
      scope.open = false;
      await scope.rollback();
      throw error;
    }
  }

  function storeOf(scope: Scope): Store {
    async function run(statement: Statement): Promise<unknown[]> {
      try {
        enter(scope);
        return await scope.run(statement);
      } catch (error) {
        // The query builder quotes the parameters in its error message: leave none.
        statement.params.length = 0;
        throw error;
      }
    }
    return {
      dialect: driver.dialect,
      ...queriesOf(driver.dialect, run),
      tx: (work) => transaction(scope, work),
      async lock(name) {
        enter(scope);
        await scope.lock(name);
      },
      execute: (sql) => run({ sql, params: [], shape: "objects" }),
      isUnique: driver.isUnique,
      close: () => driver.close(),
    };
  }

  return storeOf(outerScope(driver));
}

function queriesOf(
  dialect: Store["dialect"],
  run: (statement: Statement) => Promise<unknown[]>,
): Pick<Store, "t" | "q"> {
  if (dialect === "sqlite") {
    const q = sqliteQueries(async (sql, params) => ({ rows: await run({ sql, params, shape: "arrays" }) }));
    return { t: sqliteTables, q };
  }
  const q = postgresQueries(async (sql, params, method) => ({
    rows: await run({ sql, params, shape: method === "all" ? "arrays" : "objects" }),
  }));
  // The border of the two dialects, as in kit.postgres: the same calls, unrelated types.
  return { t: postgresTables, q: q as unknown as Queries };
}
