import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Statement } from "./driver.server.ts";
import type { Tables } from "./schema.server.ts";

/**
 * The query builder, with SQLite's types on both databases. Repositories use await, `.returning()`,
 * `onConflictDoUpdate`, `$count`; never `.get()`, `.run()`.
 */
export type Queries = SqliteRemoteDatabase<Record<string, never>>;

/** Runs one statement where the running code is. */
export type Run = (statement: Statement) => Promise<unknown[]>;

/** The tables and the query builder of one dialect. */
export type Builder = { t: Tables; q: Queries };
