import { stat } from "node:fs/promises";
import { z } from "zod";
import type { DatabaseTarget, Store } from "./store.server.ts";

/** Size of the database and of a SQLite file's WAL in bytes; `walBytes` is null on PostgreSQL. */
export type DatabaseSize = { databaseBytes: number; walBytes: number | null };

const sizeRow = z.object({ size: z.coerce.number() });

/** Returns the size of the database on disk. Throws if it cannot be read. */
export async function measureDatabaseSize(store: Store, target: DatabaseTarget): Promise<DatabaseSize> {
  if (target.dialect === "sqlite") {
    return { databaseBytes: (await stat(target.file)).size, walBytes: await sizeOrZero(`${target.file}-wal`) };
  }
  const [row] = await store.execute("SELECT pg_database_size(current_database()) AS size");
  return { databaseBytes: sizeRow.parse(row).size, walBytes: null };
}

/** Returns 0 if the file cannot be read; SQLite deletes an unused WAL file. */
async function sizeOrZero(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
