import type Database from "better-sqlite3";
import { retryWhileBusy } from "./busy-retry.server.ts";

/** The one open SQLite transaction that several take part in. Who uses it must be alone: it knows no turns. */
export type Batch = {
  isOpen(): boolean;
  /** Begins the transaction; waits while another process writes. */
  open(): void | Promise<void>;
  /** Does work that takes part. */
  attempt<T>(work: () => T): T;
  /** Ends when what was done up to here is committed; fails when it is lost. Null when nothing is open. */
  acknowledged(): Promise<void> | null;
  /** Commits, if there is anything to commit, and tells everybody. */
  commit(): void;
  /** Begins, keeps or undoes a part; parts do not overlap. */
  startPart(): void;
  keepPart(): void;
  undoPart(): void;
};

type Acknowledgement = { give(): void; refuse(error: unknown): void };

/** A batch of this connection; none is open yet. */
export function createBatch(database: Database.Database): Batch {
  const say = statementsOf(database);
  let waiting: Acknowledgement[] | null = null;

  function tellAll(tell: (one: Acknowledgement) => void): void {
    const joined = waiting ?? [];
    waiting = null;
    joined.forEach(tell);
  }

  return {
    isOpen: () => waiting !== null,
    // IMMEDIATE: who reads first and writes later never fails half-way for being late.
    open: () =>
      retryWhileBusy(() => {
        say.begin();
        waiting = [];
      }),
    attempt(work) {
      try {
        return work();
      } catch (error) {
        // A full or broken disk makes SQLite undo the whole transaction: then nobody in it may be told that all is well.
        if (!database.inTransaction) tellAll((one) => one.refuse(error));
        throw error;
      }
    },
    acknowledged() {
      const joined = waiting;
      return joined && new Promise((give, refuse) => joined.push({ give, refuse }));
    },
    commit() {
      try {
        if (database.inTransaction) say.commit();
        tellAll((one) => one.give());
      } catch (error) {
        if (database.inTransaction) say.rollback();
        tellAll((one) => one.refuse(error));
      }
    },
    startPart: say.savepoint,
    keepPart: say.release,
    undoPart() {
      if (!database.inTransaction) return;
      say.rollbackToSavepoint();
      say.release();
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
