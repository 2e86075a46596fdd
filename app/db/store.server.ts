import { AsyncLocalStorage } from "node:async_hooks";
import { EventEmitter } from "node:events";
import type { Config } from "#app/config/config.ts";
import { openSqlite } from "#app/db/sqlite/connection.server.ts";
import type { Driver, Queries, Statement } from "./driver.server.ts";
import { isUnavailable } from "./errors.server.ts";
import type { Tables } from "./schema.server.ts";
import { createRootScope, type Rollback, runTransaction, type Scope } from "./transaction.server.ts";

/** A SQLite file or a PostgreSQL server. */
export type DatabaseTarget = Config["database"];

/** Emitted by code that inserts rows for a worker. Listeners must not throw. */
export type StoreEvents = {
  /** An audit event was inserted; the transaction may still be open. */
  "audit event": [];
  /** A mail was committed to the outbox. */
  "mail queued": [];
  /** Back-channel logouts were committed. */
  "logouts queued": [];
};

/** A user with a role who acts for others: an administrator, or a help desk. */
export type Administrator = { userId: string; username: string };

/** A database, or one transaction on it. */
export type Store = {
  dialect: "sqlite" | "postgres";
  t: Tables;
  q: Queries;
  /**
   * Runs `work` in one transaction, and resolves to what it returns. The transaction is rolled back if `work` throws or
   * returns `rollback(value)`. `work` must use the store that it is passed; any other store of the same database throws,
   * and so does a transaction inside it. After a deadlock on PostgreSQL, `work` runs again: it must not change anything
   * but the database. Never await mail, network or hashing inside: on SQLite the transaction is the
   * only writer.
   */
  tx<Value>(work: (tx: Store) => Promise<Value | Rollback<Value>>): Promise<Value>;
  /** True for a transaction, false for the database. */
  isTransaction: boolean;
  /** The operating-system user of a command, who is added to each audit event; null in a server. */
  operator: string | null;
  /** The user who acts for others, who is added to each audit event; set by `actingAs`, null elsewhere. */
  administrator: Administrator | null;
  /**
   * Runs `work` at the end of the transaction, before the commit; not if it is rolled back. For locks that many
   * transactions wait for: taken last, they are held shortly and in one order. Throws outside a transaction.
   */
  beforeCommit(work: () => Promise<void>): void;
  /**
   * Calls `work` once the current transaction is durable; never if it is rolled back or its commit fails. Outside a transaction, calls it at once. `work` must not throw.
   */
  afterCommit(work: () => void): void;
  /**
   * Runs `work` without waiting for the disk after each statement and transaction. Resolves when all of them are
   * durable, and rejects if one was lost. Each still commits or rolls back on its own. `work` must not make its changes
   * visible to others before it ends: no response, no mail, no request to another server.
   */
  withDeferredDurability<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the named lock, which is held until the transaction ends; throws outside a transaction. */
  lock(name: string): Promise<void>;
  /** Runs plain SQL and returns the rows as objects. For migrations and probes; `sql` must not contain values. */
  execute(sql: string): Promise<unknown[]>;
  /** Wakes workers of this process; the same emitter for the database and all of its transactions. */
  events: EventEmitter<StoreEvents>;
  /** Returns true if the error, or one of its causes, is a violated unique constraint. */
  isUnique(error: unknown): boolean;
  /** Returns true if the error, or one of its causes, is a locked, restarting or unreachable database (503, retry). */
  isUnavailable(error: unknown): boolean;
  /** Throws StoreError "replaced" while the open SQLite file is no longer the one at its path. */
  requireSameFile(): void;
  close(): Promise<void>;
};

/**
 * Opens the database, which may be empty or outdated until `migrateStore` has run. `server: true` is for the serving
 * process; throws StoreError "second server" if another one serves the SQLite file.
 */
export async function openStore(
  database: DatabaseTarget,
  { server = false, operator = null }: { server?: boolean; operator?: string | null } = {},
): Promise<Store> {
  if (database.dialect === "sqlite") return createStore(openSqlite(database.file, { server }), operator);
  // Imported on demand: most installations use SQLite, and loading the PostgreSQL driver takes a tenth of their start.
  const { openPostgres } = await import("#app/db/postgres/connection.server.ts");
  return createStore(openPostgres(database.url), operator);
}

function createStore(driver: Driver, operator: string | null): Store {
  // The scope of the running code. With it, using the outer store inside a transaction throws; otherwise it would be a
  // deadlock (SQLite) or a write that survives the rollback (PostgreSQL).
  const currentScope = new AsyncLocalStorage<Scope>();
  const rootScope = createRootScope(driver);
  const events = new EventEmitter<StoreEvents>();

  /** Returns the scope in which a statement of the store runs: of the database, or of a transaction. */
  function scopeOf(isTransaction: boolean): Scope {
    const current = currentScope.getStore();
    if (isTransaction && !current?.open) throw new Error("this transaction is over");
    const scope = current?.open ? current : rootScope;
    if (scope.isTransaction !== isTransaction) throw new Error("inside a transaction only its own store may be used");
    return scope;
  }

  /** Creates the store of the database, or the one that all transactions share, so that queries are built once. */
  function create(isTransaction: boolean): Store {
    async function run(statement: Statement): Promise<unknown[]> {
      try {
        return await scopeOf(isTransaction).run(statement);
      } catch (error) {
        // The query builder quotes the parameters in its error message, so empty them.
        statement.params.length = 0;
        throw error;
      }
    }
    return {
      dialect: driver.dialect,
      t: driver.t,
      q: driver.queries(run),
      async tx(work) {
        if (scopeOf(isTransaction).isTransaction) throw new Error("a transaction inside a transaction");
        const run = <Result>(scope: Scope, callback: () => Promise<Result>) => currentScope.run(scope, callback);
        return runTransaction(driver, run, () => work(inTransaction));
      },
      isTransaction,
      operator,
      administrator: null,
      beforeCommit: (work) => scopeOf(isTransaction).beforeCommit(work),
      afterCommit(work) {
        const current = currentScope.getStore();
        (current?.open ? current : rootScope).afterCommit(work);
      },
      withDeferredDurability: driver.withDeferredDurability,
      lock: async (name) => scopeOf(isTransaction).lock(name),
      execute: (sql) => run({ sql, params: [], shape: "objects" }),
      events,
      isUnique: driver.isUnique,
      isUnavailable,
      requireSameFile: driver.requireSameFile,
      // A used AsyncLocalStorage adds a hook to every promise; disable it when done.
      close: () => driver.close().finally(() => currentScope.disable()),
    };
  }

  const inTransaction = create(true);
  return create(false);
}
