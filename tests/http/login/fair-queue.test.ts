import { beforeEach, expect, test } from "vitest";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { type OpenForm, openForm } from "./open-form.ts";

let others: TestUser[];

// Requests choose their address with a forwarding header.
const server = await serverOfFile({ env: { TRUST_PROXY: "127.0.0.1/32,::1/128" }, passwordChecks: "every" });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  others = await Promise.all(Array.from({ length: 20 }, () => server.users.create()));
});

/** Opens the sign-in form in a new browser; `post` sends the correct password from this address. */
async function formOf({ username, password }: TestUser, address: string) {
  const form = await openForm(server.browser(), party.request().url);
  return { post: () => form.post({ username, password }, { headers: { "x-forwarded-for": address } }) };
}

// Proves requirement 144.
test.each([
  ["each from an address of its own", (index: number) => `10.1.0.${index}`],
  ["all behind one address, the same as that user's", () => "192.0.2.7"],
])("while one user posts the right password 60 times at once, 20 others sign in, %s", async (_name, addressOf) => {
  const greedy = await server.users.create();
  // A known browser of this user, whose correct passwords are not throttled.
  const browser = server.browser();
  const first = await openForm(browser, party.request().url);
  await first.post({ username: greedy.username, password: greedy.password });
  const tabs: OpenForm[] = [];
  for (let count = 0; count < 60; count += 1) {
    tabs.push(await openForm(browser, party.request({ prompt: "login" }).url));
  }
  const forms = await Promise.all(others.map((user, index) => formOf(user, addressOf(index))));

  const flood = tabs.map((tab) =>
    tab.post({ username: greedy.username, password: greedy.password }, { headers: { "x-forwarded-for": "192.0.2.7" } }),
  );
  const statuses = (await Promise.all(forms.map((form) => form.post()))).map(({ status }) => status);
  const flooded = await Promise.all(flood);

  expect(statuses).toEqual(Array(20).fill(303));
  const refused = flooded.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ headers }) => headers["retry-after"] !== undefined)).toBe(true);
});

test("one user name gets no more guesses at once than one after the other", async () => {
  const anna = await server.users.create();
  const form = await openForm(server.browser(), party.request().url);
  const typed = { username: anna.username, password: "Wrong-Window-27-Oak" };
  const statuses = (await Promise.all(Array.from({ length: 20 }, () => form.post(typed)))).map(({ status }) => status);
  // Two passwords of an account wait for hashing; the others get 503, or 429 once ten attempts are counted.
  expect(statuses.filter((status) => status !== 503 && status !== 429)).toEqual(
    statuses.filter((status) => status === 401),
  );
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  expect(statuses).toContain(401);
});
