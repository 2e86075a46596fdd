import type Database from "better-sqlite3";
import { type Batch, createBatch } from "./batch.server.ts";
import { retryWhileBusy } from "./busy-retry.server.ts";
import { type Confirmations, createConfirmations } from "./deferred-durability.server.ts";
import { createMutex, type Mutex } from "./mutex.server.ts";

/** The work on one SQLite connection, in the order of arrival; its commits are shared. */
export type GroupCommit = {
  /** Runs one statement that only reads. */
  read<T>(work: () => T): T | Promise<T>;
  /** Runs one statement that writes. */
  write<T>(work: () => T): T | Promise<T>;
  /** Commits what is done, and runs a statement outside any transaction, as most PRAGMAs must be; all others wait. */
  alone<T>(work: () => T | Promise<T>): T | Promise<T>;
  begin(): Promise<GroupTransaction>;
  /** Does work in which nothing waits for its commit, and waits for them all at its end; rejects when one is lost. */
  withDeferredDurability: Confirmations["atEnd"];
};

/** A part of the shared transaction that is undone alone. */
export type GroupTransaction = {
  run<T>(work: () => T): T;
  /** `whenSafe` is called after the shared commit, and not when that fails. */
  commit(whenSafe: () => void): Promise<void>;
  rollback(): void;
};

/** How long a transaction may do nothing before it is undone: everybody else is waiting for it. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * A commit waits for the disk, some milliseconds in which the process can do nothing else, and a sign-in has a dozen of
 * them. So what several requests write in one turn of the event loop is one SQLite transaction with a savepoint for
 * each, and one wait. Nobody is answered before the commit: what was acknowledged survives a power loss, and what one
 * undoes is undone for it alone. Reads that meet an open transaction are answered after its commit too, so that nobody
 * acts on what might still be lost. Within `withDeferredDurability` one piece of work goes on with what it has done itself and is
 * answered at its end.
 */
export function createGroupCommit(database: Database.Database): GroupCommit {
  const gate = createMutex();
  const batch = createBatch(database);
  const confirmations = createConfirmations();

  function join(): void | Promise<void> {
    if (batch.isOpen()) return;
    // The commit queues up like everybody: those who came before it take part, the others make the next batch.
    const commitSoon = () => void setImmediate(() => void gate.pass(batch.commit));
    const opening = batch.open();
    return opening ? opening.then(commitSoon) : commitSoon();
  }

  /** Runs at once where nobody is in the way; the answer waits for the commit of what it may have seen. */
  function statement<T>(prepare: () => void | Promise<void>, work: () => T | Promise<T>): T | Promise<T> {
    const done = gate.pass(() => {
      const preparing = prepare();
      return preparing ? preparing.then(() => attempt(work)) : attempt(work);
    });
    return done instanceof Promise ? done.then(whenCommitted) : whenCommitted(done);
  }

  function whenCommitted<T>({ value, committed }: Done<T>): T | Promise<T> {
    const awaited = confirmations.awaited(committed);
    return awaited ? awaited.then(() => value) : value;
  }

  function attempt<T>(work: () => T | Promise<T>): Done<T> | Promise<Done<T>> {
    const value = batch.isOpen() ? batch.attempt(work) : retryWhileBusy(work);
    if (value instanceof Promise) return value.then((late: T) => ({ value: late, committed: null }));
    return { value, committed: batch.acknowledged() };
  }

  return {
    read: (work) => statement(() => {}, work),
    write: (work) => statement(join, work),
    alone: (work) => statement(batch.commit, work),
    async begin() {
      await gate.enter();
      try {
        await join();
        batch.startPart();
      } catch (error) {
        gate.leave();
        throw error;
      }
      return transactionIn(batch, gate, confirmations);
    },
    withDeferredDurability: confirmations.atEnd,
  };
}

/** What a statement answered, and when it is safe to say so. */
type Done<T> = { value: T; committed: Promise<void> | null };

/** Holds the gate until it ends. */
function transactionIn(batch: Batch, gate: Mutex, confirmations: Confirmations): GroupTransaction {
  let over: string | null = null;
  const idle = setTimeout(() => end("did nothing for too long", batch.undoPart), IDLE_TIMEOUT_MS).unref();

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

  function requireOpen(): void {
    if (over) throw new Error(`this transaction ${over}`);
    // Without it, which the database has undone on its own, each further statement would be kept at once.
    if (!batch.isOpen()) throw new Error("this transaction was undone by the database");
  }

  return {
    run(work) {
      requireOpen();
      idle.refresh();
      return batch.attempt(work);
    },
    async commit(whenSafe) {
      requireOpen();
      batch.keepPart();
      const committed = batch.acknowledged();
      // Whoever waits for the commit is told that it failed.
      committed?.then(whenSafe, () => {});
      end("is over", () => {});
      await confirmations.awaited(committed);
    },
    rollback: () => end("is over", batch.undoPart),
  };
}
