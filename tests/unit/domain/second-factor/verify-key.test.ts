import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { removeWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import { startKeyCheck, verifyKey } from "#app/domain/second-factor/verify-key.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";
import { GARBAGE } from "#tests/unit/domain/webauthn/invalid-responses.ts";
import { checkKey, keyOf, METADATA, onlyKey, pendingToken, signInWith, startCheck, withAnna } from "./key-fixtures.ts";

const { browser } = METADATA;
const REFUSED = { kind: "refused", reason: "verification" };

async function auditTypes(store: Store) {
  const events = await listAuditEvents(store, { after: 0, limit: 100 });
  return events.map(({ type }) => type);
}

describe.each(dialects)("a security key as the second factor on %s", (dialect) => {
  it("a valid response is accepted, and the mfa_token is rotated", async () => {
    const { context, anna, store, clock } = await withAnna(dialect);
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    clock.advance(30);
    const outcome = await checkKey(context, mfaToken, key);
    expect(outcome).toEqual({ kind: "verified", mfaToken: expect.stringMatching(/^[\w-]{43}$/) });
    if (outcome.kind !== "verified") return;
    expect(await findPending(context, { mfaToken, browser })).toBeNull();
    expect(await findPending(context, { mfaToken: outcome.mfaToken, browser })).toMatchObject({
      userId: anna.id,
      generation: anna.generation,
      verified: ["hwk"],
    });
    expect(await onlyKey(store, anna.id)).toMatchObject({ counter: 2, lastUsedAt: clock.now(), flaggedAt: null });
  });

  it("the options contain our host, all keys of the user, and a new challenge each time", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const first = await keyOf(store, anna.id);
    const second = await keyOf(store, anna.id, { name: "Security key 2", createdAt: new Date(1) });
    const mfaToken = await pendingToken(context, anna);
    const started = await startCheck(context, mfaToken);
    expect(started).toEqual({
      kind: "started",
      relyingPartyId: "login.office.example",
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      allowedCredentialIds: [first.id, second.id],
      sessionId: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await startCheck(context, mfaToken)).challenge).not.toBe(started.challenge);
  });

  // Proves requirement 51.
  it("every response consumes the ceremony, valid or not", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const ceremony = await startCheck(context, mfaToken);
    const wrong = key.assert(ceremony, { up: false });
    const right = key.assert(ceremony);
    expect(await verifyKey(context, { mfaToken, assertion: wrong, ...METADATA })).toEqual(REFUSED);
    expect(await verifyKey(context, { mfaToken, assertion: right, ...METADATA })).toEqual(REFUSED);
    expect(await checkKey(context, mfaToken, key)).toMatchObject({ kind: "verified" });
  });

  it("of one response sent twice simultaneously, one is accepted", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const call = { mfaToken, assertion: key.assert(await startCheck(context, mfaToken)), ...METADATA };
    const outcomes = await Promise.all([1, 2, 3].map(() => verifyKey(context, call)));
    expect(outcomes.filter(({ kind }) => kind === "verified")).toHaveLength(1);
  });

  it("another user's key is refused, even with a valid signature", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const bert = await putUser(store, { username: "bert" });
    await keyOf(store, anna.id);
    const keyOfBert = await keyOf(store, bert.id);
    const mfaToken = await pendingToken(context, anna);
    expect(await checkKey(context, mfaToken, keyOfBert)).toEqual({ kind: "refused", reason: "unknown key" });
    expect(await onlyKey(store, bert.id)).toMatchObject({ lastUsedAt: null });
  });

  // Proves requirement 53.
  it("a removed key is refused, also in a ceremony that listed it", async () => {
    const { context, anna, store } = await withAnna(dialect);
    await keyOf(store, anna.id);
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const assertion = key.assert(await startCheck(context, mfaToken));
    await removeWebauthnCredential(store, { id: key.id, userId: anna.id });
    const outcome = await verifyKey(context, { mfaToken, assertion, ...METADATA });
    expect(outcome).toEqual({ kind: "refused", reason: "unknown key" });
    expect((await startCheck(context, mfaToken)).allowedCredentialIds).not.toContain(key.id);
  });

  it("a failure is in the audit trail and keeps the mfa_token; no log line contains the challenge", async () => {
    const { context, anna, store, lines } = await withAnna(dialect);
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const ceremony = await startCheck(context, mfaToken);
    const assertion = key.assert(ceremony, { rpId: "evil.example" });
    expect(await verifyKey(context, { mfaToken, assertion, ...METADATA })).toEqual(REFUSED);
    expect(await auditTypes(store)).toEqual(["factor.refused"]);
    expect(await findPending(context, { mfaToken, browser })).toMatchObject({ verified: [] });
    const log = lines.join("\n");
    for (const secret of [ceremony.challenge, ceremony.sessionId, mfaToken, METADATA.browser])
      expect(log).not.toContain(secret);
  });

  it("failures are counted; a throttled response is not checked, even with the right key", async () => {
    const { context, anna, store, clock } = await withAnna(dialect);
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    for (let count = 1; count < FACTOR_LIMITS.minutes.points; count += 1)
      await checkKey(context, mfaToken, key, { up: false });
    const ceremony = await startCheck(context, mfaToken);
    expect(await verifyKey(context, { mfaToken, assertion: null, ...METADATA })).toEqual(REFUSED);
    const waiting = { kind: "throttled", retryAfterSeconds: FACTOR_LIMITS.minutes.windowSeconds };
    expect(await verifyKey(context, { mfaToken, assertion: key.assert(ceremony), ...METADATA })).toEqual(waiting);
    expect(await startKeyCheck(context, { mfaToken, browser })).toEqual(waiting);
    clock.advance(FACTOR_LIMITS.minutes.windowSeconds);
    expect(await checkKey(context, mfaToken, key)).toMatchObject({ kind: "verified" });
  });

  it("a success counts no attempt", async () => {
    const deps = await withAnna(dialect);
    const key = await keyOf(deps.store, deps.anna.id);
    for (let count = 0; count <= FACTOR_LIMITS.minutes.points; count += 1) {
      expect(await signInWith(`uid-${count}`, deps, key, {})).toMatchObject({ kind: "verified" });
    }
  });
});

describe("the assertion ceremony", () => {
  // Proves requirement 51.
  it("expires after five minutes", async () => {
    const { context, anna, store, clock } = await withAnna("sqlite");
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const assertion = key.assert(await startCheck(context, mfaToken));
    clock.advance(5 * 60);
    expect(await verifyKey(context, { mfaToken, assertion, ...METADATA })).toEqual(REFUSED);
  });

  it("is replaced by a newer one", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const older = await startCheck(context, mfaToken);
    await startCheck(context, mfaToken);
    expect(await verifyKey(context, { mfaToken, assertion: key.assert(older), ...METADATA })).toEqual(REFUSED);
  });

  it("is bound to its sign-in", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const key = await keyOf(store, anna.id);
    const one = await pendingToken(context, anna, { uid: "one" });
    const other = await pendingToken(context, anna, { uid: "other" });
    const assertion = key.assert(await startCheck(context, one));
    expect(await verifyKey(context, { mfaToken: other, assertion, ...METADATA })).toEqual(REFUSED);
    await startCheck(context, other);
    expect(await verifyKey(context, { mfaToken: other, assertion, ...METADATA })).toEqual(REFUSED);
    expect(await verifyKey(context, { mfaToken: one, assertion, ...METADATA })).toMatchObject({ kind: "verified" });
  });

  it("is neither started nor finished without the mfa_token and its browser", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    const assertion = key.assert(await startCheck(context, mfaToken));
    for (const wrong of [
      { mfaToken, browser: "another browser" },
      { mfaToken: "", browser },
      { mfaToken: "\0", browser },
    ]) {
      expect(await startKeyCheck(context, wrong)).toEqual({ kind: "unauthorized" });
      expect(await verifyKey(context, { ...METADATA, ...wrong, assertion })).toEqual({ kind: "unauthorized" });
    }
    expect(await verifyKey(context, { mfaToken, assertion, ...METADATA })).toMatchObject({ kind: "verified" });
  });

  it("is not started for a user without a key, with keys of another host, or if the host is an IP address", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const mfaToken = await pendingToken(context, anna);
    expect(await startKeyCheck(context, { mfaToken, browser })).toEqual({ kind: "no key" });
    await keyOf(store, anna.id, { rpId: "old.office.example" });
    expect(await startKeyCheck(context, { mfaToken, browser })).toEqual({ kind: "no key" });
    await keyOf(store, anna.id);
    expect(await startKeyCheck(context, { mfaToken, browser })).toMatchObject({ kind: "started" });
    const atAddress = { ...context, config: { ...context.config, issuer: "http://127.0.0.1:3000" } };
    expect(await startKeyCheck(atAddress, { mfaToken, browser })).toEqual({ kind: "no key" });
  });

  it("refuses any malformed response without an exception", async () => {
    const { context, anna, store, clock } = await withAnna("sqlite");
    const key = await keyOf(store, anna.id);
    const mfaToken = await pendingToken(context, anna);
    for (const assertion of [...GARBAGE, JSON.stringify(key.assert(await startCheck(context, mfaToken)))]) {
      await startCheck(context, mfaToken);
      expect(await verifyKey(context, { mfaToken, assertion, ...METADATA })).toEqual(REFUSED);
      clock.advance(1);
      await store.q.delete(store.t.rateLimits);
    }
  });
});
