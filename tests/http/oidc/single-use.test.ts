import { randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { encodeParameters, readTokens, sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSignIn, seedTokens } from "./browser-steps.ts";
import { whenWaiting } from "./lock-wait.ts";
import { codeOf, redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });

describe("a record issued while another transaction ends all access", () => {
  // Proves requirement 138.
  test("is invalid: a grant and a code that were stored before the commit", async () => {
    const browser = server.browser();
    await seedSignIn(server, browser, party.request(), anna);
    // A new client gets a new grant, which the other transaction cannot see.
    const other = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });
    const request = other.request({ scope: "openid offline", prompt: "none" });
    const { store, clock } = server.context;
    const { generation: expected } = await getUserByName(store, anna.username);
    const pending: ReturnType<typeof browser.get>[] = [];
    await store.tx(async (tx) => {
      await endSessions({ store: tx, clock }, anna.id);
      pending.push(browser.get(request.url));
      await whenWaiting(tx);
      expect(await incrementGeneration(tx, anna.id, { expected, now: clock.now() })).toBe(expected + 1);
    });
    const [response] = await Promise.all(pending);
    if (!response) throw new Error("Nothing was asked.");
    const { code, error } = redirectParameters(response);
    // On SQLite the request waits for the transaction.
    if (code === undefined) expect([store.dialect, error]).toEqual(["sqlite", "login_required"]);
    else expect((await other.exchange(code, request)).error()).toBe("invalid_grant");
  });

  test("is invalid: a code that was stored before the commit under a grant that was stored after it", async () => {
    const browser = server.browser();
    await seedSignIn(server, browser, party.request(), anna);
    const request = party.request({ prompt: "none" });
    const code = codeOf(await browser.get(request.url));
    const { store, clock } = server.context;
    const { generation: expected } = await getUserByName(store, anna.username);
    await incrementGeneration(store, anna.id, { expected, now: clock.now() });
    const { oidcRecords } = store.t;
    const isGrant = and(eq(oidcRecords.model, "Grant"), eq(oidcRecords.accountId, anna.id));
    for (const { id, payload } of await store.q.select().from(oidcRecords).where(isGrant)) {
      const current = { ...payload, generation: expected + 1 };
      await store.q.update(oidcRecords).set({ payload: current }).where(eq(oidcRecords.id, id));
    }
    expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
  });

  test("is invalid: tokens of such a grant", async () => {
    const { accessToken, refreshToken } = await seedTokens(
      server,
      server.browser(),
      party,
      party.request({ scope: "openid offline" }),
      anna,
    );
    const { generation: expected } = await getUserByName(server.context.store, anna.username);
    // As if the grant had been stored after the other transaction read the grants.
    const { store, clock } = server.context;
    await incrementGeneration(store, anna.id, { expected, now: clock.now() });
    expect((await party.userinfo(accessToken)).status).toBe(401);
    expect((await party.introspect(accessToken)).json()).toEqual({ active: false });
    expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
  });
});

// Proves requirement 138.
test("one client assertion, sent ten times simultaneously, is accepted once", async () => {
  const client = await server.clients.create({ authMethod: "client_secret_jwt" });
  const assertion = await new SignJWT({ jti: randomBytes(16).toString("base64url") })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(client.clientId)
    .setSubject(client.clientId)
    .setAudience(server.url)
    .setIssuedAt()
    .setExpirationTime("1m")
    .sign(Buffer.from(client.clientSecret ?? ""));
  const body = encodeParameters({
    grant_type: "authorization_code",
    code: "no-such-code",
    redirect_uri: client.redirectUri,
    client_id: client.clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const tries = Array.from({ length: 10 }, () =>
    sendApiRequest(`${server.url}/oauth2/token`, { method: "POST", headers, body }),
  );
  const errors = (await Promise.all(tries)).map((response) => response.error()).sort();
  expect(errors).toEqual([...Array.from({ length: 9 }, () => "invalid_client"), "invalid_grant"]);
});

test("a client assertion is recorded by one statement: of ten simultaneous checks one is accepted", async () => {
  const { ReplayDetection } = await server.context.oidc.provider();
  const jti = randomBytes(16).toString("base64url");
  const exp = Math.floor(server.clock.now().getTime() / 1000) + 60;
  const checks = Array.from({ length: 10 }, () => ReplayDetection.unique("app", jti, exp));
  expect((await Promise.all(checks)).filter((isNew) => isNew)).toHaveLength(1);
});

describe("two exchanges of one code that both read it before one succeeded", () => {
  test("revoke its grant, and the log reports it", async () => {
    const request = party.request({ scope: "openid offline" });
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    const provider = await server.context.oidc.provider();
    const loser = await provider.AuthorizationCode.find(code);
    if (!loser?.grantId) throw new Error("There is no code.");
    const tokens = readTokens(await party.exchange(code, request));

    await expect(loser.consume()).rejects.toThrow("invalid_grant");
    expect(await provider.Grant.find(loser.grantId)).toBeUndefined();
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
  });

  test("are reported as at a later reuse", async () => {
    const request = party.request();
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    const before = server.lines().length;
    const responses = await Promise.all([1, 2, 3, 4].map(() => party.exchange(code, request)));
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const events = server.lines().slice(before);
    expect(events.filter(({ event }) => event === "grant.revoked").length).toBeGreaterThan(0);
  });
});
