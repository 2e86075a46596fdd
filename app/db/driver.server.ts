/** One statement; `params` is emptied when it fails, so that no error message ever quotes what was stored. */
export type Statement = { sql: string; params: unknown[]; shape: "arrays" | "objects" };

/** An open transaction on one connection. Statements must come one after the other. */
export type DriverTransaction = {
  run(statement: Statement): unknown[] | Promise<unknown[]>;
  /** Waits for a lock of this name; it is free again when the transaction ends. */
  lock(name: string): Promise<void>;
  /** `whenSafe` is called once nothing can undo it any more, which may be later than this ends (`withDeferredDurability`). */
  commit(whenSafe: () => void): Promise<void>;
  /** Never throws: a connection that cannot roll back is thrown away. */
  rollback(): Promise<void>;
};

/** What a database must be able to do for the store; one file per database. */
export type Driver = {
  dialect: "sqlite" | "postgres";
  /** Runs a statement on its own; it is committed when the answer is there. */
  run(statement: Statement): unknown[] | Promise<unknown[]>;
  begin(): Promise<DriverTransaction>;
  /** Does work whose commits may be waited for together, at its end. */
  withDeferredDurability<T>(work: () => Promise<T>): Promise<T>;
  isUnique(error: unknown): boolean;
  /** Throws StoreError "replaced" while the open SQLite file is no longer the one at its path; see `openedFile`. */
  requireSameFile(): void;
  /** A driver of the same database for long work; `close` of this one closes it too. */
  background(): BackgroundDriver;
  close(): Promise<void>;
};

/** For long work that gives way to everybody else. It has no transactions. */
export type BackgroundDriver = Driver & {
  /**
   * Gives way to the others; ends when more may be done. Answers for how many milliseconds one statement kept the others
   * from the database at most since the last time.
   */
  settle(): Promise<number>;
};

/** The error and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link instanceof Error && !chain.includes(link); link = link.cause) chain.push(link);
  return chain;
}
