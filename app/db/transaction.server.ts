import { Mutex } from "async-mutex";
import type { Driver, Statement } from "./driver.server.ts";
import { isDeadlock } from "./errors.server.ts";

/** A context in which statements run: the database, or a transaction. */
export type Scope = {
  /** False once committed or rolled back. */
  open: boolean;
  isTransaction: boolean;
  run(statement: Statement): Promise<unknown[]>;
  lock(name: string): Promise<void>;
  /** See `Store.beforeCommit`. */
  beforeCommit(work: () => Promise<void>): void;
  /** Calls `work` when everything done here so far is durable; never if it is rolled back. */
  afterCommit(work: () => void): void;
};

/** `finish` runs what waits for the end of the work. */
type Transaction = Scope & { finish(): Promise<void>; commit(): Promise<void>; rollback(): Promise<void> };

const ROLLBACK = Symbol("rollback");

/** Marks the value that `Store.tx` resolves to after it has rolled the transaction back. */
export type Rollback<Value> = { kind: typeof ROLLBACK; value: Value };

/** Ends a transaction without its writes when its work returns this. `Store.tx` resolves to the value. */
export function rollback<Value>(value: Value): Rollback<Value> {
  return { kind: ROLLBACK, value };
}

function isRollback<Value>(result: Value | Rollback<Value>): result is Rollback<Value> {
  return typeof result === "object" && result !== null && "kind" in result && result.kind === ROLLBACK;
}

/** Creates the scope of statements outside a transaction. */
export function createRootScope(driver: Driver): Scope {
  return {
    open: true,
    isTransaction: false,
    run: driver.run,
    beforeCommit() {
      throw new Error("beforeCommit() must be called inside a transaction");
    },
    afterCommit: (work) => work(),
    async lock() {
      throw new Error("lock() must be called inside a transaction");
    },
  };
}

/** A deadlock takes a second of PostgreSQL's time; a second one in a row is hardly possible. */
const MAX_ATTEMPTS = 3;

/**
 * Runs `work` in a new transaction with `run`: commits what it returns, unless it throws or returns a `rollback`. Runs it
 * again in a new transaction if PostgreSQL ends it because of a deadlock, which leaves nothing of it.
 */
export async function runTransaction<Value>(
  driver: Driver,
  run: <Result>(scope: Scope, callback: () => Promise<Result>) => Promise<Result>,
  work: () => Promise<Value | Rollback<Value>>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(driver, run, work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}

async function runOnce<Value>(
  driver: Driver,
  run: <Result>(scope: Scope, callback: () => Promise<Result>) => Promise<Result>,
  work: () => Promise<Value | Rollback<Value>>,
): Promise<Value> {
  const transaction = await beginTransaction(driver);
  try {
    const result = await run(transaction, async () => {
      const outcome = await work();
      if (!isRollback(outcome)) await transaction.finish();
      return outcome;
    });
    transaction.open = false;
    if (isRollback(result)) {
      await transaction.rollback();
      return result.value;
    }
    await transaction.commit();
    return result;
  } catch (error) {
    transaction.open = false;
    await transaction.rollback();
    throw error;
  }
}

/** The mutex serialises the statements of the transaction, even if the caller starts several at once. */
async function beginTransaction(driver: Driver): Promise<Transaction> {
  const transaction = await driver.begin();
  const mutex = new Mutex();
  const before: (() => Promise<void>)[] = [];
  const after: (() => void)[] = [];
  const onDurable = () => {
    for (const work of after) work();
  };
  return {
    open: true,
    isTransaction: true,
    run: (statement) => mutex.runExclusive(() => transaction.run(statement)),
    lock: (name) => mutex.runExclusive(() => transaction.lock(name)),
    beforeCommit: (work) => void before.push(work),
    afterCommit: (work) => void after.push(work),
    async finish() {
      for (const work of before) await work();
    },
    commit: () => mutex.runExclusive(() => transaction.commit(onDurable)),
    rollback: () => mutex.runExclusive(transaction.rollback),
  };
}
