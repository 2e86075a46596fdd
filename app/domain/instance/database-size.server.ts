import type { Config } from "#app/config/config.ts";
import { type DatabaseSize, measureDatabaseSize } from "#app/db/size.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Returns the size of the database on disk. Throws if it cannot be read. */
export async function readDatabaseSize({
  store,
  config,
}: {
  store: Store;
  config: Pick<Config, "database">;
}): Promise<DatabaseSize> {
  return measureDatabaseSize(store, config.database);
}
