import { execFileSync } from "node:child_process";
import type { Config } from "#app/config/config.ts";
import { showDatabase } from "#app/config/database-value.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { findInstance } from "#app/db/repositories/instance.server.ts";
import { openStore } from "#app/db/store.server.ts";

/** The result of one check before a backup with pg_dump. */
type PostgresCheck = { what: string; ok: boolean; detail: string };

/** Instructions for a backup with pg_dump. The password comes from PGPASSWORD or ~/.pgpass, never from an argument. */
export function postgresBackupLines(database: Config["database"]): string[] {
  const url = withoutPassword(database);
  return [
    "Back up a PostgreSQL database with its own tools:",
    `  pg_dump --format=custom --file=gatehouse.dump "${url}"`,
    "Set the password in PGPASSWORD or ~/.pgpass. The dump does not contain SECRET_KEYS: store them separately.",
  ];
}

/** Instructions for a restore with pg_restore. */
export function postgresRestoreLines(url: string): string[] {
  const shown = withoutPassword({ dialect: "postgres", url });
  return [
    "Restore a PostgreSQL database with its own tools. Stop every Gatehouse server, then run:",
    `  pg_restore --clean --if-exists --single-transaction --dbname="${shown}" gatehouse.dump`,
    "Then run gatehouse restore --end-access --yes, which ends every session and token of the restored database.",
  ];
}

/** Checks the requirements of pg_dump: server, schema, key fingerprint, and the version of the program. */
export async function checkPostgresBackup(database: Config["database"]): Promise<PostgresCheck[]> {
  const store = await openStore(database);
  try {
    const [row] = await store.execute("SHOW server_version");
    const serverVersion = textOf(row, "server_version");
    const pending = await listPendingMigrations(store);
    const instance = await findInstance(store);
    return [
      { what: "server", ok: true, detail: `PostgreSQL ${serverVersion} at ${showDatabase(database)}` },
      { what: "schema", ok: pending.length === 0, detail: pending.length === 0 ? "up to date" : pending.join(", ") },
      {
        what: "key",
        ok: instance !== null,
        detail: instance?.keyFingerprint ?? "no Gatehouse server has used this database yet",
      },
      pgDumpCheck(serverVersion),
    ];
  } finally {
    await store.close();
  }
}

function pgDumpCheck(serverVersion: string): PostgresCheck {
  const found = pgDumpVersion();
  if (found === null) return { what: "pg_dump", ok: false, detail: "not found in PATH" };
  const isNew = Number.parseInt(found, 10) >= Number.parseInt(serverVersion, 10);
  return { what: "pg_dump", ok: isNew, detail: isNew ? found : `${found} is older than the server` };
}

function pgDumpVersion(): string | null {
  try {
    const output = execFileSync("pg_dump", ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /(\d+(\.\d+)*)/.exec(output)?.[1] ?? null;
  } catch {
    return null;
  }
}

function withoutPassword(database: Config["database"]): string {
  if (database.dialect === "sqlite") return database.file;
  const url = new URL(database.url);
  url.password = "";
  for (const name of ["password", "sslpassword"]) url.searchParams.delete(name);
  return url.href;
}

function textOf(row: unknown, name: string): string {
  const value = typeof row === "object" && row !== null ? new Map(Object.entries(row)).get(name) : undefined;
  return typeof value === "string" ? value : "unknown";
}
