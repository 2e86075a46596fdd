import { describe, expect, it } from "vitest";
import { findManageSession } from "#app/db/repositories/manage-sessions.server.ts";
import { findRecordByUid, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { FRESH_PROOF_SECONDS, type SettingsAccess } from "#app/domain/access/access.ts";
import { endPageSession, findPageSession, renewProof } from "#app/domain/access/page-session.server.ts";
import { changePassword } from "#app/domain/account/change-password.server.ts";
import { findReauthenticationName, reauthenticate } from "#app/domain/account/reauthenticate.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { countAttempt } from "#app/domain/password/throttle.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { unlockUser } from "#app/domain/user/unlock.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import {
  METADATA,
  OTHER_PASSWORD,
  openedSettings,
  openSettings,
  PASSWORD,
} from "#tests/unit/domain/access/settings-fixtures.ts";
import { storedEvents } from "#tests/unit/domain/access/stored.ts";
import { holdCalls } from "#tests/unit/domain/fixtures.ts";

const WRONG = { ...METADATA, password: "Wrong-Horse-77-Elm" };
const RIGHT = { ...METADATA, password: PASSWORD };

/** A change of the password whose current password is the proof of identity. */
const AS_PROOF = { newPassword: OTHER_PASSWORD, newPasswordRepeat: OTHER_PASSWORD, endOthers: true, isProof: true };

/** Opens Anna's settings, whose last proof of identity is then too old. */
async function oldSettings(dialect: Dialect) {
  const settings = await openedSettings(dialect);
  settings.parts.clock.advance(FRESH_PROOF_SECONDS + 1);
  return settings;
}

type Settings = Awaited<ReturnType<typeof oldSettings>>;

/** Starts a confirmation whose password check waits until `release` is called. */
async function heldCheck({ parts, access }: Settings) {
  const held = holdCalls();
  const hasher: typeof parts.hasher = {
    ...parts.hasher,
    async verify(hash, password) {
      if (password === PASSWORD) await held.pass();
      return parts.hasher.verify(hash, password);
    },
  };
  const result = reauthenticate({ ...parts, hasher }, access, RIGHT);
  await held.started;
  return { result, release: held.release };
}

const sessionOf = (store: Store, { holder }: SettingsAccess) => findManageSession(store, holder.pageSessionHash ?? "");

describe.each(dialects)("the password as a proof of identity on %s", (dialect) => {
  it("replaces the page session by one with a new token and the current time, and ends its token chains", async () => {
    const { parts: deps, store, access } = await oldSettings(dialect);
    const before = await sessionOf(store, access);
    const result = await reauthenticate(deps, access, RIGHT);
    const token = result.kind === "done" ? result.token : "";
    expect(await sessionOf(store, access)).toBeNull();
    const now = deps.clock.now();
    expect(await findManageSession(store, hashToken(token))).toEqual({
      ...before,
      tokenHash: hashToken(token),
      ...{ authTime: now, createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + 30 * 60_000) },
    });
    expect(await store.q.$count(store.t.manageChains)).toBe(0);
    expect(await findPageSession(deps, { token, browser: "browser" })).toMatchObject({ authTime: now });
    expect(await storedEvents(store)).toEqual(["reauthentication.succeeded"]);
  });

  // Proves requirement 154.
  it("starts no session, and changes no session and no other settings of the user", async () => {
    const { parts: deps, store, user, access } = await oldSettings(dialect);
    const other = await openSettings(deps, user);
    const { oidcRecords } = store.t;
    const records = () => store.q.select().from(oidcRecords).orderBy(oidcRecords.model, oidcRecords.id);
    const before = [await sessionOf(store, other), await records()];
    expect(await reauthenticate(deps, access, RIGHT)).toMatchObject({ kind: "done" });
    expect([await sessionOf(store, other), await records()]).toEqual(before);
    expect(await findUser(store, user.id)).toEqual(user);
  });

  it("is recorded and counted when it is wrong, and changes nothing", async () => {
    const { parts: deps, store, access } = await oldSettings(dialect);
    const before = await sessionOf(store, access);
    expect(await reauthenticate(deps, access, WRONG)).toEqual({ kind: "wrong" });
    expect(await sessionOf(store, access)).toEqual(before);
    expect(await storedEvents(store)).toEqual(["reauthentication.refused"]);
  });

  it("of two simultaneous calls succeeds once", async () => {
    const { parts: deps, store, access } = await oldSettings(dialect);
    const results = await Promise.all([1, 2].map(() => reauthenticate(deps, access, RIGHT)));
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", "unauthorized"]);
    expect(await store.q.$count(store.t.manageSessions)).toBe(1);
    expect(await storedEvents(store)).toEqual(["reauthentication.succeeded"]);
  });

  // Proves requirement 154.
  it("is throttled if simultaneous wrong passwords reach the limit while the right one is checked", async () => {
    const settings = await oldSettings(dialect);
    const { parts: deps, store, access } = settings;
    const before = await sessionOf(store, access);
    const { result, release } = await heldCheck(settings);
    const guesses = await Promise.all(Array.from({ length: 30 }, () => reauthenticate(deps, access, WRONG)));
    expect(guesses.filter(({ kind }) => kind === "wrong")).toHaveLength(10);
    release();
    expect(await result).toEqual({ kind: "throttled", retryAfterSeconds: 900 });
    expect(await sessionOf(store, access)).toEqual(before);
    expect(await storedEvents(store)).toEqual(Array(10).fill("reauthentication.refused"));
  });

  // Proves requirement 154.
  it.each<[string, (settings: Settings, user: User) => Promise<unknown>]>([
    ["the password is changed", ({ parts }, { username }) => setUserPassword(parts, username, OTHER_PASSWORD)],
    [
      "the password is changed elsewhere, and other sessions are kept",
      async ({ parts }, user) => {
        const passwords = { password: PASSWORD, newPassword: OTHER_PASSWORD, newPasswordRepeat: OTHER_PASSWORD };
        const elsewhere = await openSettings(parts, user);
        return changePassword(parts, elsewhere, { ...METADATA, ...passwords, endOthers: false, isProof: false });
      },
    ],
    ["the user is blocked", ({ parts }, { username }) => blockUser(parts, username)],
    ["a group requires a second factor", ({ parts }) => setGroup(parts, "office", { requireMfa: true })],
    ["the settings are replaced", ({ store }) => store.q.delete(store.t.manageSessions)],
  ])("proves nothing if, while it is checked, %s", async (_what, happen) => {
    const settings = await oldSettings(dialect);
    const { store, user, access } = settings;
    await store.q.insert(store.t.groups).values({ id: "g-1", name: "office", createdAt: new Date(0) });
    await store.q.update(store.t.users).set({ groupId: "g-1" });
    const { result, release } = await heldCheck(settings);
    await happen(settings, user);
    release();
    expect(await result).toEqual({ kind: "unauthorized" });
    expect((await sessionOf(store, access))?.authTime ?? null).not.toEqual(settings.parts.clock.now());
    expect(await storedEvents(store)).not.toContain("reauthentication.succeeded");
  });
});

describe.each(dialects)("the current password as the proof of its own change on %s", (dialect) => {
  it("changes the password, and proves nothing for another change", async () => {
    const { parts: deps, store, user, access } = await oldSettings(dialect);
    const before = await sessionOf(store, access);
    expect(await changePassword(deps, access, { ...RIGHT, ...AS_PROOF })).toEqual({ kind: "done" });
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: `plain:${OTHER_PASSWORD}` });
    expect((await sessionOf(store, access))?.authTime).toEqual(before?.authTime);
    expect(await storedEvents(store)).toEqual(["password.changed"]);
  });

  // Proves requirement 54.
  it("changes nothing if a second factor is required while it is checked", async () => {
    const { parts, store, user, access } = await oldSettings(dialect);
    await store.q.insert(store.t.groups).values({ id: "g-1", name: "office", createdAt: new Date(0) });
    await store.q.update(store.t.users).set({ groupId: "g-1" });
    const hasher: typeof parts.hasher = {
      ...parts.hasher,
      async hash(password) {
        await setGroup(parts, "office", { requireMfa: true });
        return parts.hasher.hash(password);
      },
    };
    const change = await changePassword({ ...parts, hasher }, access, { ...RIGHT, ...AS_PROOF });
    expect(change).toEqual({ kind: "reauthentication_required" });
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: `plain:${PASSWORD}` });
    expect(await storedEvents(store)).not.toContain("password.changed");
  });
});

describe("the password as a proof of identity", () => {
  /** Expects that only a new sign-in is accepted, and that the password is not even checked. */
  async function expectSignIn({ parts: deps, store, access }: Settings): Promise<void> {
    expect(await findReauthenticationName(deps, access)).toBeNull();
    for (const input of [RIGHT, WRONG]) {
      expect(await reauthenticate(deps, access, input)).toEqual({ kind: "sign-in required" });
      const change = await changePassword(deps, { ...access, authTime: null }, { ...input, ...AS_PROOF });
      expect(change).toEqual({ kind: "reauthentication_required" });
    }
    expect(deps.counts).toEqual({ hash: 0, verify: 0 });
    expect(await storedEvents(store)).toEqual([]);
  }

  it("is asked for by the user's name", async () => {
    const { parts: deps, access } = await oldSettings("sqlite");
    expect(await findReauthenticationName(deps, access)).toBe("anna");
  });

  it("is not enough for a user with a second factor", async () => {
    const settings = await oldSettings("sqlite");
    const { parts: deps, store, user } = settings;
    const sealedSecret = await deps.secrets.seal("totp", "A".repeat(32));
    const app = { userId: user.id, sealedSecret, lastStep: 0, createdAt: deps.clock.now() };
    await store.q.insert(store.t.totpCredentials).values(app);
    await expectSignIn(settings);
  });

  // Proves requirement 154.
  it("is not enough where a second factor is required, even of a user without one", async () => {
    const settings = await oldSettings("sqlite");
    const config = { ...settings.parts.config, mfaPolicy: "required" as const };
    await expectSignIn({ ...settings, parts: { ...settings.parts, config } });
  });

  it("is not asked of a user without one", async () => {
    const settings = await openedSettings("sqlite", { passwordHash: null });
    await expectSignIn(settings);
  });

  it("is not accepted in a session that began at a provider, so that a mailed password stays one", async () => {
    const settings = await oldSettings("sqlite");
    const record = await findRecordByUid(settings.store, "Session", settings.access.sessionUid ?? "");
    if (!record) throw new Error("no session");
    const { id, uid, accountId, expiresAt } = record;
    const payload = { ...record.payload, amr: ["fed"] };
    await saveRecord(settings.store, { model: "Session", id, uid, accountId, payload, expiresAt });
    await expectSignIn(settings);
  });

  it("is accepted for settings that an administrator's link opened, without a session", async () => {
    const { parts: deps, store, access } = await oldSettings("sqlite");
    await store.q.update(store.t.manageSessions).set({ sessionUid: null, authTime: null });
    const linked = { ...access, sessionUid: null, authTime: null };
    expect(await reauthenticate(deps, linked, RIGHT)).toMatchObject({ kind: "done" });
  });

  it("renews no settings that moved to another generation at the same moment, and none of another user", async () => {
    const { parts: deps, store, access } = await oldSettings("sqlite");
    for (const other of [{ generation: access.generation + 1 }, { userId: "another" }])
      expect(await renewProof(deps, { ...access, ...other })).toBeNull();
    expect(await sessionOf(store, access)).not.toBeNull();
  });

  it("is not accepted from an application's token chain, which has no page", async () => {
    const { parts: deps, access } = await oldSettings("sqlite");
    const holder = { kind: "chain", chainId: "this", pageSessionHash: null } as const;
    expect(await reauthenticate(deps, { ...access, holder }, RIGHT)).toEqual({ kind: "unauthorized" });
  });

  it("is not accepted after the page session expired or was closed", async () => {
    const { parts: deps, access } = await oldSettings("sqlite");
    deps.clock.advance(30 * 60);
    expect(await reauthenticate(deps, access, RIGHT)).toEqual({ kind: "unauthorized" });
    const closed = await oldSettings("sqlite");
    const opened = await reauthenticate(closed.parts, closed.access, RIGHT);
    const token = opened.kind === "done" ? opened.token : "";
    await endPageSession(closed.parts, token);
    const holder = { kind: "page", pageSessionHash: hashToken(token) } as const;
    expect(await reauthenticate(closed.parts, { ...closed.access, holder }, RIGHT)).toEqual({ kind: "unauthorized" });
  });

  // Proves requirement 154.
  it("has one limit together with the current password of a change", async () => {
    const { parts: deps, user, access } = await openedSettings("sqlite");
    const passwords = {
      newPassword: OTHER_PASSWORD,
      newPasswordRepeat: OTHER_PASSWORD,
      endOthers: true,
      isProof: false,
    };
    for (let n = 0; n < 5; n += 1) {
      expect(await reauthenticate(deps, access, WRONG)).toEqual({ kind: "wrong" });
      expect(await changePassword(deps, access, { ...WRONG, ...passwords })).toMatchObject({ kind: "refused" });
    }
    const other = await openSettings(deps, user);
    expect(await reauthenticate(deps, other, RIGHT)).toEqual({ kind: "throttled", retryAfterSeconds: 900 });
    expect(deps.counts).toEqual({ hash: 0, verify: 10 });
    expect(deps.lines.some((line) => line.includes("settings.throttled"))).toBe(true);
    deps.clock.advance(15 * 60);
    expect(await reauthenticate(deps, access, RIGHT)).toMatchObject({ kind: "done" });
  });

  it("is possible again after the administrator has unlocked the user", async () => {
    const { parts: deps, user, access } = await oldSettings("sqlite");
    for (let n = 0; n < 10; n += 1) await reauthenticate(deps, access, WRONG);
    expect(await reauthenticate(deps, access, RIGHT)).toMatchObject({ kind: "throttled" });
    await unlockUser(deps, user.username);
    expect(await reauthenticate(deps, access, RIGHT)).toMatchObject({ kind: "done" });
  });

  it("is possible while sign-in attempts for the user name are throttled, and clears the failures in the settings", async () => {
    const { parts: deps, store, user, access } = await oldSettings("sqlite");
    const attempt = { typedName: user.username, userId: user.id, address: METADATA.address, knownBrowser: null };
    for (let n = 0; n < 11; n += 1) await countAttempt(deps, attempt);
    const before = await store.q.$count(store.t.rateLimits);
    await reauthenticate(deps, access, WRONG);
    expect(await reauthenticate(deps, access, RIGHT)).toMatchObject({ kind: "done" });
    expect(await store.q.$count(store.t.rateLimits)).toBe(before);
    expect(await countAttempt(deps, attempt)).toBeGreaterThan(0);
  });

  it("is hashed again at the current cost, unless the hash queue is full", async () => {
    const { parts: deps, store, user, access } = await oldSettings("sqlite");
    const cheap = { verify: async () => ({ ok: true, needsRehash: true }) };
    const full = { ...deps.hasher, ...cheap, hash: () => Promise.reject(new DomainError("overloaded")) };
    const first = await reauthenticate({ ...deps, hasher: full }, access, RIGHT);
    expect(await findUser(store, user.id)).toEqual(user);
    const holder = { kind: "page", pageSessionHash: hashToken(first.kind === "done" ? first.token : "") } as const;
    const today = { ...deps.hasher, ...cheap, hash: async () => "today" };
    expect(await reauthenticate({ ...deps, hasher: today }, { ...access, holder }, RIGHT)).toMatchObject({
      kind: "done",
    });
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: "today", generation: user.generation });
  });

  it("is not counted if it could not be checked", async () => {
    const { parts: deps, store, access } = await oldSettings("sqlite");
    const busy = { ...deps.hasher, verify: () => Promise.reject(new DomainError("overloaded")) };
    await expect(reauthenticate({ ...deps, hasher: busy }, access, RIGHT)).rejects.toThrow("overloaded");
    expect(await store.q.$count(store.t.rateLimits)).toBe(0);
  });
});
