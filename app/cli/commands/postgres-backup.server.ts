import { execFileSync } from "node:child_process";
import type { Config } from "#app/config/config.ts";
import { showDatabase } from "#app/config/database-value.server.ts";
import { listPendingMigrations } from "#app/db/migrations.server.ts";
import { findInstance } from "#app/db/repositories/instance.server.ts";
import { openStore } from "#app/db/store.server.ts";

/** One thing that was looked at, for a backup that somebody else makes. */
export type PostgresCheck = { what: string; ok: boolean; detail: string };

/** How a PostgreSQL database is backed up; the password comes from PGPASSWORD or ~/.pgpass, never from an argument. */
export function postgresBackupLines(database: Config["database"]): string[] {
  const url = withoutPassword(database);
  return [
    "A PostgreSQL server has its own tools, which know more than this command:",
    `  pg_dump --format=custom --file=gatehouse.dump "${url}"`,
    "with the password in PGPASSWORD or ~/.pgpass. SECRET_KEYS is not in it: keep it apart.",
  ];
}

/** How it is restored. */
export function postgresRestoreLines(url: string): string[] {
  const shown = withoutPassword({ dialect: "postgres", url });
  return [
    "A PostgreSQL server has its own tools. With every Gatehouse stopped:",
    `  pg_restore --clean --if-exists --single-transaction --dbname="${shown}" gatehouse.dump`,
    "Then gatehouse restore --fence --yes ends every session and token that came back with it.",
  ];
}

/** Looks at what a backup by pg_dump needs: the server, the schema, the program itself and its version. */
export async function checkPostgres(database: Config["database"]): Promise<PostgresCheck[]> {
  const store = await openStore(database);
  try {
    const [row] = await store.execute("SHOW server_version");
    const serverVersion = textOf(row, "server_version");
    const pending = await listPendingMigrations(store);
    const instance = await findInstance(store);
    return [
      { what: "server", ok: true, detail: `PostgreSQL ${serverVersion} at ${showDatabase(database)}` },
      { what: "schema", ok: pending.length === 0, detail: pending.length === 0 ? "up to date" : pending.join(", ") },
      { what: "key", ok: instance !== null, detail: instance?.keyFingerprint ?? "no server ever ran on it" },
      pgDumpCheck(serverVersion),
    ];
  } finally {
    await store.close();
  }
}

function pgDumpCheck(serverVersion: string): PostgresCheck {
  const found = pgDumpVersion();
  if (found === null) return { what: "pg_dump", ok: false, detail: "not on this machine's PATH" };
  const isNew = Number.parseInt(found, 10) >= Number.parseInt(serverVersion, 10);
  return { what: "pg_dump", ok: isNew, detail: isNew ? found : `${found} is older than the server` };
}

function pgDumpVersion(): string | null {
  try {
    const said = execFileSync("pg_dump", ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /(\d+(\.\d+)*)/.exec(said)?.[1] ?? null;
  } catch {
    return null;
  }
}

function withoutPassword(database: Config["database"]): string {
  if (database.dialect === "sqlite") return database.file;
  const url = new URL(database.url);
  url.password = "";
  return url.href;
}

function textOf(row: unknown, name: string): string {
  const value = typeof row === "object" && row !== null ? new Map(Object.entries(row)).get(name) : undefined;
  return typeof value === "string" ? value : "unknown";
}
