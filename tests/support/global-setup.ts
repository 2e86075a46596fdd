import { startPostgres } from "./postgres.ts";

/**
 * Runs once per kind of test before its files: one PostgreSQL for all of them, its address in the environment that the
 * test processes inherit.
 */
export async function setup() {
  if (process.env.GATEHOUSE_TEST_POSTGRES) return undefined;
  const { url, stop } = await startPostgres();
  process.env.GATEHOUSE_TEST_POSTGRES = url;
  return async () => {
    delete process.env.GATEHOUSE_TEST_POSTGRES;
    await stop();
  };
}
