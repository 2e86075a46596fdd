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
import type { ColumnTypes } from "#app/db/sqlite/columns.server.ts";

/** Millisecond precision as on SQLite, so that a time read back equals the time written. */
function time(name: string) {
  return timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
}

/** `json`, not `jsonb`: it keeps the text as written and accepts every JavaScript string; no query searches inside. */
function json<T extends object>(name: string) {
  return jsonText(name).$type<T>();
}

/** 64 bits, as SQLite's integer: a security key's unsigned 32-bit counter does not fit a signed one. */
function int(name: string) {
  return bigint(name, { mode: "number" });
}

/** "by default" instead of "always": a copied database keeps its sequence numbers. */
function sequence(name: string) {
  return int(name).primaryKey().generatedByDefaultAsIdentity();
}

const postgresColumnTypes = {
  table: pgTable,
  text,
  int,
  bool: boolean,
  time,
  json,
  sequence,
  index,
  uniqueIndex,
  primaryKey,
};

/**
 * PostgreSQL's column types, typed as SQLite's. Both builders take the same calls (the contract tests run every
 * repository on both), but drizzle gives them unrelated types.
 */
export const postgresColumnTypesAsSqlite = postgresColumnTypes as unknown as ColumnTypes;
