import { drizzle } from "drizzle-orm/pg-proxy";
import type { Builder, Queries, Run } from "#app/db/queries.server.ts";
import * as t from "./schema.server.ts";

/** Returns PostgreSQL's tables and query builder, typed as SQLite's. */
export function postgresBuilder(run: Run): Builder {
  const q = drizzle(async (sql, params, method) => ({
    rows: await run({ sql, params, shape: method === "all" ? "arrays" : "objects" }),
  }));
  // The same calls, unrelated types: see `postgresKitAsSqlite`.
  return { t, q: q as unknown as Queries };
}
