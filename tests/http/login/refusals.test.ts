import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile, TEST_PASSWORD } from "#tests/support/server.ts";
import { type OpenForm, openForm, stateOf } from "./open-form.ts";

// Of equal length, so that the pages have equal lengths.
const NAMES = { known: "user-known", blocked: "user-block", passwordless: "user-empty", unknown: "user-nobod" };
// As long as the others when URL-encoded too: the page's language link contains the entered name.
const IMPOSSIBLE = "user*name*";
const WRONG = "Wrong-Window-27-Oak";

const server = await serverOfFile();
const party = await server.parties.create();
for (const username of [NAMES.known, NAMES.blocked, NAMES.passwordless]) await server.users.create({ username });
await blockUser(server.context, NAMES.blocked);
await removePassword(NAMES.passwordless);

async function removePassword(username: string) {
  const { t, q } = server.context.store;
  await q.update(t.users).set({ passwordHash: null }).where(eq(t.users.usernameCanonical, username)).returning();
}

const ATTEMPTS = [
  ["a wrong password", NAMES.known, WRONG],
  ["an unknown user", NAMES.unknown, TEST_PASSWORD],
  ["a blocked user with the right password", NAMES.blocked, TEST_PASSWORD],
  ["a blocked user with a wrong password", NAMES.blocked, WRONG],
  ["a user without a password", NAMES.passwordless, TEST_PASSWORD],
  ["a user name that cannot exist", IMPOSSIBLE, TEST_PASSWORD],
  ["a password longer than any", NAMES.known, "Aa1-".repeat(100)],
] as const;

/** Returns the page with its tokens and the user name replaced. */
function faceless(response: HttpResponse, form: OpenForm, username: string) {
  return response.body
    .replaceAll(form.challenge, "CHALLENGE")
    .replaceAll(String(stateOf(response).xsrf_token), "XSRF")
    .replaceAll(/nonce="[\w-]+"/g, "NONCE")
    .replaceAll(/ challenge="[\w-]{64}"/g, " PASSKEY-CHALLENGE")
    .replaceAll(username, "USERNAME");
}

function headersOf({ headers }: HttpResponse) {
  const { date: _, ...others } = headers;
  const policy = String(others["content-security-policy"]).replace(/'nonce-[\w-]+'/, "NONCE");
  return { ...others, "content-security-policy": policy };
}

describe("are indistinguishable", () => {
  // Proves requirement 17.
  test.each(["en", "de"])("why a sign-in is refused: same status, page, headers and cookies (%s)", async (language) => {
    const seen = new Map<string, object>();
    for (const [why, username, password] of ATTEMPTS) {
      const form = await openForm(server.browser(language), party.request().url);
      const response = await form.post({ username, password });
      const { status, setCookies } = response;
      seen.set(why, { status, setCookies, headers: headersOf(response), body: faceless(response, form, username) });
    }
    const usual = seen.get("a wrong password");
    expect(usual).toMatchObject({ status: 401, setCookies: [] });
    for (const [why, page] of seen) expect([why, page]).toEqual([why, usual]);
  });

  test("existing user, in a browser that signed in before as another user", async () => {
    const bernd = await server.users.create();
    const browser = server.browser();
    await (await openForm(browser, party.request().url)).post({ ...typedBy(bernd) });
    const known = await openForm(browser, party.request().url);
    const unknown = await openForm(browser, party.request().url);
    const responses = [
      [known, await known.post({ username: NAMES.known, password: WRONG }), NAMES.known],
      [unknown, await unknown.post({ username: NAMES.unknown, password: WRONG }), NAMES.unknown],
    ] as const;
    const [one, other] = responses.map(([form, response, name]) => faceless(response, form, name));
    expect(one).toBe(other);
  });

  test("existing user, when throttled: unknown names are throttled like all others", async () => {
    const pages: { status: number; headers: object; body: string }[] = [];
    for (const username of [NAMES.known, NAMES.unknown]) {
      const form = await openForm(server.browser(), party.request().url);
      let last = await form.post({ username, password: WRONG });
      for (let tries = 0; tries < 10 && last.status === 401; tries += 1) {
        last = await form.post({ username, password: WRONG });
      }
      const { "retry-after": _wait, ...headers } = headersOf(last);
      pages.push({ status: last.status, headers, body: faceless(last, form, username) });
    }
    expect(pages[0]?.status).toBe(429);
    expect(pages[1]).toEqual(pages[0]);
  });

  const typedBy = ({ username, password }: { username: string; password: string }) => ({ username, password });
});
