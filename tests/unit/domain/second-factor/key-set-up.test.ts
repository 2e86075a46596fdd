import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { findUser, setUserStatus } from "#app/db/repositories/users.server.ts";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import { finishKeySetUp, startKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { type KeyDeps, startKeyCheck, verifyKey } from "#app/domain/second-factor/verify-key.server.ts";
import { startRegistration } from "#app/domain/webauthn/registration.server.ts";
import { createAuthenticator, type RegistrationTampering } from "#tests/support/authenticator.ts";
import { dialects } from "#tests/support/databases.ts";
import { FIRST_KEY_NAMES } from "#tests/support/factors.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";
import { GARBAGE } from "#tests/unit/domain/webauthn/invalid-responses.ts";
import { keyOf, METADATA, ORIGIN, pendingToken, withAnna } from "./key-fixtures.ts";

const { browser } = METADATA;
const REFUSED = { kind: "refused", reason: "verification" };
const HAS_FACTOR = { kind: "factor already registered" };

async function startSetUp(context: KeyDeps, mfaToken: string) {
  const started = await startKeySetUp(context, { mfaToken, browser });
  if (started.kind !== "started") throw new Error(started.kind);
  return started;
}

/** Starts a registration, lets a new key respond, and returns the input of the next step. */
async function respondToSetUp(
  context: KeyDeps,
  mfaToken: string,
  { bend = {}, key = createAuthenticator({ origin: ORIGIN }) }: { bend?: RegistrationTampering; key?: Key } = {},
) {
  const ceremony = await startSetUp(context, mfaToken);
  const credentialJson = JSON.stringify(key.register(ceremony, bend));
  return { mfaToken, sessionId: ceremony.sessionId, credentialJson, firstNames: FIRST_KEY_NAMES, ...METADATA };
}

type Key = ReturnType<typeof createAuthenticator>;

describe.each(dialects)("a security key set up during a sign-in on %s", (dialect) => {
  it("is stored, counts as given, and ends all other sessions but not this sign-in", async () => {
    const { context, anna, store, clock } = await withAnna(dialect);
    const mfaToken = await pendingToken(context, anna);
    const key = createAuthenticator({ origin: ORIGIN });
    const outcome = await finishKeySetUp(context, await respondToSetUp(context, mfaToken, { key }));
    expect(outcome).toEqual({ kind: "verified", mfaToken: expect.stringMatching(/^[\w-]{43}$/) });
    if (outcome.kind !== "verified") return;
    expect(await findPending(context, { mfaToken, browser })).toBeNull();
    const generation = anna.generation + 1;
    expect(await findUser(store, anna.id)).toMatchObject({ generation });
    expect(await findPending(context, { mfaToken: outcome.mfaToken, browser })).toMatchObject({
      generation,
      verified: ["hwk"],
      setUp: true,
    });
    expect(await listWebauthnCredentials(store, anna.id)).toMatchObject([
      { id: key.id, name: "Security key", rpId: "login.office.example", counter: 1, createdAt: clock.now() },
    ]);
    const events = await listAuditEvents(store, { after: 0, limit: 10 });
    expect(events).toMatchObject([{ type: "factor.added", userId: anna.id, detail: { reason: "security key" } }]);
  });

  it("works at the next sign-in", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const key = createAuthenticator({ origin: ORIGIN });
    await finishKeySetUp(context, await respondToSetUp(context, await pendingToken(context, anna), { key }));
    const now = (await findUser(store, anna.id)) ?? anna;
    const mfaToken = await pendingToken(context, now, { uid: "next" });
    const ceremony = await startKeyCheck(context, { mfaToken, browser });
    if (ceremony.kind !== "started") throw new Error(ceremony.kind);
    const result = await verifyKey(context, { mfaToken, assertion: key.assert(ceremony), ...METADATA });
    expect(result).toMatchObject({ kind: "verified" });
  });

  it("the options contain our host, an opaque user handle, and a new challenge each time", async () => {
    const { context, anna } = await withAnna(dialect);
    const mfaToken = await pendingToken(context, anna);
    const started = await startSetUp(context, mfaToken);
    expect(started).toEqual({
      kind: "started",
      relyingPartyId: "login.office.example",
      userId: Buffer.from(anna.id).toString("base64"),
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      existingCredentialIds: [],
      sessionId: expect.stringMatching(/^[\w-]{43}$/),
      user: {
        username: anna.username,
        displayName: anna.displayName,
        base64EncodedUserId: Buffer.from(anna.id).toString("base64"),
        icon: "https://login.office.example/apple-touch-icon.png",
      },
    });
    expect(started.sessionId).not.toBe(started.challenge);
    expect((await startSetUp(context, mfaToken)).challenge).not.toBe(started.challenge);
  });

  // Proves requirement 38.
  it("every response consumes the ceremony, valid or not", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const mfaToken = await pendingToken(context, anna);
    const key = createAuthenticator({ origin: ORIGIN });
    const ceremony = await startSetUp(context, mfaToken);
    const call = { mfaToken, sessionId: ceremony.sessionId, firstNames: FIRST_KEY_NAMES, ...METADATA };
    const wrong = JSON.stringify(key.register(ceremony, { up: false }));
    const right = JSON.stringify(key.register(ceremony));
    expect(await finishKeySetUp(context, { ...call, credentialJson: wrong })).toEqual(REFUSED);
    expect(await finishKeySetUp(context, { ...call, credentialJson: right })).toEqual(REFUSED);
    expect(await listWebauthnCredentials(store, anna.id)).toEqual([]);
    expect(await findUser(store, anna.id)).toMatchObject({ generation: anna.generation });
    expect(await findPending(context, { mfaToken, browser })).toMatchObject({ verified: [] });
  });

  it("a registered key is refused, whoever owns it, and nothing else changes", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const bert = await putUser(store, { username: "bert" });
    const key = await keyOf(store, bert.id);
    const mfaToken = await pendingToken(context, anna);
    const outcome = await finishKeySetUp(context, await respondToSetUp(context, mfaToken, { key }));
    expect(outcome).toEqual({ kind: "refused", reason: "taken" });
    expect(await listWebauthnCredentials(store, anna.id)).toEqual([]);
    expect(await listWebauthnCredentials(store, bert.id)).toHaveLength(1);
    expect(await findUser(store, anna.id)).toMatchObject({ generation: anna.generation });
    expect(await findPending(context, { mfaToken, browser })).not.toBeNull();
  });

  it("is refused for a user with a factor, at the start and at the end", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const mfaToken = await pendingToken(context, anna);
    const call = await respondToSetUp(context, mfaToken);
    await keyOf(store, anna.id);
    expect(await finishKeySetUp(context, call)).toEqual(HAS_FACTOR);
    expect(await startKeySetUp(context, { mfaToken, browser })).toEqual(HAS_FACTOR);
    expect(await listWebauthnCredentials(store, anna.id)).toHaveLength(1);
  });

  it("of two simultaneous set-ups, one is stored", async () => {
    const { context, anna, store } = await withAnna(dialect);
    const calls = [
      await respondToSetUp(context, await pendingToken(context, anna, { uid: "one" })),
      await respondToSetUp(context, await pendingToken(context, anna, { uid: "two" })),
    ];
    const outcomes = await Promise.all(calls.map((call) => finishKeySetUp(context, call)));
    expect(outcomes.filter(({ kind }) => kind === "verified")).toHaveLength(1);
    expect(await listWebauthnCredentials(store, anna.id)).toHaveLength(1);
    expect(await findUser(store, anna.id)).toMatchObject({ generation: anna.generation + 1 });
  });

  it("failures are counted; a throttled response is not checked", async () => {
    const { context, anna } = await withAnna(dialect);
    const mfaToken = await pendingToken(context, anna);
    for (let count = 0; count < FACTOR_LIMITS.minutes.points; count += 1) {
      expect(await finishKeySetUp(context, await respondToSetUp(context, mfaToken, { bend: { up: false } }))).toEqual(
        REFUSED,
      );
    }
    expect(await finishKeySetUp(context, await respondToSetUp(context, mfaToken))).toMatchObject({ kind: "throttled" });
  });
});

describe("the registration ceremony", () => {
  // Proves requirement 38.
  it("expires after five minutes", async () => {
    const { context, anna, clock } = await withAnna("sqlite");
    const call = await respondToSetUp(context, await pendingToken(context, anna));
    clock.advance(5 * 60);
    expect(await finishKeySetUp(context, call)).toEqual(REFUSED);
  });

  // Proves requirement 38.
  it("is replaced by a newer one", async () => {
    const { context, anna } = await withAnna("sqlite");
    const mfaToken = await pendingToken(context, anna);
    const call = await respondToSetUp(context, mfaToken);
    await startSetUp(context, mfaToken);
    expect(await finishKeySetUp(context, call)).toEqual(REFUSED);
  });

  // Proves requirement 38.
  it("is bound to its user, browser and sign-in", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const bert = await putUser(store, { username: "bert" });
    const otherOwners = [
      { user: bert, uid: "one", browser },
      { user: anna, uid: "one", browser: "another browser" },
      { user: anna, uid: "other", browser },
    ];
    for (const { user, ...where } of otherOwners) {
      const call = await respondToSetUp(context, await pendingToken(context, anna, { uid: "one" }));
      const mfaToken = await pendingToken(context, user, where);
      expect(await finishKeySetUp(context, { ...call, browser: where.browser, mfaToken })).toEqual(REFUSED);
    }
    const call = await respondToSetUp(context, await pendingToken(context, anna, { uid: "one" }));
    expect(await finishKeySetUp(context, call)).toMatchObject({ kind: "verified" });
  });

  it("is invalid when the user's sessions are ended, also for a new sign-in in its slot", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const call = await respondToSetUp(context, await pendingToken(context, anna));
    const unblocked = await setUserStatus(store, anna.id, "active", new Date());
    const mfaToken = await pendingToken(context, unblocked ?? anna);
    expect(await finishKeySetUp(context, { ...call, mfaToken })).toEqual(REFUSED);
  });

  // Proves requirement 39.
  it("does not accept an assertion, nor the other way round", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const mfaToken = await pendingToken(context, anna);
    const ceremony = await startSetUp(context, mfaToken);
    const key = await keyOf(store, anna.id);
    expect(await verifyKey(context, { mfaToken, assertion: key.assert(ceremony), ...METADATA })).toEqual(REFUSED);
    const bert = await putUser(store, { username: "bert" });
    const check = await startKeyCheck(context, { mfaToken, browser });
    if (check.kind !== "started") throw new Error(check.kind);
    const credentialJson = JSON.stringify(createAuthenticator({ origin: ORIGIN }).register(check));
    const ofBert = { ...METADATA, mfaToken: await pendingToken(context, bert, { uid: "uid-2" }) };
    const response = { sessionId: check.sessionId, credentialJson, firstNames: FIRST_KEY_NAMES };
    expect(await finishKeySetUp(context, { ...ofBert, ...response })).toEqual(REFUSED);
  });

  it("is not started without the mfa_token and its browser", async () => {
    const { context, anna } = await withAnna("sqlite");
    const mfaToken = await pendingToken(context, anna);
    const call = await respondToSetUp(context, mfaToken);
    for (const wrong of [
      { mfaToken, browser: "another browser" },
      { mfaToken: "", browser },
    ]) {
      expect(await startKeySetUp(context, wrong)).toEqual({ kind: "unauthorized" });
      expect(await finishKeySetUp(context, { ...call, ...wrong })).toEqual({ kind: "unauthorized" });
    }
  });

  it("is not started if the host is an IP address", async () => {
    const { context, anna } = await withAnna("sqlite", "http://127.0.0.1:3000");
    const mfaToken = await pendingToken(context, anna);
    expect(await startKeySetUp(context, { mfaToken, browser })).toEqual({ kind: "unavailable" });
  });

  it("excludes all keys of the user, of any host", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const first = await keyOf(store, anna.id);
    const second = await keyOf(store, anna.id, { rpId: "old.office.example", createdAt: new Date(1) });
    const owner = { userId: anna.id, generation: anna.generation, browser, slot: "settings" };
    const started = await startRegistration(context, owner);
    expect(started?.existingCredentialIds).toEqual([first.id, second.id]);
  });

  it("refuses any malformed response without an exception", async () => {
    const { context, anna, store } = await withAnna("sqlite");
    const mfaToken = await pendingToken(context, anna);
    for (const garbage of GARBAGE) {
      for (const credentialJson of [garbage, JSON.stringify(garbage)]) {
        const call = await respondToSetUp(context, mfaToken);
        expect(await finishKeySetUp(context, { ...call, credentialJson })).toEqual(REFUSED);
        await store.q.delete(store.t.rateLimits);
      }
    }
    for (const sessionId of ["", "\0", "x".repeat(10_000)]) {
      const call = await respondToSetUp(context, mfaToken);
      expect(await finishKeySetUp(context, { ...call, sessionId })).toEqual(REFUSED);
    }
  });
});
