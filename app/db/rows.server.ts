import { inArray, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Store } from "./store.server.ts";

/** Returns the row of a statement that always returns one; throws if there is none. */
export function getOnly<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}

/** Returns true if the text contains a NUL character: PostgreSQL cannot store it, and a query with it would fail. */
export function cannotBeStored(text: string): boolean {
  return text.includes("\0");
}

/** Removes at most `batchSize` rows that match `where`; `key` is the primary key. Returns how many. */
export async function removeRows(
  { q }: Store,
  {
    table,
    key,
    where,
    batchSize,
  }: { table: SQLiteTable; key: SQLiteColumn; where: SQL | undefined; batchSize: number },
): Promise<number> {
  const batch = q.select({ key }).from(table).where(where).limit(batchSize);
  const removed = await q.delete(table).where(inArray(key, batch)).returning({ key });
  return removed.length;
}
