import type Database from "better-sqlite3";
import { createGate } from "./gate.server.ts";
import { whenFree } from "./when-free.server.ts";

/** The work on one SQLite connection, in the order of arrival; its commits are shared. */
export type SharedCommit = {
  /** Runs one statement that only reads. */
  read<T>(work: () => T): Promise<T>;
  /** Runs one statement that writes. */
  write<T>(work: () => T): Promise<T>;
  /** Commits what is done, and runs a statement outside any transaction, as most PRAGMAs must be. */
  alone<T>(work: () => T): Promise<T>;
  begin(): Promise<SharedTransaction>;
};

/** A part of the shared transaction that is undone alone. */
export type SharedTransaction = {
  run<T>(work: () => T): T;
  commit(): Promise<void>;
  rollback(): void;
};

type Acknowledgement = { give(): void; refuse(error: unknown): void };

/** How long a transaction may do nothing before it is undone: everybody else is waiting for it. */
const IDLE_TIMEOUT_MS = 10_000;
const OVER = "this transaction is over";

/**
 * A commit waits for the disk, some milliseconds in which the process can do nothing else, and a sign-in has a dozen of them.
 * So what several requests write in one turn of the event loop is one SQLite transaction with a savepoint for each, and one wait.
 * Nobody is answered before the commit: what was acknowledged survives a power loss, and what one undoes is undone for it alone.
 * Reads that meet an open transaction are answered after its commit too, so that nobody acts on what might still be lost.
 */
export function createSharedCommit(database: Database.Database): SharedCommit {
  const gate = createGate();
  const say = statementsOf(database);
  /** Who waits for the commit of the open transaction; null when none is open. */
  let waiting: Acknowledgement[] | null = null;

  async function join(): Promise<void> {
    if (waiting) return;
    // IMMEDIATE: who reads first and writes later never fails half-way for being late.
    await whenFree(say.begin);
    waiting = [];
    // The commit queues up like everybody: those who came before it take part, the others make the next one.
    setImmediate(() => void gate.pass(commit));
  }

  function commit(): void {
    const joined = waiting ?? [];
    waiting = null;
    try {
      if (database.inTransaction) say.commit();
      for (const one of joined) one.give();
    } catch (error) {
      if (database.inTransaction) say.rollback();
      for (const one of joined) one.refuse(error);
    }
  }

  /** A full or broken disk makes SQLite undo the whole transaction: then nobody in it may be told that all is well. */
  function refuseIfUndone(error: unknown): void {
    if (database.inTransaction) return;
    for (const one of waiting ?? []) one.refuse(error);
    waiting = null;
  }

  function acknowledged(): Promise<void> {
    return new Promise((give, refuse) => {
      if (waiting) waiting.push({ give, refuse });
      else give();
    });
  }

  function attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      refuseIfUndone(error);
      throw error;
    }
  }

  async function statement<T>(prepare: () => Promise<void>, work: () => T): Promise<T> {
    const { value, committed } = await gate.pass(async () => {
      await prepare();
      const value = waiting ? attempt(work) : await whenFree(work);
      return { value, committed: acknowledged() };
    });
    await committed;
    return value;
  }

  async function begin(): Promise<SharedTransaction> {
    await gate.enter();
    try {
      await join();
      say.savepoint();
    } catch (error) {
      gate.leave();
      throw error;
    }
    return transaction();
  }

  function transaction(): SharedTransaction {
    let over: string | null = null;
    const idle = setTimeout(() => end("this transaction did nothing for too long", undo), IDLE_TIMEOUT_MS).unref();

    function end(reason: string, work: () => void): void {
      if (over) return;
      over = reason;
      clearTimeout(idle);
      try {
        work();
      } finally {
        gate.leave();
      }
    }

    function undo(): void {
      if (!database.inTransaction) return;
      say.rollbackToSavepoint();
      say.release();
    }

    return {
      run(work) {
        if (over) throw new Error(over);
        // Outside a transaction, which the database has undone, each statement would be kept.
        if (!waiting) throw new Error("the database has undone this transaction");
        idle.refresh();
        return attempt(work);
      },
      async commit() {
        if (over) throw new Error(over);
        if (!waiting) throw new Error("the database has undone this transaction");
        say.release();
        const committed = acknowledged();
        end(OVER, () => {});
        await committed;
      },
      rollback: () => end(OVER, undo),
    };
  }

  return {
    read: (work) => statement(async () => {}, work),
    write: (work) => statement(join, work),
    alone: (work) => statement(async () => commit(), work),
    begin,
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
