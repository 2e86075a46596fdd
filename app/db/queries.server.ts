import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Statement } from "./driver.server.ts";
import type { Tables } from "./schema.server.ts";

/**
 * The query builder, with SQLite's types on both databases. Repositories use await, `.returning()`,
 * `onConflictDoUpdate` and `$count`, never `.get()` or `.run()`.
 */
export type Queries = SqliteRemoteDatabase<Record<string, never>>;

/** Runs one statement of a store. */
export type Run = (statement: Statement) => Promise<unknown[]>;

/** The tables and the query builder of one dialect. */
export type Builder = { t: Tables; q: Queries };
