import { decodeProtectedHeader } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { KEY_AHEAD_HOURS, KEY_DAYS, KEY_KEPT_DAYS } from "#app/oidc/key-lifetimes.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { rotateDueKeys, rotateSigningKeys } from "#app/oidc/rotate-keys.server.ts";
import { fetchKeys, sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { redirectParameters } from "./responses.ts";

/** A running server loads changed signing keys within a second of its monotonic clock. */
const FOLLOWED_WITHIN_MS = 1_000;

const monotonicNow = performance.now;
let skippedMs = 0;

/** Lets that second pass. The clock never goes back. */
function skipSecond() {
  skippedMs += FOLLOWED_WITHIN_MS;
}

performance.now = () => monotonicNow.call(performance) + skippedMs;
const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create();

afterAll(async () => {
  performance.now = monotonicNow;
});

describe("the key set", () => {
  test("contains for RS256 and ES256 the current key and the next one", async () => {
    const { keys } = await fetchKeys(server.url);
    expect(keys.map(({ alg }) => alg).sort()).toEqual(["ES256", "ES256", "RS256", "RS256"]);
    expect(keys.map(({ use }) => use)).toEqual(["sig", "sig", "sig", "sig"]);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(4);
  });

  test("contains no private key", async () => {
    const { keys } = await fetchKeys(server.url);
    const allowed = ["kty", "kid", "alg", "use", "n", "e", "crv", "x", "y"];
    expect(keys.flatMap((key) => Object.keys(key)).filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test("has the same bytes for every client, readable for scripts of any site, without cookies", async () => {
    const url = `${server.url}/.well-known/jwks.json`;
    const first = await sendApiRequest(url);
    const second = await sendApiRequest(url, { headers: { origin: "https://spa.example" } });
    expect(second.body).toBe(first.body);
    expect(second.headers.get("access-control-allow-origin")).toMatch(/^(\*|https:\/\/spa\.example)$/);
    expect(second.headers.getSetCookie()).toEqual([]);
  });

  test("is encrypted in the database", async () => {
    const rows = await listSigningKeys(server.context.store);
    for (const { sealedJwk } of rows) {
      expect(decodeProtectedHeader(sealedJwk)).toMatchObject({ alg: "dir", enc: "A256GCM" });
    }
  });
});

// Proves requirement 109.
test("a running server uses new keys within a second; signatures of the old ones stay valid", async () => {
  const before = await fetchKeys(server.url);
  const browser = server.browser();
  const early = await seedTokens(server, browser, party, party.request(), anna);
  const earlyKid = decodeProtectedHeader(early.idToken).kid;

  await rotateSigningKeys(server.context, { now: true });
  skipSecond();

  const after = await fetchKeys(server.url);
  expect(after.keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(before.keys.map(({ kid }) => kid)));
  expect(after.keys).toHaveLength(6);

  const late = await seedTokens(server, browser, party, party.request(), anna);
  const { protectedHeader } = await party.verifyIdToken(late.idToken);
  expect(protectedHeader.kid).not.toBe(earlyKid);
  // Clients with a cached key set can verify it, because the key was published ahead of its use.
  expect(before.keys.map(({ kid }) => kid)).toContain(protectedHeader.kid);

  await party.verifyIdToken(early.idToken);
  expect((await party.userinfo(early.accessToken)).status).toBe(200);
  const hinted = await open(browser, party.request({ prompt: "none", id_token_hint: early.idToken }).url);
  expect(redirectParameters(hinted)).toHaveProperty("code");
});

test("a cached key set is replaced after a rotation", async () => {
  const url = `${server.url}${ENGINE_ROUTES.jwks}`;
  const etag = (await sendApiRequest(url)).headers.get("etag") ?? "";
  await rotateSigningKeys(server.context, { now: true });
  skipSecond();
  const response = await sendApiRequest(url, { headers: { "if-none-match": etag } });
  expect([etag, response.status]).toEqual([expect.stringMatching(/^".+"$/), 200]);
  expect(response.headers.get("etag")).not.toBe(etag);
});

test("applications with ES256 follow the same rotation", async () => {
  const modern = await server.parties.create({ idTokenAlg: "ES256", firstParty: true });
  const before = await fetchKeys(server.url);
  const first = await seedTokens(server, server.browser(), modern, modern.request(), anna);
  await rotateSigningKeys(server.context, { now: true });
  skipSecond();
  const second = await seedTokens(server, server.browser(), modern, modern.request(), anna);
  const [oldKid, newKid] = [first, second].map(({ idToken }) => decodeProtectedHeader(idToken).kid);
  expect(newKid).not.toBe(oldKid);
  expect(before.keys.find(({ kid }) => kid === newKid)).toMatchObject({ alg: "ES256" });
  await modern.verifyIdToken(second.idToken);
});

test("a sign-in that began before a rotation completes after it", async () => {
  const browser = server.browser();
  const request = party.request({ prompt: "login" });
  const form = await open(browser, request.url);
  await rotateSigningKeys(server.context, { now: true });
  skipSecond();
  const end = await seedSignIn(server, browser, { ...request, url: form.url }, anna);
  expect(redirectParameters(end)).toHaveProperty("code");
});

describe("an automatic rotation", () => {
  const DAY = 24 * 60 * 60;

  async function publishedKids() {
    skipSecond();
    return (await fetchKeys(server.url)).keys.map(({ kid }) => kid);
  }

  // Proves requirement 109.
  test("happens when a key has signed for 90 days, and again after another 90", async () => {
    await rotateSigningKeys(server.context, { now: true });
    const fresh = await publishedKids();
    server.clock.advance(KEY_DAYS * DAY - 1);
    await rotateDueKeys(server.context);
    expect(await publishedKids()).toEqual(expect.arrayContaining(fresh.slice(0, 4)));
    const before = await signingKids();
    server.clock.advance(1);
    // Simulates two processes.
    await Promise.all([rotateDueKeys(server.context), rotateDueKeys(server.context)]);
    const after = await signingKids();
    expect(after).toHaveLength(2);
    expect(after.filter((kid) => before.includes(kid))).toEqual([]);
    server.clock.advance(DAY);
    await rotateDueKeys(server.context);
    expect(await signingKids()).toEqual(after);
  });

  // Proves requirement 109.
  test("publishes a retired key for another 30 days", async () => {
    const old = await signingKids();
    await rotateSigningKeys(server.context, { now: true });
    server.clock.advance(KEY_KEPT_DAYS * DAY - 1);
    await rotateDueKeys(server.context);
    expect(await publishedKids()).toEqual(expect.arrayContaining(old));
    server.clock.advance(1);
    await rotateDueKeys(server.context);
    expect((await publishedKids()).filter((kid) => old.includes(kid))).toEqual([]);
  });

  async function signingKids() {
    const keys = await listSigningKeys(server.context.store);
    return keys.filter(({ state }) => state === "current").map(({ kid }) => kid);
  }
});

// Proves requirement 109.
test("a manual rotation is refused while applications may not have fetched the next key, unless forced", async () => {
  await rotateSigningKeys(server.context, { now: true });
  const early = rotateSigningKeys(server.context);
  await expect(early).rejects.toSatisfy((error) => hasCode(error, "key too young"));
  server.clock.advance(KEY_AHEAD_HOURS * 60 * 60);
  expect(await rotateSigningKeys(server.context)).toHaveLength(2);
});

test("signatures of a removed key are invalid within a second", async () => {
  // Until the server has loaded the last rotation, it may sign with a retired key.
  skipSecond();
  const tokens = await seedTokens(server, server.browser(), party, party.request(), anna);
  await party.verifyIdToken(tokens.idToken);
  await rotateSigningKeys(server.context, { now: true, removeOld: true });
  const { kid } = decodeProtectedHeader(tokens.idToken);
  expect((await listSigningKeys(server.context.store)).filter(({ state }) => state === "retired")).toEqual([]);
  skipSecond();
  expect((await fetchKeys(server.url)).keys.map((key) => key.kid)).not.toContain(kid);
});

test("every rotation is in the audit trail, with the key ids", async () => {
  const [rs256] = await rotateSigningKeys(server.context, { now: true });
  const last = await listLastAuditEvents(server.context.store, { limit: 6 });
  expect(last.slice(0, 3).map(({ type, detail }) => [type, detail["reason"]])).toEqual([
    ["key.retired", rs256?.retired],
    ["key.activated", rs256?.current],
    ["key.published", rs256?.next],
  ]);
});
