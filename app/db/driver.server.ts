/** One statement. `params` is emptied when it fails, so that error messages never quote stored values. */
export type Statement = { sql: string; params: unknown[]; shape: "arrays" | "objects" };

/** An open transaction on one connection. Not safe for concurrent statements. */
export type DriverTransaction = {
  run(statement: Statement): unknown[] | Promise<unknown[]>;
  /** Waits for the named lock, which is released when the transaction ends. */
  lock(name: string): Promise<void>;
  /**
   * Calls `whenSafe` once the commit is durable, which may be after this promise resolves (`withDeferredDurability`).
   */
  commit(onDurable: () => void): Promise<void>;
  /** Never throws; discards a connection that cannot roll back. */
  rollback(): Promise<void>;
};

/** The operations that the store requires of a database; implemented once per dialect. */
export type Driver = {
  dialect: "sqlite" | "postgres";
  /** Runs a statement outside a transaction; it is committed when the rows are returned. */
  run(statement: Statement): unknown[] | Promise<unknown[]>;
  begin(): Promise<DriverTransaction>;
  /** See `Store.withDeferredDurability`. */
  withDeferredDurability<T>(work: () => Promise<T>): Promise<T>;
  isUnique(error: unknown): boolean;
  /** Throws StoreError "replaced" while the open SQLite file is no longer the one at its path; see `openedFile`. */
  requireSameFile(): void;
  /** Returns a driver of the same database for long-running work; `close` of this driver closes it too. */
  background(): BackgroundDriver;
  close(): Promise<void>;
};

/** Driver for long-running, low-priority work. It has no transactions. */
export type BackgroundDriver = Driver & {
  /**
   * Pauses in favour of other work and resolves when more statements may run. Returns the longest time in milliseconds
   * that one statement held the database since the last call.
   */
  settle(): Promise<number>;
};

/** Returns the error and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause);
  return causes;
}
