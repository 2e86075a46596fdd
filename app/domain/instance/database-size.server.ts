import type { Config } from "#app/config/config.ts";
import { type DatabaseSize, databaseSize } from "#app/db/size.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** How large the database is on the disk. Throws when that cannot be seen. */
export async function readDatabaseSize({
  store,
  config,
}: {
  store: Store;
  config: Pick<Config, "database">;
}): Promise<DatabaseSize> {
  return databaseSize(store, config.database);
}
