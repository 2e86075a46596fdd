import { createMutex } from "#app/db/sqlite/mutex.server.ts";
import type { Driver, DriverTransaction, Statement } from "./driver.server.ts";

/** A context in which statements run: the database, a transaction or a savepoint. */
export type Scope = {
  /** False once committed or rolled back. */
  open: boolean;
  /** 0 outside a transaction, 1 in a transaction, more in its savepoints. */
  depth: number;
  run(statement: Statement): unknown[] | Promise<unknown[]>;
  lock(name: string): Promise<void>;
  begin(): Promise<InnerScope>;
  /** Calls `work` when everything done here so far is durable; never if it is rolled back. */
  afterCommit(work: () => void): void;
};

/** A transaction, or a savepoint in one. */
export type InnerScope = Scope & { commit(): Promise<void>; rollback(): Promise<void> };

type Callback = () => void;

function callAll(callbacks: readonly Callback[]): void {
  for (const work of callbacks) work();
}

/** Creates the scope of statements outside a transaction. */
export function createRootScope(driver: Driver): Scope {
  return {
    open: true,
    depth: 0,
    run: driver.run,
    afterCommit: (work) => work(),
    async lock() {
      throw new Error("a lock lasts as long as its transaction: there is none");
    },
    async begin() {
      const transaction = await driver.begin();
      return createInnerScope(transaction, 1, {
        commit: (callbacks) => transaction.commit(() => callAll(callbacks)),
        rollback: transaction.rollback,
      });
    },
  };
}

/** The mutex serialises the statements and savepoints of one transaction, even if the caller starts several at once. */
function createInnerScope(
  transaction: DriverTransaction,
  depth: number,
  end: { commit(callbacks: readonly Callback[]): Promise<void>; rollback(): Promise<void> },
): InnerScope {
  const mutex = createMutex();
  const callbacks: Callback[] = [];
  return {
    open: true,
    depth,
    run: (statement) => mutex.runExclusive(() => transaction.run(statement)),
    lock: async (name) => mutex.runExclusive(() => transaction.lock(name)),
    async begin() {
      await mutex.acquire();
      const savepoint = createSavepoint(transaction, depth, mutex.release);
      await savepoint.start();
      return createInnerScope(transaction, depth + 1, {
        async commit(savepointCallbacks) {
          await savepoint.commit();
          callbacks.push(...savepointCallbacks);
        },
        rollback: savepoint.rollback,
      });
    },
    afterCommit: (work) => void callbacks.push(work),
    commit: async () => mutex.runExclusive(() => end.commit(callbacks)),
    rollback: async () => mutex.runExclusive(end.rollback),
  };
}

function createSavepoint(transaction: DriverTransaction, depth: number, release: () => void) {
  const name = `part_${depth}`;
  const run = async (sql: string) => {
    await transaction.run({ sql, params: [], shape: "objects" });
  };
  return {
    async start() {
      await run(`SAVEPOINT ${name}`).catch((error: unknown) => {
        release();
        throw error;
      });
    },
    async commit() {
      await run(`RELEASE SAVEPOINT ${name}`);
      release();
    },
    rollback: () => run(`ROLLBACK TO SAVEPOINT ${name}`).finally(release),
  };
}
