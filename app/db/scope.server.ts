import type { Driver, DriverTransaction, Statement } from "./driver.server.ts";
import { createGate } from "./gate.server.ts";

/** A place where statements run: the database itself, a transaction, or a part of one. */
export type Scope = {
  /** False once it was committed or rolled back. */
  open: boolean;
  /** 0 outside any transaction, 1 in one, more in its parts. */
  depth: number;
  run(statement: Statement): unknown[] | Promise<unknown[]>;
  lock(name: string): Promise<void>;
  begin(): Promise<InnerScope>;
};

/** A transaction, or a savepoint in one. */
export type InnerScope = Scope & { commit(): Promise<void>; rollback(): Promise<void> };

/** The scope of statements that stand alone. */
export function outerScope(driver: Driver): Scope {
  return {
    open: true,
    depth: 0,
    run: driver.run,
    async lock() {
      throw new Error("a lock lasts as long as its transaction: there is none");
    },
    async begin() {
      const transaction = await driver.begin();
      return innerScope(transaction, 1, transaction);
    },
  };
}

/**
 * The gate keeps the statements and the savepoints of one transaction one after the other, also when the caller starts
 * several at once.
 */
function innerScope(
  transaction: DriverTransaction,
  depth: number,
  end: Pick<DriverTransaction, "commit" | "rollback">,
): InnerScope {
  const gate = createGate();
  return {
    open: true,
    depth,
    run: (statement) => gate.pass(() => transaction.run(statement)),
    lock: async (name) => gate.pass(() => transaction.lock(name)),
    async begin() {
      await gate.enter();
      const savepoint = savepointOf(transaction, depth, gate.leave);
      await savepoint.start();
      return innerScope(transaction, depth + 1, savepoint);
    },
    commit: async () => gate.pass(end.commit),
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
