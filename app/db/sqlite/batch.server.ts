import type Database from "better-sqlite3";

/** The open SQLite transaction that several callers share. Not safe for concurrent use; hold the mutex. */
export type Batch = {
  isOpen(): boolean;
  /** Begins the transaction. Throws SQLITE_BUSY while another process writes. */
  open(): void;
  /** Runs work inside the transaction. */
  attempt<T>(work: () => T): T;
  /** Resolves when everything done so far is committed, rejects when it is lost. Null if no transaction is open. */
  committed(): Promise<void> | null;
  /** Commits the open transaction, if any, and settles the promise of `committed`. */
  commit(): void;
  /** Create, release or roll back a savepoint; savepoints do not overlap. */
  createSavepoint(): void;
  releaseSavepoint(): void;
  rollbackSavepoint(): void;
};

/** Creates a batch on this connection; its transaction is not open yet. */
export function createBatch(database: Database.Database): Batch {
  const statements = statementsOf(database);
  let outcome: Outcome | null = null;

  function settle(how: (settled: Outcome) => void): void {
    const settled = outcome;
    outcome = null;
    if (settled) how(settled);
  }

  return {
    isOpen: () => outcome !== null,
    open() {
      // IMMEDIATE takes the write lock at once; a transaction that reads first could otherwise fail at its first write.
      statements.begin();
      outcome = createOutcome();
    },
    attempt(work) {
      try {
        return work();
      } catch (error) {
        // On a full or broken disk SQLite rolls back the whole transaction, so every caller in it must be rejected.
        if (!database.inTransaction) settle(({ reject }) => reject(error));
        throw error;
      }
    },
    committed: () => outcome?.promise ?? null,
    commit() {
      try {
        if (database.inTransaction) statements.commit();
        settle(({ resolve }) => resolve());
      } catch (error) {
        if (database.inTransaction) statements.rollback();
        settle(({ reject }) => reject(error));
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

/** The promise of a commit, with its functions. */
type Outcome = PromiseWithResolvers<void>;

function createOutcome(): Outcome {
  const outcome = Promise.withResolvers<void>();
  // A batch in which every statement failed has no caller that waits for it.
  outcome.promise.catch(() => {});
  return outcome;
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
