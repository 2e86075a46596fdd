import { describe, expect, it } from "vitest";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { FRESH_PROOF_SECONDS, type SettingsAccess } from "#app/domain/access/access.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { finishOwnKey, startOwnKey } from "#app/domain/webauthn/own-key-registration.server.ts";
import { listOwnKeys, removeOwnKey, renameOwnKey } from "#app/domain/webauthn/own-keys.server.ts";
import { createAuthenticator, type RegistrationTampering } from "#tests/support/authenticator.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { FIRST_KEY_NAMES } from "#tests/support/factors.ts";
import { METADATA, openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";
import { keyOf, ORIGIN } from "#tests/unit/domain/second-factor/key-fixtures.ts";

/** Opens Anna's settings; `answer` starts a registration and lets this key respond. */
async function settings(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps } = opened;
  async function start(access: SettingsAccess = opened.access) {
    const started = await startOwnKey(deps, access);
    if (started.kind !== "started") throw new Error(started.kind);
    return started;
  }
  async function respond(key = createAuthenticator({ origin: ORIGIN }), bend: RegistrationTampering = {}) {
    const ceremony = await start();
    const credentialJson = JSON.stringify(key.register(ceremony, bend));
    return { ...METADATA, sessionId: ceremony.sessionId, credentialJson, firstNames: FIRST_KEY_NAMES };
  }
  return { ...opened, ask: start, answer: respond };
}

/** A security key was changed. */
const DONE = { kind: "done", isPasskey: false };

function later(access: SettingsAccess): SettingsAccess {
  return { ...access, generation: access.generation + 1 };
}

describe.each(dialects)("a security key in the settings on %s", (dialect) => {
  it("is registered under its name, and counts for this session", async () => {
    const { parts: deps, store, user, access, answer: respond } = await settings(dialect);
    const other = await openSettings(deps, user);
    expect(await finishOwnKey(deps, access, { ...(await respond()), name: "Blue key" })).toEqual({ kind: "done" });
    const [key, ...more] = await listOwnKeys(deps, access);
    expect(more).toEqual([]);
    const fields = { name: "Blue key", addedAt: deps.clock.now(), lastUsedAt: null, flagged: false, passkey: null };
    expect(key).toEqual({ id: expect.any(String), ...fields });
    const session = await findRecordByUid(store, "Session", access.sessionUid ?? "");
    expect(session?.payload).toMatchObject({ generation: user.generation + 1, amr: ["pwd", "hwk", "mfa"] });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await heldModels(store)).toEqual([]);
    expect(await queuedMails(store)).toEqual(["factor-added"]);
    expect(await storedEvents(store)).toEqual(["factor.added"]);
  });

  it("excludes the user's existing keys", async () => {
    const { parts: deps, store, user, access, ask: start, answer: respond } = await settings(dialect);
    const key = await keyOf(store, user.id);
    const [own] = await listOwnKeys(deps, access);
    expect((await start()).existingCredentialIds).toEqual([own?.id]);
    const taken = { kind: "security key refused", reason: "taken" };
    expect(await finishOwnKey(deps, access, await respond(key))).toEqual(taken);
    expect(await findUser(store, user.id)).toMatchObject({ generation: user.generation });
    expect(await queuedMails(store)).toEqual([]);
    expect(await storedEvents(store)).toEqual(["factor.refused"]);
  });

  it("that belongs to another user is refused", async () => {
    const { parts: deps, store, access, answer: respond } = await settings(dialect);
    const berta = await putUser(store, { username: "berta" });
    const taken = { kind: "security key refused", reason: "taken" };
    expect(await finishOwnKey(deps, access, await respond(await keyOf(store, berta.id)))).toEqual(taken);
    expect(await listOwnKeys(deps, access)).toEqual([]);
  });

  it("consumes a ceremony once, also twice simultaneously", async () => {
    const { parts: deps, store, access, answer: respond } = await settings(dialect);
    const sent = await respond();
    const ends = await Promise.all([1, 2, 3].map(() => finishOwnKey(deps, access, sent)));
    expect(ends.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await store.q.$count(store.t.webauthnCredentials)).toBe(1);
    expect(await queuedMails(store)).toEqual(["factor-added"]);
  });

  // Proves requirements 23, 53.
  it("is renamed and removed for its user only; removing the last one removes the recovery codes", async () => {
    const { parts: deps, store, user, access } = await settings(dialect);
    await keyOf(store, user.id);
    await createRecoveryCodes(deps, { userId: user.id, generation: user.generation });
    const berta = await putUser(store, { username: "berta" });
    await keyOf(store, berta.id);
    const [own] = await listOwnKeys(deps, access);
    const [foreign] = await listOwnKeys(deps, { ...access, userId: berta.id });
    const none = { kind: "security key not found" };
    expect(await renameOwnKey(deps, access, { id: foreign?.id ?? "", name: "Mine" })).toEqual(none);
    expect(await removeOwnKey(deps, access, { ...METADATA, id: foreign?.id ?? "" })).toEqual(none);
    expect(await removeOwnKey(deps, access, { ...METADATA, id: "a\0b" })).toEqual(none);
    expect(await findUser(store, user.id)).toMatchObject({ generation: user.generation });
    expect(await renameOwnKey(deps, access, { id: own?.id ?? "", name: "Mine" })).toEqual(DONE);
    expect(await listOwnKeys(deps, access)).toMatchObject([{ name: "Mine" }]);
    expect(await removeOwnKey(deps, access, { ...METADATA, id: own?.id ?? "" })).toEqual(DONE);
    expect(await findFactors(store, user.id)).toEqual({
      totp: false,
      securityKeys: 0,
      passkeys: 0,
      recoveryCodesLeft: 0,
    });
    expect(await findFactors(store, berta.id)).toMatchObject({ securityKeys: 1 });
    expect(await isOpen(store, access)).toBe(true);
    expect(await queuedMails(store)).toEqual(["factor-removed"]);
    expect(await storedEvents(store)).toEqual(["recovery-codes.made", "factor.removed"]);
  });
});

describe("a security key in the settings", () => {
  it("of two that are removed, the first leaves the recovery codes", async () => {
    const { parts: deps, store, user, access } = await settings("sqlite");
    await keyOf(store, user.id);
    await keyOf(store, user.id);
    await createRecoveryCodes(deps, { userId: user.id, generation: user.generation });
    const [first, second] = await listOwnKeys(deps, access);
    expect(await removeOwnKey(deps, access, { ...METADATA, id: first?.id ?? "" })).toEqual(DONE);
    expect(await findFactors(store, user.id)).toMatchObject({ securityKeys: 1, recoveryCodesLeft: 10 });
    expect(await removeOwnKey(deps, later(access), { ...METADATA, id: second?.id ?? "" })).toEqual(DONE);
    expect(await findFactors(store, user.id)).toMatchObject({ securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 });
  });

  it("is refused with a response of another site or ceremony; after ten failures it is throttled", async () => {
    const { parts: deps, user, access, answer: respond } = await settings("sqlite");
    const refused = { kind: "security key refused", reason: "verification" };
    const evil = createAuthenticator({ origin: "https://evil.example" });
    expect(await finishOwnKey(deps, access, await respond(evil))).toEqual(refused);
    const elsewhere = await openSettings(deps, user);
    expect(await finishOwnKey(deps, elsewhere, await respond())).toEqual(refused);
    const garbage = { ...METADATA, sessionId: "none", credentialJson: "{", firstNames: FIRST_KEY_NAMES };
    for (let n = 0; n < 8; n += 1) expect(await finishOwnKey(deps, access, garbage)).toEqual(refused);
    const throttled = { kind: "throttled", retryAfterSeconds: 300 };
    expect(await finishOwnKey(deps, access, await respond())).toEqual(throttled);
  });

  // Proves requirement 54.
  it("is refused for stale settings and without a recent proof of identity", async () => {
    const { parts: deps, access, answer: respond } = await settings("sqlite");
    const sent = await respond();
    const stale = { ...access, generation: access.generation - 1 };
    expect(await startOwnKey(deps, stale)).toEqual({ kind: "unauthorized" });
    expect(await renameOwnKey(deps, stale, { id: "x", name: "y" })).toEqual({ kind: "unauthorized" });
    deps.clock.advance(FRESH_PROOF_SECONDS + 1);
    const old = { kind: "reauthentication_required" };
    expect(await startOwnKey(deps, access)).toEqual(old);
    expect(await finishOwnKey(deps, access, sent)).toEqual(old);
    expect(await removeOwnKey(deps, access, { ...METADATA, id: "x" })).toEqual(old);
  });

  it("is unavailable if the issuer's host is an IP address", async () => {
    const { parts: deps, access } = await settings("sqlite");
    const config = { ...deps.config, issuer: "https://192.0.2.7" };
    expect(await startOwnKey({ ...deps, config }, access)).toEqual({ kind: "unavailable" });
  });
});
