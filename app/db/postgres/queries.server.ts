import { drizzle } from "drizzle-orm/pg-proxy";
import type { Builder, Queries, Run } from "#app/db/queries.server.ts";
import * as t from "./schema.server.ts";

/** PostgreSQL's tables and query builder, in SQLite's types. */
export function postgresBuilder(run: Run): Builder {
  const q = drizzle(async (sql, params, method) => ({
    rows: await run({ sql, params, shape: method === "all" ? "arrays" : "objects" }),
  }));
  // The border of the two dialects, as in kit.postgres: the same calls, unrelated types.
  return { t, q: q as unknown as Queries };
}
