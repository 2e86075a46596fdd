import { stat } from "node:fs/promises";
import { z } from "zod";
import type { DatabaseTarget, Store } from "./store.server.ts";

/** Bytes of the database, and of what a SQLite file has written but not yet taken over; null on PostgreSQL. */
export type DatabaseSize = { databaseBytes: number; walBytes: number | null };

const sizeRow = z.object({ size: z.coerce.number() });

/** Looks how large the database is on the disk. Throws when that cannot be seen. */
export async function databaseSize(store: Store, target: DatabaseTarget): Promise<DatabaseSize> {
  if (target.dialect === "sqlite") {
    return { databaseBytes: (await stat(target.file)).size, walBytes: await sizeOrNothing(`${target.file}-wal`) };
  }
  const [row] = await store.execute("SELECT pg_database_size(current_database()) AS size");
  return { databaseBytes: sizeRow.parse(row).size, walBytes: null };
}

/** SQLite takes the file away where nobody writes. */
async function sizeOrNothing(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
