import type Database from "better-sqlite3";
import { type Batch, createBatch } from "./batch.server.ts";
import { retryWhileBusy } from "./busy-retry.server.ts";
import { createDeferredCommits, type DeferredCommits } from "./deferred-durability.server.ts";
import { createMutex, type Mutex } from "./mutex.server.ts";

/** Runs work on one SQLite connection in the order of arrival; concurrent writes share one commit. */
export type GroupCommit = {
  /** Runs one statement that only reads. */
  read<T>(work: () => T): T | Promise<T>;
  /** Runs one statement that writes. */
  write<T>(work: () => T): T | Promise<T>;
  /** Commits the batch and runs `work` outside any transaction, as most PRAGMAs require; all other work waits. */
  alone<T>(work: () => T | Promise<T>): T | Promise<T>;
  begin(): Promise<GroupTransaction>;
  /** Runs `work` without waiting for each commit, then waits for all; rejects if one is lost. */
  withDeferredDurability: DeferredCommits["waitAtEnd"];
};

/** A savepoint of the shared transaction, rolled back alone. */
export type GroupTransaction = {
  run<T>(work: () => T): T;
  /** Calls `whenSafe` after the shared commit; not if it fails. */
  commit(onDurable: () => void): Promise<void>;
  rollback(): void;
};

/** Idle time after which a transaction is rolled back, because all other work waits for it. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Creates the group commit of a connection. A commit waits some milliseconds for the disk, during which the process can
 * do nothing else, and a sign-in has a dozen of them. Therefore the writes of one turn of the event loop share one
 * SQLite transaction, with a savepoint for each `begin`, and one wait.
 * Callers get their results after the commit, so acknowledged changes survive a power failure. Reads during an open
 * transaction wait for its commit too, so that callers never act on data that may be lost. Inside
 * `withDeferredDurability` the work continues at once and waits at its end.
 */
export function createGroupCommit(database: Database.Database): GroupCommit {
  const mutex = createMutex();
  const batch = createBatch(database);
  const deferredCommits = createDeferredCommits();

  function joinBatch(): void | Promise<void> {
    if (batch.isOpen()) return;
    // The commit waits for the mutex too: earlier work takes part, later work makes the next batch.
    const commitSoon = () => void setImmediate(() => void mutex.runExclusive(batch.commit));
    const opening = batch.open();
    return opening ? opening.then(commitSoon) : commitSoon();
  }

  /** Runs at once if the mutex is free; the result waits for the commit of the changes that it may have read. */
  function statement<T>(prepare: () => void | Promise<void>, work: () => T | Promise<T>): T | Promise<T> {
    const done = mutex.runExclusive(() => {
      const preparing = prepare();
      return preparing ? preparing.then(() => attempt(work)) : attempt(work);
    });
    return done instanceof Promise ? done.then(whenCommitted) : whenCommitted(done);
  }

  function whenCommitted<T>({ value, committed }: StatementResult<T>): T | Promise<T> {
    const pendingCommit = deferredCommits.commitToAwait(committed);
    return pendingCommit ? pendingCommit.then(() => value) : value;
  }

  function attempt<T>(work: () => T | Promise<T>): StatementResult<T> | Promise<StatementResult<T>> {
    const value = batch.isOpen() ? batch.attempt(work) : retryWhileBusy(work);
    if (value instanceof Promise) return value.then((result: T) => ({ value: result, committed: null }));
    return { value, committed: batch.acknowledged() };
  }

  return {
    read: (work) => statement(() => {}, work),
    write: (work) => statement(joinBatch, work),
    alone: (work) => statement(batch.commit, work),
    async begin() {
      await mutex.acquire();
      try {
        await joinBatch();
        batch.createSavepoint();
      } catch (error) {
        mutex.release();
        throw error;
      }
      return transactionIn(batch, mutex, deferredCommits);
    },
    withDeferredDurability: deferredCommits.waitAtEnd,
  };
}

/** Result of a statement, and the commit that must come before it is returned. */
type StatementResult<T> = { value: T; committed: Promise<void> | null };

/** Holds the mutex until the transaction ends. */
function transactionIn(batch: Batch, mutex: Mutex, deferredCommits: DeferredCommits): GroupTransaction {
  let endReason: string | null = null;
  const idleTimer = setTimeout(() => end("did nothing for too long", batch.rollbackSavepoint), IDLE_TIMEOUT_MS).unref();

  function end(reason: string, work: () => void): void {
    if (endReason) return;
    endReason = reason;
    clearTimeout(idleTimer);
    try {
      work();
    } finally {
      mutex.release();
    }
  }

  function requireOpen(): void {
    if (endReason) throw new Error(`this transaction ${endReason}`);
    // If SQLite has rolled the transaction back on its own, further statements would be committed one by one.
    if (!batch.isOpen()) throw new Error("this transaction was undone by the database");
  }

  return {
    run(work) {
      requireOpen();
      idleTimer.refresh();
      return batch.attempt(work);
    },
    async commit(onDurable) {
      requireOpen();
      batch.releaseSavepoint();
      const committed = batch.acknowledged();
      // A failed commit rejects the promise that is awaited below.
      committed?.then(onDurable, () => {});
      end("is over", () => {});
      await deferredCommits.commitToAwait(committed);
    },
    rollback: () => end("is over", batch.rollbackSavepoint),
  };
}
