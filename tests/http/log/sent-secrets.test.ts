import { expect, test } from "vitest";
import { seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { startServer } from "#tests/support/server.ts";

/** Starts a server and signs a user in. */
async function startUsed() {
  const server = await startServer();
  const anna = await server.users.create();
  const party = await server.parties.create({ firstParty: true });
  const { accessToken } = await seedTokens(server, server.browser(), party, party.request(), anna);
  return { server, anna, accessToken };
}

// Proves requirement 122.
test("a secret in the log of any server of any test fails the file, and is not repeated", async () => {
  const { server, anna, accessToken } = await startUsed();
  server.context.log.info({ path: `/userinfo?access_token=${accessToken}` }, "a line that should not be");
  const closing = await server.close().catch((error: unknown) => error);
  expect(String(closing)).toContain("The log of the server contains secrets: access_token");
  expect(String(closing)).not.toMatch(new RegExp(`${accessToken}|${anna.password}`));
});

if (process.env.GATEHOUSE_TEST_DIALECT !== "postgres") {
  test("so does a password in a SQLite file", async () => {
    const { server, anna } = await startUsed();
    const { store } = server.context;
    await store.q.update(store.t.users).set({ displayName: `Anna ${anna.password}` });
    await expect(server.close()).rejects.toThrow("The database of the server contains secrets: password");
  });
}
