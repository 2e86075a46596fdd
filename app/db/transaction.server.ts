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

type Work = () => void;

function runAll(works: readonly Work[]): void {
  for (const work of works) work();
}

/** Creates the scope of statements outside a transaction. */
export function outerScope(driver: Driver): Scope {
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
      return innerScope(transaction, 1, {
        commit: (works) => transaction.commit(() => runAll(works)),
        rollback: transaction.rollback,
      });
    },
  };
}

/** The mutex serialises the statements and savepoints of one transaction, even if the caller starts several at once. */
function innerScope(
  transaction: DriverTransaction,
  depth: number,
  end: { commit(works: readonly Work[]): Promise<void>; rollback(): Promise<void> },
): InnerScope {
  const gate = createMutex();
  const works: Work[] = [];
  return {
    open: true,
    depth,
    run: (statement) => gate.pass(() => transaction.run(statement)),
    lock: async (name) => gate.pass(() => transaction.lock(name)),
    async begin() {
      await gate.enter();
      const savepoint = savepointOf(transaction, depth, gate.leave);
      await savepoint.start();
      return innerScope(transaction, depth + 1, {
        async commit(ofPart) {
          await savepoint.commit();
          works.push(...ofPart);
        },
        rollback: savepoint.rollback,
      });
    },
    afterCommit: (work) => void works.push(work),
    commit: async () => gate.pass(() => end.commit(works)),
    rollback: async () => gate.pass(end.rollback),
  };
}

function savepointOf(transaction: DriverTransaction, depth: number, leave: () => void) {
  const name = `part_${depth}`;
  const run = async (sql: string) => {
    await transaction.run({ sql, params: [], shape: "objects" });
  };
  return {
    async start() {
      await run(`SAVEPOINT ${name}`).catch((error: unknown) => {
        leave();
        throw error;
      });
    },
    async commit() {
      await run(`RELEASE SAVEPOINT ${name}`);
      leave();
    },
    rollback: () => run(`ROLLBACK TO SAVEPOINT ${name}`).finally(leave),
  };
}
