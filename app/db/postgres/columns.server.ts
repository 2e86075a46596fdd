import {
  bigint,
  boolean,
  index,
  json as jsonText,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Kit } from "#app/db/sqlite/columns.server.ts";

/** Milliseconds, as SQLite keeps them, so that a time read back equals the time written. */
function time(name: string) {
  return timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
}

/**
 * `json`, not `jsonb`: it keeps the text as written and takes every string JavaScript can hold; nothing searches
 * inside.
 */
function json<T extends object>(name: string) {
  return jsonText(name).$type<T>();
}

/** 64 bits, as SQLite's integer: a security key's counter does not fit 32. */
function int(name: string) {
  return bigint(name, { mode: "number" });
}

/** A copy of another database brings its own numbers: hence "by default", not "always". */
function sequence(name: string) {
  return int(name).primaryKey().generatedByDefaultAsIdentity();
}

const postgresKit = { table: pgTable, text, int, bool: boolean, time, json, sequence, index, uniqueIndex, primaryKey };

/**
 * The kit in PostgreSQL's words, typed as SQLite's.
 * The cast is the border of the two dialects: both builders take the same calls (the contract tests run every
 * repository on both), yet drizzle gives them unrelated types.
 */
export const postgresKitAsSqlite = postgresKit as unknown as Kit;
