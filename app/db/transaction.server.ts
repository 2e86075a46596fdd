import { Mutex } from "async-mutex";
import type { Driver, DriverTransaction, Statement } from "./driver.server.ts";

/** A context in which statements run: the database, a transaction or a savepoint. */
export type Scope = {
  /** False once committed or rolled back. */
  open: boolean;
  /** 0 outside a transaction, 1 in a transaction, more in its savepoints. */
  depth: number;
  run(statement: Statement): Promise<unknown[]>;
  lock(name: string): Promise<void>;
  begin(): Promise<InnerScope>;
  /** Calls `work` when everything done here so far is durable; never if it is rolled back. */
  afterCommit(work: () => void): void;
};

/** A transaction, or a savepoint in one. */
type InnerScope = Scope & { commit(): Promise<void>; rollback(): Promise<void> };

type Callback = () => void;

/** Creates the scope of statements outside a transaction. */
export function createRootScope(driver: Driver): Scope {
  return {
    open: true,
    depth: 0,
    run: driver.run,
    afterCommit: (work) => work(),
    async lock() {
      throw new Error("lock() must be called inside a transaction");
    },
    async begin() {
      const transaction = await driver.begin();
      return createInnerScope(transaction, 1, {
        commit: (callbacks) =>
          transaction.commit(() => {
            for (const work of callbacks) work();
          }),
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
  const mutex = new Mutex();
  const callbacks: Callback[] = [];
  return {
    open: true,
    depth,
    run: (statement) => mutex.runExclusive(() => transaction.run(statement)),
    lock: (name) => mutex.runExclusive(() => transaction.lock(name)),
    async begin() {
      const release = await mutex.acquire();
      const savepoint = createSavepoint(transaction, depth, release);
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
    commit: () => mutex.runExclusive(() => end.commit(callbacks)),
    rollback: () => mutex.runExclusive(end.rollback),
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
