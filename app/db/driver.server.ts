import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Tables } from "./schema.server.ts";

/**
 * The query builder, with SQLite's types on both databases. Repositories use await, `.returning()`,
 * `onConflictDoUpdate` and `$count`, never `.get()` or `.run()`.
 */
export type Queries = SqliteRemoteDatabase<Record<string, never>>;

/** One statement. `params` is emptied when it fails, so that error messages never quote stored values. */
export type Statement = { sql: string; params: unknown[]; shape: "arrays" | "objects" };

/** An open transaction on one connection. Not safe for concurrent statements. */
export type DriverTransaction = {
  run(statement: Statement): Promise<unknown[]>;
  /** Waits for the named lock, which is released when the transaction ends. */
  lock(name: string): Promise<void>;
  /**
   * Calls `onDurable` once the commit is durable, which may be after this promise resolves (`withDeferredDurability`).
   */
  commit(onDurable: () => void): Promise<void>;
  /** Never throws; discards a connection that cannot roll back. */
  rollback(): Promise<void>;
};

/** The operations that the store requires of a database; implemented once per dialect. */
export type Driver = {
  dialect: "sqlite" | "postgres";
  t: Tables;
  /** Creates a query builder whose statements are executed by `run`. */
  queries(run: (statement: Statement) => Promise<unknown[]>): Queries;
  /** Runs a statement outside a transaction; it is committed when the rows are returned. */
  run(statement: Statement): Promise<unknown[]>;
  begin(): Promise<DriverTransaction>;
  /** See `Store.withDeferredDurability`. */
  withDeferredDurability<T>(work: () => Promise<T>): Promise<T>;
  isUnique(error: unknown): boolean;
  /** Throws StoreError "replaced" while the open SQLite file is no longer the one at its path; see `openedFile`. */
  requireSameFile(): void;
  close(): Promise<void>;
};

/** Returns the error and its causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause);
  return causes;
}
