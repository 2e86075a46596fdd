import { drizzle } from "drizzle-orm/pg-proxy";
import pg from "pg";
import { causesOf, type Driver, type DriverTransaction, type Queries, type Statement } from "#app/db/driver.server.ts";
import * as t from "./schema.server.ts";

const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 10_000;
const UNIQUE_VIOLATION = "23505";

/** Opens a pool of connections to a PostgreSQL database; connects when the first statement runs. */
export function openPostgres(url: string): Driver {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "gatehouse",
    // An idle transaction blocks others that need its rows.
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    // The same limit as on SQLite.
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  // The pool replaces a broken idle connection; without a listener the event would end the process.
  pool.on("error", ignore);

  return {
    dialect: "postgres",
    t,
    queries,
    run: (statement) => runOn(pool, statement),
    begin: async () => begin(await pool.connect()),
    // Statements are already durable when they return.
    withDeferredDurability: (work) => work(),
    isUnique: (error) =>
      causesOf(error).some((cause) => cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION),
    // There is no file that could be replaced.
    requireSameFile: () => {},
    close: () => pool.end(),
  };
}

function queries(run: (statement: Statement) => Promise<unknown[]>): Queries {
  const q = drizzle(async (sql, params, method) => ({
    rows: await run({ sql, params, shape: method === "all" ? "arrays" : "objects" }),
  }));
  // The same calls, unrelated types: see `postgresColumnTypesAsSqlite`.
  return q as unknown as Queries;
}

async function begin(client: pg.PoolClient): Promise<DriverTransaction> {
  // If the connection breaks between two statements, the next one fails; without a listener the process would end.
  client.on("error", ignore);
  function release(broken: boolean): void {
    if (!broken) client.off("error", ignore);
    client.release(broken);
  }
  try {
    await client.query("BEGIN");
  } catch (error) {
    release(true);
    throw error;
  }
  return {
    run: (statement) => runOn(client, statement),
    async lock(name) {
      await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [name]);
    },
    async commit(onDurable) {
      // After a failed statement, PostgreSQL responds to COMMIT with a rollback and no error.
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw new Error("a statement of this transaction failed, so it was rolled back");
      release(false);
      onDurable();
    },
    async rollback() {
      const broken = await client.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      release(broken);
    },
  };
}

function ignore(): void {}

async function runOn(client: pg.Pool | pg.PoolClient, { sql, params, shape }: Statement): Promise<unknown[]> {
  try {
    const query = { text: sql, values: params, types: rawTypes };
    const result = shape === "arrays" ? await client.query({ ...query, rowMode: "array" }) : await client.query(query);
    return result.rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) clearValues(error);
    throw error;
  }
}

/** Clears the fields in which PostgreSQL quotes the failing row, to keep hashes and sealed secrets out of the log. */
function clearValues(error: pg.DatabaseError): void {
  error.detail = undefined;
  error.where = undefined;
}

/** Keeps times and JSON as text; the schema's columns convert them to Dates and objects. */
const rawTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.TIMESTAMPTZ || oid === pg.types.builtins.JSON
      ? (value: string) => value
      : pg.types.getTypeParser(oid, format),
};
