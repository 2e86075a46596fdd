import type Database from "better-sqlite3";
import { retryWhileBusy } from "./busy-retry.server.ts";

/** The open SQLite transaction that several callers share. Not safe for concurrent use; hold the mutex. */
export type Batch = {
  isOpen(): boolean;
  /** Begins the transaction; waits while another process writes. */
  open(): void | Promise<void>;
  /** Runs work inside the transaction. */
  attempt<T>(work: () => T): T;
  /** Resolves when everything done so far is committed, rejects when it is lost. Null if no transaction is open. */
  acknowledged(): Promise<void> | null;
  /** Commits the open transaction, if any, and settles the promises of `acknowledged`. */
  commit(): void;
  /** Create, release or roll back a savepoint; savepoints do not overlap. */
  createSavepoint(): void;
  releaseSavepoint(): void;
  rollbackSavepoint(): void;
};

type Waiter = { resolve(): void; reject(error: unknown): void };

/** Creates a batch on this connection; its transaction is not open yet. */
export function createBatch(database: Database.Database): Batch {
  const statements = statementsOf(database);
  let waiting: Waiter[] | null = null;

  function settleAll(settle: (one: Waiter) => void): void {
    const waiters = waiting ?? [];
    waiting = null;
    waiters.forEach(settle);
  }

  return {
    isOpen: () => waiting !== null,
    // IMMEDIATE takes the write lock at once; a transaction that reads first could otherwise fail at its first write.
    open: () =>
      retryWhileBusy(() => {
        statements.begin();
        waiting = [];
      }),
    attempt(work) {
      try {
        return work();
      } catch (error) {
        // On a full or broken disk SQLite rolls back the whole transaction, so every caller in it must be rejected.
        if (!database.inTransaction) settleAll((one) => one.reject(error));
        throw error;
      }
    },
    acknowledged() {
      const waiters = waiting;
      return waiters && new Promise((resolve, reject) => waiters.push({ resolve, reject }));
    },
    commit() {
      try {
        if (database.inTransaction) statements.commit();
        settleAll((one) => one.resolve());
      } catch (error) {
        if (database.inTransaction) statements.rollback();
        settleAll((one) => one.reject(error));
      }
    },
    createSavepoint: statements.savepoint,
    releaseSavepoint: statements.release,
    rollbackSavepoint() {
      if (!database.inTransaction) return;
      statements.rollbackToSavepoint();
      statements.release();
    },
  };
}

function statementsOf(database: Database.Database) {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    return () => void statement.run();
  };
  return {
    begin: prepare("BEGIN IMMEDIATE"),
    commit: prepare("COMMIT"),
    rollback: prepare("ROLLBACK"),
    savepoint: prepare("SAVEPOINT shared"),
    rollbackToSavepoint: prepare("ROLLBACK TO shared"),
    release: prepare("RELEASE shared"),
  };
}
