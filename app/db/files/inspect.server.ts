import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { z } from "zod";

/** Content of a SQLite file. `counts`: rows by table. `instance`: null before the first start on it. */
export type DatabaseSummary = {
  /** Applied migrations, in order. */
  migrations: string[];
  counts: Record<string, number>;
  instance: {
    epoch: number;
    keysGeneration: number;
    keyFingerprint: string;
    issuer: string;
    rpId: string;
    createdAt: Date;
  } | null;
  /** Time of the last audit event, which dates the file. */
  lastEventAt: Date | null;
};

/** Reasons why a file cannot be used as our database. */
type FileProblemCode = "missing" | "empty" | "damaged" | "foreign";

/** Thrown for a file that cannot be used as our database; the message is written for the administrator. */
export class FileProblem extends Error {
  readonly code: FileProblemCode;

  constructor(code: FileProblemCode, message: string) {
    super(message);
    this.name = "FileProblem";
    this.code = code;
  }
}

/** Tables whose rows are counted: data that users and administrators have entered. */
const COUNTED = [
  "users",
  "groups",
  "clients",
  "totp_credentials",
  "webauthn_credentials",
  "recovery_codes",
  "external_accounts",
  "consents",
  "signing_keys",
  "audit_events",
] as const;

const nameSchema = z.array(z.object({ name: z.string() }));
const countSchema = z.object({ count: z.int() });
const instanceSchema = z
  .object({
    epoch: z.int(),
    keys_generation: z.int(),
    key_fingerprint: z.string(),
    issuer: z.string(),
    rp_id: z.string(),
    created_at: z.int(),
  })
  .transform((row) => ({
    epoch: row.epoch,
    keysGeneration: row.keys_generation,
    keyFingerprint: row.key_fingerprint,
    issuer: row.issuer,
    rpId: row.rp_id,
    createdAt: new Date(row.created_at),
  }));

/**
 * Checks every page and every foreign key of a database and returns its summary. Throws FileProblem "damaged", or
 * "foreign" for a database that is not ours.
 */
export function inspectDatabase(database: Database.Database): DatabaseSummary {
  requireIntact(database);
  return readSummary(database);
}

/** Returns the summary without checking every page. Throws FileProblem "foreign". */
function readSummary(database: Database.Database): DatabaseSummary {
  const tables = nameSchema.parse(database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all());
  const has = (table: string) => tables.some(({ name }) => name === table);
  if (!has("schema_migrations")) {
    throw new FileProblem("foreign", "The file is a SQLite database, but not one of Gatehouse.");
  }
  const migrations = database.prepare("SELECT name FROM schema_migrations ORDER BY name").all();
  return {
    migrations: nameSchema.parse(migrations).map(({ name }) => name),
    counts: Object.fromEntries(COUNTED.filter(has).map((table) => [table, countOf(database, table)])),
    instance: has("instance") ? readInstance(database) : null,
    lastEventAt: has("audit_events") ? readLastEventAt(database) : null,
  };
}

/** Returns the summary of the live database, which may be in use; null if it is missing or cannot be read. */
export function readLiveSummary(file: string): DatabaseSummary | null {
  if (!existsSync(file)) return null;
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return readSummary(database);
    } finally {
      database.close();
    }
  } catch {
    // Damage may be the reason for the restore.
    return null;
  }
}

function requireIntact(database: Database.Database): void {
  const results = z.array(z.object({ integrity_check: z.string() })).parse(database.pragma("integrity_check"));
  const errors = results.map((row) => row.integrity_check).filter((text) => text !== "ok");
  if (errors.length > 0) throw new FileProblem("damaged", `The file is damaged: ${errors.slice(0, 3).join("; ")}`);
  const violations = z.array(z.object({ table: z.string() })).parse(database.pragma("foreign_key_check"));
  if (violations.length === 0) return;
  const tables = [...new Set(violations.map(({ table }) => table))].join(", ");
  throw new FileProblem("damaged", `${violations.length} rows reference missing rows (in ${tables}).`);
}

function countOf(database: Database.Database, table: (typeof COUNTED)[number]): number {
  return countSchema.parse(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()).count;
}

function readInstance(database: Database.Database): DatabaseSummary["instance"] {
  const row = database.prepare("SELECT * FROM instance WHERE id = 1").get();
  return row === undefined ? null : instanceSchema.parse(row);
}

function readLastEventAt(database: Database.Database): Date | null {
  const row = database.prepare("SELECT at FROM audit_events ORDER BY sequence DESC LIMIT 1").get();
  return row === undefined ? null : new Date(z.object({ at: z.int() }).parse(row).at);
}
