import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Column of a point in time: milliseconds since 1970, a Date in the program. */
function time(name: string) {
  return integer(name, { mode: "timestamp_ms" });
}

function bool(name: string) {
  return integer(name, { mode: "boolean" });
}

/** A JSON document as text; arrays and objects only. */
function json<T extends object>(name: string) {
  return text(name, { mode: "json" }).$type<T>();
}

function sequence(name: string) {
  return integer(name).primaryKey({ autoIncrement: true });
}

/**
 * What the schema is written with, in SQLite's words. Its types are the ones the whole program sees, on both databases.
 */
export const sqliteKit = {
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

export type Kit = typeof sqliteKit;
