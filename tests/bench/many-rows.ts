import { setImmediate } from "node:timers/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { appendToAuditFile } from "#app/db/files/audit-file.server.ts";
import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { DAY_MS } from "#app/durations.ts";

/** The records that a sign-in leaves for longer than a few minutes, and the access token. */
const MODELS = ["Grant", "Session", "RefreshToken", "AccessToken"] as const;

/** The characters of base64url, as the database sorts them. */
const SORTED_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const SPREAD_DIGITS = 4;
const ID_LENGTH = 43;

/** More than the server compares with its audit file when it starts. */
const LAST_EVENTS = 100;

/** Rows of one INSERT: the benchmark reacts to signals between two. */
const ROWS_AT_ONCE = 50_000;

const idSchema = z.object({ id: z.string() });
const sessionSchema = idSchema.extend({ uid: z.string() });

/** Values of the columns in which copies differ from the original: expressions with the number `n` of the copy. */
type Overrides = Readonly<Record<string, string>>;

/** Returns the user name of a copy; numbers begin with 1. */
export function usernameOfCopy(number: number): string {
  return `person-of-many-${number}`;
}

/**
 * Adds copies of a user who has signed in once, until the SQLite file has `users` users: each with the audit events, the
 * known browser, the session, the grant and the tokens of the original, and with the same password. Returns the number of
 * copies. Copies do not expire within a day. The server must be stopped.
 */
export async function addCopies(file: string, original: { username: string; users: number }): Promise<number> {
  const copies = await insertCopies(file, original);
  // The server would write the events of all copies to its audit file while it is measured.
  const store = await openStore({ dialect: "sqlite", file });
  appendToAuditFile(file, await listLastAuditEvents(store, { limit: LAST_EVENTS }));
  await store.close();
  return copies;
}

async function insertCopies(file: string, { username, users }: { username: string; users: number }): Promise<number> {
  const database = new Database(file, { fileMustExist: true });
  try {
    // The file is not used if this fails.
    for (const pragma of ["synchronous = OFF", "foreign_keys = OFF"]) database.pragma(pragma);
    const { id } = idSchema.parse(database.prepare("SELECT id FROM users WHERE username = ?").get(username));
    const copies = users - z.number().parse(database.prepare("SELECT count(*) FROM users").pluck().get());
    database.function("id_of", { deterministic: true }, (kind, n) => idOf(String(kind), Number(n) / (copies + 1)));
    const copy = (table: string, original: string, overrides: Overrides) =>
      copyRow(database, { table, original, overrides, copies });
    await copyUser(copy, username);
    await copyEvents(database, copy, id);
    await copy("known_browsers", `user_id = '${id}'`, {
      user_id: "id_of('user', n)",
      browser_hash: "id_of('browser', n)",
    });
    await copyRecords(database, copy, id);
    return copies;
  } finally {
    database.close();
  }
}

type Copy = (table: string, original: string, overrides: Overrides) => Promise<void>;

async function copyUser(copy: Copy, username: string): Promise<void> {
  const name = `'${usernameOfCopy(0).slice(0, -1)}' || n`;
  await copy("users", `username = '${username}'`, {
    id: "id_of('user', n)",
    username: name,
    username_canonical: name,
    sort_name: "sort_name || ' ' || n",
    search_text: `sort_name || ' ' || n || ' ' || ${name}`,
  });
}

async function copyEvents(database: Database.Database, copy: Copy, userId: string): Promise<void> {
  const sequences = database.prepare("SELECT sequence FROM audit_events WHERE user_id = ?").pluck().all(userId);
  for (const sequence of sequences) {
    await copy("audit_events", `sequence = ${sequence}`, {
      sequence: "NULL",
      user_id: "id_of('user', n)",
      previous_hash: `id_of('event ${sequence}', n - 1)`,
      hash: `id_of('event ${sequence}', n)`,
    });
  }
}

async function copyRecords(database: Database.Database, copy: Copy, userId: string): Promise<void> {
  const record = database.prepare("SELECT id, uid FROM oidc_records WHERE account_id = ? AND model = ?");
  const grant = idSchema.parse(record.get(userId, "Grant"));
  const session = sessionSchema.parse(record.get(userId, "Session"));
  const replaced = [
    [userId, "id_of('user', n)"],
    [grant.id, "id_of('Grant', n)"],
    [session.uid, "id_of('uid', n)"],
  ].reduce((payload, [id, other]) => `replace(${payload}, '${id}', ${other})`, "payload");
  for (const model of MODELS) {
    await copy("oidc_records", `account_id = '${userId}' AND model = '${model}'`, {
      id: `id_of('${model}', n)`,
      payload: replaced,
      grant_id: "iif(grant_id IS NULL, NULL, id_of('Grant', n))",
      account_id: "id_of('user', n)",
      uid: "iif(uid IS NULL, NULL, id_of('uid', n))",
      expires_at: `expires_at + ${DAY_MS} + n`,
    });
  }
}

/** Inserts copies of one row in the order of `n`. */
async function copyRow(
  database: Database.Database,
  { table, original, overrides, copies }: { table: string; original: string; overrides: Overrides; copies: number },
): Promise<void> {
  const columns = z
    .array(z.string())
    .parse(database.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table));
  // The original is in a table of its own: SQLite would keep all copies in memory if it read from the table that it
  // changes.
  database.exec(`CREATE TEMP TABLE original AS SELECT * FROM ${table} WHERE ${original}`);
  // The driver binds numbers as REAL.
  const insert = database.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT CAST($first AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n < $last)
     INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${columns.map((column) => overrides[column] ?? column).join(", ")} FROM numbers CROSS JOIN original`,
  );
  for (let first = 1; first <= copies; first += ROWS_AT_ONCE) {
    insert.run({ first, last: Math.min(first + ROWS_AT_ONCE - 1, copies) });
    await setImmediate();
  }
  database.exec("DROP TABLE original");
}

/**
 * Returns an id that is sorted by `share` (0 to 1). Ascending ids are fast to insert, and those that the server makes at
 * random are distributed evenly among them.
 */
function idOf(kind: string, share: number): string {
  let rest = share;
  let digits = "";
  for (let digit = 0; digit < SPREAD_DIGITS; digit += 1) {
    rest *= SORTED_DIGITS.length;
    digits += SORTED_DIGITS[Math.floor(rest)];
    rest -= Math.floor(rest);
  }
  return `${digits}-${kind.replaceAll(" ", "-")}`.padEnd(ID_LENGTH, "-");
}
