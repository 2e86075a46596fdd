import { describe, expect, test } from "vitest";
import { DAY_SECONDS } from "#app/durations.ts";
import { type Parameters, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { hasForm } from "./responses.ts";

const SCOPES = ["openid", "profile", "email", "offline", "offline_access"];

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ scopes: SCOPES });

function obtain(changes: Parameters = { scope: "openid profile offline" }, by = party) {
  return seedTokens(server, server.browser(), by, by.request(changes), anna);
}

describe("a refresh token is issued", () => {
  test("for the scope offline, without any prompt", async () => {
    expect((await obtain({ scope: "openid offline" })).refreshToken).not.toBe("");
  });

  test("for the scope offline_access with prompt=consent (OpenID Connect Core section 11)", async () => {
    const tokens = await obtain({ scope: "openid offline_access", prompt: "consent" });
    expect(tokens.refreshToken).not.toBe("");
    expect(tokens.scope.split(" ")).toContain("offline_access");
  });

  test("not for offline_access without prompt=consent: the scope is dropped", async () => {
    const tokens = await obtain({ scope: "openid offline_access" });
    expect([tokens.refreshToken, tokens.scope]).toEqual(["", "openid"]);
  });

  test("not without either scope", async () => {
    expect((await obtain({ scope: "openid profile" })).refreshToken).toBe("");
  });
});

describe("a refresh", () => {
  test("returns a new access token, a new refresh token and an ID token of the same sign-in", async () => {
    const first = await obtain();
    server.clock.advance(60);
    const second = readTokens(await party.refresh(first.refreshToken));
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.expiresInSeconds).toBe(600);
    expect(second.scope.split(" ").sort()).toEqual(first.scope.split(" ").sort());

    const [before, after] = [await party.verifyIdToken(first.idToken), await party.verifyIdToken(second.idToken)];
    // OpenID Connect Core 1.0 §12.2.
    expect(after.payload).toMatchObject({ sub: anna.id, auth_time: before.payload.auth_time, aud: party.clientId });
    expect(Number(after.payload.iat)).toBeGreaterThan(Number(before.payload.iat));
    expect((await party.userinfo(second.accessToken)).status).toBe(200);
  });

  test("may request fewer scopes", async () => {
    const { refreshToken } = await obtain();
    const tokens = readTokens(await party.refresh(refreshToken, { scope: "openid" }));
    expect(tokens.scope).toBe("openid");
    expect((await party.userinfo(tokens.accessToken)).json()).toEqual({ sub: anna.id });
  });

  // Proves requirement 87.
  test("may not request more scopes", async () => {
    const { refreshToken } = await obtain();
    const response = await party.refresh(refreshToken, { scope: "openid profile email" });
    expect([response.status, response.error()]).toEqual([400, "invalid_scope"]);
  });

  test("works after the browser's session has ended", async () => {
    const { refreshToken } = await obtain();
    server.clock.advance(2 * DAY_SECONDS);
    expect((await party.refresh(refreshToken)).status).toBe(200);
  });

  test("is not cacheable", async () => {
    const { refreshToken } = await obtain();
    expect((await party.refresh(refreshToken)).headers.get("cache-control")).toBe("no-store");
  });
});

describe("a refresh token that was used", () => {
  // Proves requirement 85.
  test("is refused, and its family is revoked", async () => {
    const first = await obtain();
    const second = readTokens(await party.refresh(first.refreshToken));
    const third = readTokens(await party.refresh(second.refreshToken));

    const reused = await party.refresh(first.refreshToken);
    expect([reused.status, reused.error()]).toEqual([400, "invalid_grant"]);
    expect((await party.refresh(third.refreshToken)).error()).toBe("invalid_grant");
    for (const { accessToken } of [first, second, third]) {
      expect((await party.userinfo(accessToken)).status).toBe(401);
    }
  });

  test("by two simultaneous requests succeeds at most once, and leaves no valid token", async () => {
    const open = await server.parties.create({ public: true, scopes: SCOPES, firstParty: true });
    const { refreshToken } = await obtain({ scope: "openid offline" }, open);
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => open.refresh(refreshToken)));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners.length).toBeLessThanOrEqual(1);
    for (const winner of winners) {
      const tokens = readTokens(winner);
      expect((await open.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
      expect((await open.userinfo(tokens.accessToken)).status).toBe(401);
    }
  });

  test("is rotated for public applications too", async () => {
    const open = await server.parties.create({ public: true, scopes: SCOPES, firstParty: true });
    const first = await obtain({ scope: "openid offline" }, open);
    const second = readTokens(await open.refresh(first.refreshToken));
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect((await open.refresh(first.refreshToken)).error()).toBe("invalid_grant");
    expect((await open.refresh(second.refreshToken)).error()).toBe("invalid_grant");
  });

  test("does not affect another sign-in of the same user", async () => {
    const [one, other] = [await obtain(), await obtain()];
    await party.refresh(one.refreshToken);
    await party.refresh(one.refreshToken);
    expect((await party.refresh(other.refreshToken)).status).toBe(200);
  });
});

describe("a refresh that is repeated within 10 seconds", () => {
  test("by six simultaneous requests returns the same successor to all, and revokes nothing", async () => {
    const { refreshToken } = await obtain();
    const before = server.lines().length;
    const responses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => party.refresh(refreshToken)));
    const all = responses.map(readTokens);
    expect(new Set(all.map((tokens) => tokens.refreshToken)).size).toBe(1);
    expect(new Set(all.map((tokens) => tokens.accessToken)).size).toBe(6);
    for (const { accessToken } of all) expect((await party.userinfo(accessToken)).status).toBe(200);
    const events = server
      .lines()
      .slice(before)
      .map(({ event }) => event);
    expect(events.filter((event) => event === "token.repeated")).toHaveLength(5);
    expect(events).not.toContain("grant.revoked");
    expect((await party.refresh(all[0]?.refreshToken ?? "")).status).toBe(200);
  });

  test("returns an ID token too, and may request fewer scopes", async () => {
    const { refreshToken } = await obtain();
    const first = readTokens(await party.refresh(refreshToken));
    server.clock.advance(10);
    const again = readTokens(await party.refresh(refreshToken, { scope: "openid" }));
    expect([again.refreshToken, again.scope]).toEqual([first.refreshToken, "openid"]);
    expect((await party.verifyIdToken(again.idToken)).payload.sub).toBe(anna.id);
    // The successor has the scopes of its family.
    expect(readTokens(await party.refresh(first.refreshToken)).scope).toContain("profile");
  });

  test("works if the process died between the two steps: the repeated request stores the successor", async () => {
    const { refreshToken } = await obtain();
    const { RefreshToken } = await server.context.oidc.provider();
    await (await RefreshToken.find(refreshToken))?.consume();
    const { refreshToken: successor } = readTokens(await party.refresh(refreshToken));
    expect((await party.refresh(successor)).status).toBe(200);
  });

  // Proves requirement 140.
  test("revokes the family if the successor was used", async () => {
    const { refreshToken } = await obtain();
    const second = readTokens(await party.refresh(refreshToken));
    const third = readTokens(await party.refresh(second.refreshToken));
    expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
    expect((await party.refresh(third.refreshToken)).error()).toBe("invalid_grant");
    expect((await party.userinfo(third.accessToken)).status).toBe(401);
  });

  // Proves requirement 140.
  test("revokes the family after 10 seconds", async () => {
    const { refreshToken } = await obtain();
    const second = readTokens(await party.refresh(refreshToken));
    server.clock.advance(11);
    expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
    expect((await party.refresh(second.refreshToken)).error()).toBe("invalid_grant");
  });

  test("works for the token's own client only: another one gets nothing and revokes nothing", async () => {
    const { refreshToken } = await obtain();
    const second = readTokens(await party.refresh(refreshToken));
    const thief = await server.parties.create({ scopes: SCOPES });
    expect((await thief.refresh(refreshToken)).error()).toBe("invalid_grant");
    expect((await party.refresh(second.refreshToken)).status).toBe(200);
  });

  test("is available to a public application that is registered for it", async () => {
    const open = await server.parties.create({ public: true, scopes: SCOPES, firstParty: true, refreshLeeway: true });
    const { refreshToken } = await obtain({ scope: "openid offline" }, open);
    const all = (await Promise.all([1, 2, 3].map(() => open.refresh(refreshToken)))).map(readTokens);
    expect(new Set(all.map((tokens) => tokens.refreshToken)).size).toBe(1);
  });

  test("leaves no readable successor in the database, and the old token is inactive", async () => {
    const { refreshToken } = await obtain();
    const second = readTokens(await party.refresh(refreshToken));
    const { q, t } = server.context.store;
    expect(JSON.stringify(await q.select().from(t.oidcRecords))).not.toContain(second.refreshToken);
    expect((await party.introspect(refreshToken)).json()).toEqual({ active: false });
  });
});

describe("a refresh token", () => {
  // Proves requirement 87.
  test("is bound to its application", async () => {
    const { refreshToken } = await obtain();
    const thief = await server.parties.create({ scopes: SCOPES });
    const response = await thief.refresh(refreshToken);
    expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
  });

  // Proves requirement 86.
  test("expires 30 days after the first of its family, despite rotation", async () => {
    let { refreshToken } = await obtain();
    for (const days of [10, 10, 9]) {
      server.clock.advance(days * DAY_SECONDS);
      refreshToken = readTokens(await party.refresh(refreshToken)).refreshToken;
    }
    server.clock.advance(DAY_SECONDS - 5);
    refreshToken = readTokens(await party.refresh(refreshToken)).refreshToken;
    server.clock.advance(30);
    const late = await party.refresh(refreshToken);
    expect([late.status, late.error()]).toEqual([400, "invalid_grant"]);
  });

  test("expires if it is not used for 30 days", async () => {
    const { refreshToken } = await obtain();
    server.clock.advance(30 * DAY_SECONDS + 30);
    expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
  });

  test("is not an access token, and an access token is not a refresh token", async () => {
    const { accessToken, refreshToken } = await obtain();
    expect((await party.userinfo(refreshToken)).status).toBe(401);
    expect((await party.refresh(accessToken)).error()).toBe("invalid_grant");
  });
});

test("offline_access has its own text on the consent page", async () => {
  const browser = server.browser();
  await seedSignIn(server, browser, party.request(), anna);
  const question = await open(browser, party.request({ scope: "openid offline_access", prompt: "consent" }).url);
  expect(hasForm(question, "/consent/accept")).toBe(true);
  expect(question.page().state()).toMatchObject({ scopes: [{ id: "openid" }, { id: "offline_access" }] });
});
