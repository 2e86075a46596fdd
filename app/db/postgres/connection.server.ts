import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { causesOf, type Driver, type DriverTransaction, type Statement } from "#app/db/driver.server.ts";

const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 10_000;
/** Between two statements of long work, so that they do not take a connection and the disk all the time. */
const BACKGROUND_PAUSE_MS = 10;
const UNIQUE_VIOLATION = "23505";

/** Opens a pool of connections to a PostgreSQL database; the first one is made when the first statement runs. */
export function openPostgres(url: string): Driver {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "gatehouse",
    // A transaction that does nothing holds up whoever needs its rows.
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    // As long as on SQLite: then the person is told that it did not work.
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on("error", ignore);

  const driver: Driver = {
    dialect: "postgres",
    run: (statement) => runOn(pool, statement),
    begin: async () => begin(await pool.connect()),
    // Its statements are committed when they are answered.
    withDeferredDurability: (work) => work(),
    isUnique: (error) =>
      causesOf(error).some((cause) => cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION),
    // There is no file that could be replaced.
    requireSameFile: () => {},
    // Its statements hold nobody up here, and its server tidies up by itself.
    background: () => ({ ...driver, settle: () => sleep(BACKGROUND_PAUSE_MS, 0), close: async () => {} }),
    close: () => pool.end(),
  };
  return driver;
}

async function begin(client: pg.PoolClient): Promise<DriverTransaction> {
  // A connection may break between two statements: the next one says so, without a listener the process would end.
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
    async commit(whenSafe) {
      // After a statement that failed, PostgreSQL answers COMMIT with a rollback, and no error.
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw new Error("a statement of this transaction failed: nothing was kept");
      release(false);
      whenSafe();
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
    const answer = shape === "arrays" ? await client.query({ ...query, rowMode: "array" }) : await client.query(query);
    return answer.rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) forgetValues(error);
    throw error;
  }
}

/** PostgreSQL quotes the failing row in these: hashes and sealed secrets would end in the log. */
function forgetValues(error: pg.DatabaseError): void {
  error.detail = undefined;
  error.where = undefined;
}

/** Times and JSON stay text: the schema's columns turn them into Dates and objects. */
const rawTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.TIMESTAMPTZ || oid === pg.types.builtins.JSON
      ? (value: string) => value
      : pg.types.getTypeParser(oid, format),
};
