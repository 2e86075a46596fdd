import { describe, expect, it } from "vitest";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { FRESH_PROOF_SECONDS, type SettingsAccess } from "#app/domain/settings/access.ts";
import {
  finishOwnKey,
  listOwnKeys,
  removeOwnKey,
  renameOwnKey,
  startOwnKey,
} from "#app/domain/settings/security-keys.server.ts";
import { createAuthenticator, type RegistrationBend } from "#tests/support/authenticator.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { FIRST_KEY_NAMES } from "#tests/support/factors.ts";
import { putUser } from "#tests/unit/domain/parts.ts";
import { keyOf, ORIGIN } from "#tests/unit/domain/second-factor/key-parts.ts";
import { FACTS, heldModels, isOpen, openedSettings, openSettings, queuedMails, storedEvents } from "./opened.ts";

/** Opens Anna's settings; `answer` starts a registration and lets this key respond. */
async function settings(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts } = opened;
  async function ask(access: SettingsAccess = opened.access) {
    const started = await startOwnKey(parts, access);
    if (started.kind !== "started") throw new Error(started.kind);
    return started;
  }
  async function answer(key = createAuthenticator({ origin: ORIGIN }), bend: RegistrationBend = {}) {
    const asked = await ask();
    const credentialJson = JSON.stringify(key.register(asked, bend));
    return { ...FACTS, sessionId: asked.sessionId, credentialJson, firstNames: FIRST_KEY_NAMES };
  }
  return { ...opened, ask, answer };
}

function later(access: SettingsAccess): SettingsAccess {
  return { ...access, generation: access.generation + 1 };
}

describe.each(dialects)("a security key in the settings on %s", (dialect) => {
  it("is registered under its name, and counts for this session", async () => {
    const { parts, store, user, access, answer } = await settings(dialect);
    const other = await openSettings(parts, user);
    expect(await finishOwnKey(parts, access, { ...(await answer()), name: "Blue key" })).toEqual({ kind: "done" });
    const [key, ...more] = await listOwnKeys(parts, access);
    expect(more).toEqual([]);
    const facts = { name: "Blue key", addedAt: parts.clock.now(), lastUsedAt: null, flagged: false };
    expect(key).toEqual({ id: expect.any(String), ...facts });
    const session = await findRecordByUid(store, "Session", access.sessionUid ?? "");
    expect(session?.payload).toMatchObject({ generation: user.generation + 1, amr: ["pwd", "hwk", "mfa"] });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await heldModels(store)).toEqual([]);
    expect(await queuedMails(store)).toEqual(["factor-added"]);
    expect(await storedEvents(store)).toEqual(["factor.added"]);
  });

  it("names the keys one has, so that none is registered twice", async () => {
    const { parts, store, user, access, ask, answer } = await settings(dialect);
    const key = await keyOf(store, user.id);
    const [own] = await listOwnKeys(parts, access);
    expect((await ask()).existingCredentialIds).toEqual([own?.id]);
    const taken = { kind: "security key refused", reason: "taken" };
    expect(await finishOwnKey(parts, access, await answer(key))).toEqual(taken);
    expect(await findUser(store, user.id)).toMatchObject({ generation: user.generation });
    expect(await queuedMails(store)).toEqual([]);
    expect(await storedEvents(store)).toEqual(["factor.refused"]);
  });

  it("that is somebody else's is refused", async () => {
    const { parts, store, access, answer } = await settings(dialect);
    const berta = await putUser(store, { username: "berta" });
    const taken = { kind: "security key refused", reason: "taken" };
    expect(await finishOwnKey(parts, access, await answer(await keyOf(store, berta.id)))).toEqual(taken);
    expect(await listOwnKeys(parts, access)).toEqual([]);
  });

  it("answers a question once, also twice at once", async () => {
    const { parts, store, access, answer } = await settings(dialect);
    const sent = await answer();
    const ends = await Promise.all([1, 2, 3].map(() => finishOwnKey(parts, access, sent)));
    expect(ends.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await store.q.$count(store.t.webauthnCredentials)).toBe(1);
    expect(await queuedMails(store)).toEqual(["factor-added"]);
  });

  it("is renamed and removed by its owner alone; the last one takes the recovery codes along", async () => {
    const { parts, store, user, access } = await settings(dialect);
    await keyOf(store, user.id);
    await createRecoveryCodes(parts, { userId: user.id });
    const berta = await putUser(store, { username: "berta" });
    await keyOf(store, berta.id);
    const [own] = await listOwnKeys(parts, access);
    const [foreign] = await listOwnKeys(parts, { ...access, userId: berta.id });
    const none = { kind: "security key not found" };
    expect(await renameOwnKey(parts, access, { id: foreign?.id ?? "", name: "Mine" })).toEqual(none);
    expect(await removeOwnKey(parts, access, { ...FACTS, id: foreign?.id ?? "" })).toEqual(none);
    expect(await removeOwnKey(parts, access, { ...FACTS, id: "a\0b" })).toEqual(none);
    expect(await findUser(store, user.id)).toMatchObject({ generation: user.generation });
    expect(await renameOwnKey(parts, access, { id: own?.id ?? "", name: "Mine" })).toEqual({ kind: "done" });
    expect(await listOwnKeys(parts, access)).toMatchObject([{ name: "Mine" }]);
    expect(await removeOwnKey(parts, access, { ...FACTS, id: own?.id ?? "" })).toEqual({ kind: "done" });
    expect(await findFactors(store, user.id)).toEqual({ totp: false, securityKeys: 0, recoveryCodesLeft: 0 });
    expect(await findFactors(store, berta.id)).toMatchObject({ securityKeys: 1 });
    expect(await isOpen(store, access)).toBe(true);
    expect(await queuedMails(store)).toEqual(["factor-removed"]);
    expect(await storedEvents(store)).toEqual(["recovery-codes.made", "factor.removed"]);
  });
});

describe("a security key in the settings", () => {
  it("of two that are removed, the first leaves the recovery codes", async () => {
    const { parts, store, user, access } = await settings("sqlite");
    await keyOf(store, user.id);
    await keyOf(store, user.id);
    await createRecoveryCodes(parts, { userId: user.id });
    const [first, second] = await listOwnKeys(parts, access);
    expect(await removeOwnKey(parts, access, { ...FACTS, id: first?.id ?? "" })).toEqual({ kind: "done" });
    expect(await findFactors(store, user.id)).toMatchObject({ securityKeys: 1, recoveryCodesLeft: 10 });
    expect(await removeOwnKey(parts, later(access), { ...FACTS, id: second?.id ?? "" })).toEqual({ kind: "done" });
    expect(await findFactors(store, user.id)).toMatchObject({ securityKeys: 0, recoveryCodesLeft: 0 });
  });

  it("is refused with another site's answer, or one to a question asked elsewhere; five times, then it waits", async () => {
    const { parts, user, access, answer } = await settings("sqlite");
    const refused = { kind: "security key refused", reason: "verification" };
    const evil = createAuthenticator({ origin: "https://evil.example" });
    expect(await finishOwnKey(parts, access, await answer(evil))).toEqual(refused);
    const elsewhere = await openSettings(parts, user);
    expect(await finishOwnKey(parts, elsewhere, await answer())).toEqual(refused);
    const garbage = { ...FACTS, sessionId: "none", credentialJson: "{", firstNames: FIRST_KEY_NAMES };
    for (let n = 0; n < 3; n += 1) expect(await finishOwnKey(parts, access, garbage)).toEqual(refused);
    const throttled = { kind: "throttled", retryAfterSeconds: 300 };
    expect(await finishOwnKey(parts, access, await answer())).toEqual(throttled);
  });

  it("is out of reach for stale settings and without a fresh proof", async () => {
    const { parts, access, answer } = await settings("sqlite");
    const sent = await answer();
    const stale = { ...access, generation: access.generation - 1 };
    expect(await startOwnKey(parts, stale)).toEqual({ kind: "unauthorized" });
    expect(await renameOwnKey(parts, stale, { id: "x", name: "y" })).toEqual({ kind: "unauthorized" });
    parts.clock.advance(FRESH_PROOF_SECONDS + 1);
    const old = { kind: "reauthentication_required" };
    expect(await startOwnKey(parts, access)).toEqual(old);
    expect(await finishOwnKey(parts, access, sent)).toEqual(old);
    expect(await removeOwnKey(parts, access, { ...FACTS, id: "x" })).toEqual(old);
  });

  it("cannot be had where the installation's address is an IP address", async () => {
    const { parts, access } = await settings("sqlite");
    const config = { ...parts.config, issuer: "https://192.0.2.7" };
    expect(await startOwnKey({ ...parts, config }, access)).toEqual({ kind: "unavailable" });
  });
});
