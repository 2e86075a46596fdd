import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle as sqliteQueries } from "drizzle-orm/sqlite-proxy";
import type { Config } from "#app/config/config.ts";
import { openSqlite } from "#app/db/sqlite/connection.server.ts";
import * as sqliteTables from "#app/db/sqlite/schema.server.ts";
import type { BackgroundDriver, Driver, Statement } from "./driver.server.ts";
import { isUnavailable } from "./errors.server.ts";
import type { Builder, Queries, Run } from "./queries.server.ts";
import type { Tables } from "./schema.server.ts";
import { outerScope, type Scope } from "./transaction.server.ts";

/** Which database: a SQLite file or a PostgreSQL server. */
export type DatabaseTarget = Config["database"];

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
  /** Whether this is one transaction, and not the database. */
  isTransaction: boolean;
  /**
   * Tells somebody of what was done, once nothing can undo it any more: after the commit of the transaction that the
   * running code is in, and never when that is undone or fails; outside one at once. The work must not throw.
   */
  afterCommit(work: () => void): void;
  /**
   * Does work of many short statements and transactions that need not each wait for the disk: they are safe, all of
   * them, when this has ended, and it rejects when one was lost. Until then nobody outside may be told of them: no
   * answer, no mail, no call to another server in the work. Each is still kept or undone for itself.
   */
  withDeferredDurability<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Does long work that nobody waits for, in statements that stand alone, beside everything else; what it has done may
   * be lost with the power. Throws in a transaction.
   */
  inBackground<T>(work: (background: BackgroundStore) => Promise<T>): Promise<T>;
  /** Waits for the lock of this name until the transaction ends; throws outside one. */
  lock(name: string): Promise<void>;
  /** Runs plain SQL, a row is an object: for migrations and probes, never with values in it. */
  execute(sql: string): Promise<unknown[]>;
  /** Tells whoever listens (`onAudit`) that an event was added to the audit trail; its commit may be still to come. */
  audited(): void;
  /** The one who writes the audit trail down elsewhere. */
  onAudit(listener: () => void): void;
  /** Whether the error, or what caused it, is a value that must be unique and is not. */
  isUnique(error: unknown): boolean;
  /** Whether the error, or what caused it, is a database that is locked, restarting or unreachable: 503, try again. */
  isUnavailable(error: unknown): boolean;
  /** Throws StoreError "replaced" while the open SQLite file is no longer the one at its path. */
  requireSameFile(): void;
  close(): Promise<void>;
};

/** A database for long work; it has no transactions. */
export type BackgroundStore = Store & Pick<BackgroundDriver, "settle">;

/**
 * Opens the database; it may be empty or older than the program until `migrateStore` ran.
 * `server: true` is for the serving process: a SQLite file has one, a second one throws StoreError "second server".
 */
export async function openStore(database: DatabaseTarget, options: { server?: boolean } = {}): Promise<Store> {
  if (database.dialect === "sqlite") {
    return createStore(openSqlite(database.file, { server: options.server ?? false }), sqliteBuilder);
  }
  // Read on demand: most installations have a file, and reading the other driver is a tenth of their start.
  const [{ openPostgres }, { postgresBuilder }] = await Promise.all([
    import("#app/db/postgres/connection.server.ts"),
    import("#app/db/postgres/queries.server.ts"),
  ]);
  return createStore(openPostgres(database.url), postgresBuilder);
}

function createStore(driver: Driver, builderOn: (run: Run) => Builder): Store {
  // Knows in which scope the running code is, so that the outer store used inside a transaction is an error, and
  // neither a deadlock (SQLite) nor a write that survives the rollback (PostgreSQL).
  const inside = new AsyncLocalStorage<Scope>();
  const outer = outerScope(driver);
  // One store per depth serves all transactions, so that queries are put together once (`prepared`).
  const stores: Store[] = [];
  let auditListener = () => {};

  /** Where a statement of the store of this depth runs now. */
  function scopeAt(depth: number): Scope {
    const current = inside.getStore();
    if (depth > 0 && !current?.open) throw new Error("this transaction is over");
    const scope = current?.open ? current : outer;
    if (scope.depth !== depth) throw new Error("inside a transaction only its own store may be used");
    return scope;
  }

  async function transaction<T>(depth: number, work: (tx: Store) => Promise<T>): Promise<T> {
    const scope = await scopeAt(depth).begin();
    try {
      const result = await inside.run(scope, () => work(storeAt(scope.depth)));
      scope.open = false;
      await scope.commit();
      return result;
    } catch (error) {
      scope.open = false;
      await scope.rollback();
      throw error;
    }
  }

  function storeAt(depth: number): Store {
    const known = stores[depth] ?? createAt(depth);
    stores[depth] = known;
    return known;
  }

  function createAt(depth: number): Store {
    async function run(statement: Statement): Promise<unknown[]> {
      try {
        return await scopeAt(depth).run(statement);
      } catch (error) {
        // The query builder quotes the parameters in its error message: leave none.
        statement.params.length = 0;
        throw error;
      }
    }
    return {
      dialect: driver.dialect,
      ...builderOn(run),
      tx: (work) => transaction(depth, work),
      isTransaction: depth > 0,
      afterCommit(work) {
        const current = inside.getStore();
        (current?.open ? current : outer).afterCommit(work);
      },
      withDeferredDurability: driver.withDeferredDurability,
      async inBackground(work) {
        scopeAt(0);
        const background = driver.background();
        const store = createStore(background, builderOn);
        return work({ ...store, settle: background.settle }).finally(store.close);
      },
      lock: async (name) => scopeAt(depth).lock(name),
      execute: (sql) => run({ sql, params: [], shape: "objects" }),
      audited: () => auditListener(),
      onAudit(listener) {
        auditListener = listener;
      },
      isUnique: driver.isUnique,
      isUnavailable,
      requireSameFile: driver.requireSameFile,
      // One that was ever used is asked at every later promise of the process.
      close: () => driver.close().finally(() => inside.disable()),
    };
  }

  return storeAt(0);
}

/** The query builder on the store's own statements. */
function sqliteBuilder(run: Run): Builder {
  const q = sqliteQueries(async (sql, params) => ({ rows: await run({ sql, params, shape: "arrays" }) }));
  return { t: sqliteTables, q };
}
