import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { listEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import { seedSignIn, signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Returns what a sign-in leaves in browser, database and ID token, without the values that are random. */
async function tracesOf(how: typeof signIn, user: TestUser) {
  const { store, clock } = server.context;
  const { q, t } = store;
  const browser = server.browser();
  const request = party.request();
  const { idToken } = readTokens(await party.exchange(codeOf(await how(browser, request, user)), request));
  const { payload } = await party.verifyIdToken(idToken);
  const [session, ...others] = await listEngineSessions(store, { userId: user.id, now: clock.now() });
  const events = await q.select().from(t.auditEvents).where(eq(t.auditEvents.userId, user.id));
  const known = await q.select().from(t.knownBrowsers).where(eq(t.knownBrowsers.userId, user.id));
  const { jti, uid, accountId, authorizations, ...stored } = Object(session?.payload);
  return {
    cookies: browser.jar
      .all()
      .filter(({ name }) => !/interaction|resume/.test(name))
      .map(({ value, ...cookie }) => ({ ...cookie, length: value.length }))
      .sort((one, other) => one.name.localeCompare(other.name)),
    session: { ...stored, expiresAt: session?.expiresAt, clients: Object.keys(authorizations), others },
    events: events.map(({ type, outcome, clientId, address, detail }) => ({
      type,
      outcome,
      clientId,
      address,
      detail: { ...detail, username: "" },
    })),
    known: known.map(({ firstSeenAt, lastSeenAt }) => ({ firstSeenAt, lastSeenAt })),
    claims: { ...payload, sub: "", sid: "", nonce: "", at_hash: "", jti: "" },
  };
}

test("a sign-in of the tests without the form leaves the same cookies, rows, events and claims as the form", async () => {
  const atForm = await tracesOf(signIn, await server.users.create());
  const seeded = await tracesOf(
    (browser, request, user) => seedSignIn(server, browser, request, user),
    await server.users.create(),
  );
  expect(atForm.session).toMatchObject({ amr: ["pwd"], others: [] });
  expect(seeded).toEqual(atForm);
});

test("a wrong password, and a user with a second factor, are not signed in without the form", async () => {
  const [anna, berta] = [await server.users.create(), await server.users.create()];
  await giveTotp(server, berta);
  expect(await seedSession(server, server.browser(), { ...anna, password: "Wrong-Window-27-Oak" })).toBe(false);
  expect(await seedSession(server, server.browser(), berta)).toBe(false);
  expect(await seedSession(server, server.browser(), anna)).toBe(true);
});
