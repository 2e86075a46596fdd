import pg from "pg";
import { causesOf, type Driver, type DriverTransaction, type Statement } from "./driver.server.ts";

const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5000;
const UNIQUE_VIOLATION = "23505";

/** Opens a pool of connections to a PostgreSQL database; the first one is made when the first statement runs. */
export function openPostgres(url: string): Driver {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "gatehouse",
  });
  // An idle connection that breaks is replaced; without a listener it would end the process.
  pool.on("error", () => {});

  return {
    dialect: "postgres",
    run: (statement) => runOn(pool, statement),
    begin: async () => begin(await pool.connect()),
    isUnique: (error) =>
      causesOf(error).some((cause) => cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION),
    close: () => pool.end(),
  };
}

async function begin(client: pg.PoolClient): Promise<DriverTransaction> {
  try {
    await client.query("BEGIN");
  } catch (error) {
    client.release(true);
    throw error;
  }
  return {
    run: (statement) => runOn(client, statement),
    async lock(name) {
      await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [name]);
    },
    async commit() {
      // After a statement that failed, PostgreSQL answers COMMIT with a rollback, and no error.
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw new Error("a statement of this transaction failed: nothing was kept");
      client.release();
    },
    async rollback() {
      const broken = await client.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      client.release(broken);
    },
  };
}

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
