import { startPostgres } from "./postgres.ts";

/** Runs once per project: starts PostgreSQL and passes its URL to the test processes in the environment. */
export async function setup() {
  if (process.env.GATEHOUSE_TEST_POSTGRES) return undefined;
  const { url, stop } = await startPostgres();
  process.env.GATEHOUSE_TEST_POSTGRES = url;
  return async () => {
    delete process.env.GATEHOUSE_TEST_POSTGRES;
    await stop();
  };
}
