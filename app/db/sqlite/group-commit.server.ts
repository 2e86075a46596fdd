import { setTimeout as pause } from "node:timers/promises";
import { Mutex } from "async-mutex";
import Database from "better-sqlite3";
import { type Batch, createBatch } from "./batch.server.ts";
import { createDeferredCommits, type DeferredCommits } from "./deferred-durability.server.ts";

/** Runs work on one SQLite connection in the order of arrival; concurrent writes share one commit. */
type GroupCommit = {
  /** Runs one statement that only reads. */
  read<T>(work: () => T): Promise<T>;
  /** Runs one statement that writes. */
  write<T>(work: () => T): Promise<T>;
  /** Commits the batch and runs `work` outside any transaction, as most PRAGMAs require. */
  alone<T>(work: () => T): Promise<T>;
  begin(): Promise<GroupTransaction>;
  /** Runs `work` without waiting for each commit, then waits for all; rejects if one is lost. */
  withDeferredDurability: DeferredCommits["waitAtEnd"];
};

/** A savepoint of the shared transaction, rolled back alone. */
export type GroupTransaction = {
  run<T>(work: () => T): T;
  /** Calls `onDurable` after the commit of the group; not if it fails. */
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
  const mutex = new Mutex();
  const batch = createBatch(database);
  const deferredCommits = createDeferredCommits();

  async function joinBatch(): Promise<void> {
    if (batch.isOpen()) return;
    await retryWhileBusy(batch.open);
    // The commit waits for the mutex too: earlier work takes part, later work makes the next batch.
    setImmediate(() => void mutex.runExclusive(batch.commit));
  }

  /** Returns the result of `work` after the commit of the changes that it made or may have read. */
  async function statement<T>(work: () => T, prepare?: () => void | Promise<void>): Promise<T> {
    const { value, committed } = await mutex.runExclusive(async () => {
      await prepare?.();
      const result = batch.isOpen() ? batch.attempt(work) : await retryWhileBusy(work);
      return { value: result, committed: batch.committed() };
    });
    await deferredCommits.commitToAwait(committed);
    return value;
  }

  /** Runs a read at once if no work precedes it and no change is uncommitted. Returns null if it has to wait. */
  function readAtOnce<T>(work: () => T): { value: T } | null {
    if (mutex.isLocked() || batch.isOpen()) return null;
    try {
      return { value: work() };
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  return {
    async read(work) {
      const read = readAtOnce(work);
      return read ? read.value : statement(work);
    },
    write: (work) => statement(work, joinBatch),
    alone: (work) => statement(work, batch.commit),
    async begin() {
      const release = await mutex.acquire();
      try {
        await joinBatch();
        batch.createSavepoint();
      } catch (error) {
        release();
        throw error;
      }
      return transactionIn({ batch, release, deferredCommits });
    },
    withDeferredDurability: deferredCommits.waitAtEnd,
  };
}

/** Holds the mutex until the transaction ends. */
function transactionIn({
  batch,
  release,
  deferredCommits,
}: {
  batch: Batch;
  release: () => void;
  deferredCommits: DeferredCommits;
}): GroupTransaction {
  let endReason: string | null = null;
  const idleTimer = setTimeout(() => end("did nothing for too long", batch.rollbackSavepoint), IDLE_TIMEOUT_MS).unref();

  function end(reason: string, work: () => void): void {
    if (endReason) return;
    endReason = reason;
    clearTimeout(idleTimer);
    try {
      work();
    } finally {
      release();
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
      const committed = batch.committed();
      // A failed commit rejects the promise that is awaited below.
      committed?.then(onDurable, () => {});
      end("is over", () => {});
      await deferredCommits.commitToAwait(committed);
    },
    rollback: () => end("is over", batch.rollbackSavepoint),
  };
}

/** Longest wait for another process that writes, and the pause between two attempts. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 10;

/**
 * Runs `work`, and retries for up to 5 s while another process writes to the file; the event loop is free in between.
 */
async function retryWhileBusy<T>(work: () => T): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error;
    }
    await pause(BUSY_RETRY_MS);
  }
}

/** Returns true if SQLite failed because another process holds the file. */
function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
