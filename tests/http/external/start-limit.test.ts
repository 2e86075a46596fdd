import { expect, test } from "vitest";
import { open } from "#tests/http/oidc/browser-steps.ts";
import { providersOfFile } from "./providers.ts";
import { linkTo } from "./steps.ts";

const PER_ADDRESS = 3000;
const WINDOW_SECONDS = 10 * 60;

const setup = await providersOfFile({ TRUST_PROXY: "127.0.0.1" });
const party = await setup.server.parties.create({ firstParty: true });

/** Returns the number of sign-ins that were begun at a provider. */
async function countAttempts(): Promise<number> {
  const { store } = setup.server.context;
  return (await store.q.select({ id: store.t.oneTimeTokens.tokenHash }).from(store.t.oneTimeTokens)).length;
}

// Proves requirement 142.
test("an address begins 3000 sign-ins at a provider in ten minutes; one more stores nothing", async () => {
  const browser = setup.server.browser();
  const link = linkTo(await open(browser, party.request().url), "google");
  const begin = (address: string) => browser.get(link, { headers: { "x-forwarded-for": address } });
  for (let begun = 0; begun < PER_ADDRESS; begun += 1) expect((await begin("198.51.100.1")).status).toBe(303);
  const stored = await countAttempts();
  const refused = await begin("198.51.100.1");
  const retryAfterSeconds = Number(refused.headers["retry-after"]);
  expect(refused.status).toBe(429);
  expect(retryAfterSeconds).toBeGreaterThan(0);
  expect(retryAfterSeconds).toBeLessThanOrEqual(WINDOW_SECONDS);
  expect(await countAttempts()).toBe(stored);
  expect((await begin("198.51.100.2")).location).toContain("/google/auth?");
}, 300_000);
