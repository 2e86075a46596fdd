import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Column of a Date, stored as milliseconds since 1970. */
function time(name: string) {
  return integer(name, { mode: "timestamp_ms" });
}

function bool(name: string) {
  return integer(name, { mode: "boolean" });
}

/** Column of a JSON document stored as text; arrays and objects only. */
function json<T extends object>(name: string) {
  return text(name, { mode: "json" }).$type<T>();
}

function sequence(name: string) {
  return integer(name).primaryKey({ autoIncrement: true });
}

/** SQLite's column types for `defineSchema`. The whole program uses their TypeScript types, on both databases. */
export const sqliteColumnTypes = {
  table: sqliteTable,
  text,
  int: integer,
  bool,
  time,
  json,
  sequence,
  index,
  uniqueIndex,
  primaryKey,
};

/** The column types that a dialect provides. */
export type ColumnTypes = typeof sqliteColumnTypes;
