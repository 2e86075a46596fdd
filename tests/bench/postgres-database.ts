import { randomBytes } from "node:crypto";
import pg from "pg";
import { startPostgres } from "#tests/support/postgres.ts";

/** An empty database of its own; `stop` removes it. */
export type PostgresDatabase = { url: string; stop(): Promise<void> };

/** Creates a database on the PostgreSQL of DATABASE_URL_TEST, or on one that is started. */
export async function createPostgresDatabase(): Promise<PostgresDatabase> {
  const server = await startPostgres();
  const name = `gatehouse_bench_${randomBytes(8).toString("hex")}`;
  await query(server.url, `CREATE DATABASE ${name}`);
  const url = new URL(server.url);
  url.pathname = name;
  return {
    url: url.href,
    async stop() {
      await query(server.url, `DROP DATABASE ${name} WITH (FORCE)`);
      await server.stop();
    },
  };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
