import Database from "better-sqlite3";
import pg from "pg";
import type { DatabaseTarget } from "#app/db/store.server.ts";

/** Locks the database from another connection; returns the function that releases it. */
export async function holdDatabase(target: DatabaseTarget): Promise<() => Promise<void>> {
  if (target.dialect === "sqlite") {
    // A loaded machine may keep the lock of the server's last statement for more than the default of 5 s.
    const other = new Database(target.file, { timeout: 60_000 });
    other.exec("BEGIN IMMEDIATE");
    return async () => {
      other.exec("ROLLBACK");
      other.close();
    };
  }
  const other = new pg.Client({ connectionString: target.url });
  await other.connect();
  await other.query("BEGIN");
  await other.query("LOCK TABLE rate_limits, oidc_records, audit_events, manage_chains IN ACCESS EXCLUSIVE MODE");
  return async () => {
    await other.query("ROLLBACK");
    await other.end();
  };
}
