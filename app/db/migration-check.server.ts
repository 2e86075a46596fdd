import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyDatabase } from "#app/db/files/backup.server.ts";
import { removeTemporaryFiles, temporaryName } from "#app/db/files/temporary-files.server.ts";
import type { Clock } from "#app/ports.ts";
import { tryMigrations } from "./migrations.server.ts";
import { type DatabaseTarget, openStore } from "./store.server.ts";

/** Prefix of the copy's name. */
const COPY_PREFIX = "checking";

/**
 * Returns the migrations that this program would apply, after applying them to a copy beside the SQLite file; on
 * PostgreSQL, in a transaction that is rolled back. The database does not change, and servers may use it meanwhile.
 * Removes the copy, and those of killed processes.
 * @throws StoreError "database newer", FileProblem if the SQLite file is damaged, and the error of a failing migration.
 */
export async function checkMigrations(database: DatabaseTarget, { clock }: { clock: Clock }): Promise<string[]> {
  if (database.dialect === "postgres") return tryOn(database);
  const folder = dirname(database.file);
  removeTemporaryFiles(folder, { prefixes: [`${COPY_PREFIX}.`], now: clock.now() });
  const copy = temporaryName(join(folder, COPY_PREFIX));
  try {
    // A database that does not exist yet is tried as an empty file.
    if (existsSync(database.file)) copyDatabase(database.file, copy);
    return await tryOn({ dialect: "sqlite", file: copy });
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${copy}${suffix}`, { force: true });
  }
}

async function tryOn(database: DatabaseTarget): Promise<string[]> {
  const store = await openStore(database);
  try {
    return await tryMigrations(store);
  } finally {
    await store.close();
  }
}
