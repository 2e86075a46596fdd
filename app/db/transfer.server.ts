import { asc, type Column, getTableColumns, getTableName, max, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { z } from "zod";
import type { Tables } from "./schema.server.ts";
import type { Store } from "./store.server.ts";

/** Rows per statement: even for the widest table, far fewer values than either database accepts. */
const BATCH = 500;

/** Every table with its key columns; referenced tables come first. */
const KEYS = {
  groups: ["id"],
  users: ["id"],
  userRoles: ["userId"],
  reservedUsernames: ["usernameCanonical"],
  helpLinks: ["id"],
  groupMembers: ["userId", "groupId"],
  externalAccounts: ["id"],
  totpCredentials: ["userId"],
  webauthnCredentials: ["id"],
  recoveryCodes: ["userId", "codeHash"],
  clients: ["id"],
  clientGroups: ["clientId", "groupId"],
  clientLogos: ["clientId"],
  signingKeys: ["kid"],
  oidcRecords: ["model", "id"],
  consents: ["userId", "clientId"],
  knownBrowsers: ["userId", "browserHash"],
  rememberedDevices: ["id"],
  oneTimeTokens: ["tokenHash"],
  manageSessions: ["tokenHash"],
  manageChains: ["id"],
  auditEvents: ["sequence"],
  rateLimits: ["key"],
  mailOutbox: ["id"],
  backchannelLogouts: ["id"],
  instance: ["id"],
} as const satisfies Record<keyof Tables, readonly string[]>;

/** Number of rows by table name. */
export type RowCounts = Record<string, number>;

/** Returns the number of rows of each table. */
export async function countAllRows(store: Store): Promise<RowCounts> {
  const counts: RowCounts = {};
  for (const { table, name } of tablesOf(store)) counts[name] = await store.q.$count(table);
  return counts;
}

/**
 * Returns the tables that prevent a copy into a PostgreSQL database, whose schema may be missing or older: `foreign`
 * are not ours, `filled` are ours and contain rows.
 */
export async function findBlockingTables(store: Store): Promise<{ foreign: string[]; filled: string[] }> {
  const ownNames = tablesOf(store).map(({ name }) => name);
  const rows = await store.execute("SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()");
  const names = z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
  const filled: string[] = [];
  for (const name of ownNames.filter((one) => names.includes(one))) {
    if ((await store.execute(`SELECT 1 FROM "${name}" LIMIT 1`)).length > 0) filled.push(name);
  }
  return { foreign: names.filter((name) => name !== "schema_migrations" && !ownNames.includes(name)), filled };
}

/**
 * Copies every row into an empty database of the same schema, in batches; calls `onProgress` with the number of rows
 * copied. Pass two transactions: the first prevents concurrent writes, the second rolls back a failed copy.
 */
export async function transferRows(
  from: Store,
  to: Store,
  { onProgress }: { onProgress: (done: number) => void },
): Promise<void> {
  const targets = tablesOf(to);
  let done = 0;
  for (const [index, source] of tablesOf(from).entries()) {
    const target = targets[index];
    for await (const rows of batchesOf(from, source)) {
      if (target) await to.q.insert(target.table).values(rows);
      done += rows.length;
      onProgress(done);
    }
  }
  if (to.dialect === "postgres") await continueSequence(to);
}

type Row = Record<string, unknown>;
type TransferTable = { table: SQLiteTable; name: string; key: readonly string[] };

function tablesOf({ t }: Store): TransferTable[] {
  const tables = new Map<string, SQLiteTable>(Object.entries(t));
  return Object.entries(KEYS).flatMap(([property, key]) => {
    const table = tables.get(property);
    return table ? [{ table, name: getTableName(table), key }] : [];
  });
}

/** Yields the rows in the order of their key; each batch starts after the last key of the previous one. */
async function* batchesOf({ q }: Store, { table, key }: TransferTable): AsyncGenerator<Row[]> {
  const columns = new Map<string, Column>(Object.entries(getTableColumns(table)));
  const ordered = key.flatMap((name) => columns.get(name) ?? []);
  let after: SQL | undefined;
  let rows: Row[];
  do {
    rows = await q
      .select()
      .from(table)
      .where(after)
      .orderBy(...ordered.map((column) => asc(column)))
      .limit(BATCH);
    const last = rows.at(-1);
    if (last === undefined) return;
    const values = key.map((name) => sql`${last[name]}`);
    after = sql`(${sql.join(ordered, sql`, `)}) > (${sql.join(values, sql`, `)})`;
    yield rows;
  } while (rows.length === BATCH);
}

/** Lets the next audit event continue after the last copied sequence number. */
async function continueSequence({ q, t: { auditEvents } }: Store): Promise<void> {
  const [row] = await q.select({ last: max(auditEvents.sequence) }).from(auditEvents);
  if (row?.last == null) return;
  const name = sql`pg_get_serial_sequence(${getTableName(auditEvents)}, ${auditEvents.sequence.name})`;
  await q
    .select({ value: sql`setval(${name}, ${row.last})` })
    .from(auditEvents)
    .limit(1);
}
