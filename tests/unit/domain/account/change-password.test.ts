import { describe, expect, it } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { FRESH_PROOF_SECONDS } from "#app/domain/access/access.ts";
import { changePassword, type PasswordChangeInput } from "#app/domain/account/change-password.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { countAttempt } from "#app/domain/password/throttle.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { dialects } from "#tests/support/databases.ts";
import {
  METADATA,
  OTHER_PASSWORD,
  openedSettings,
  openSettings,
  PASSWORD,
  putToken,
} from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, pendingKinds, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { holdCalls } from "#tests/unit/domain/fixtures.ts";

const KINDS = [
  ...(["password-reset", "mfa-reset", "mfa-reset-stop", "mfa", "totp-setup", "webauthn-registration"] as const),
  ...(["webauthn-assertion", "settings", "settings-confirm"] as const),
];

function typed(input: Partial<PasswordChangeInput> = {}): PasswordChangeInput {
  const passwords = { password: PASSWORD, newPassword: OTHER_PASSWORD, newPasswordRepeat: OTHER_PASSWORD };
  return { ...METADATA, ...passwords, endOthers: true, isProof: false, ...input };
}

describe.each(dialects)("changing the password on %s", (dialect) => {
  // Proves requirement 23.
  it("keeps this session and its settings, and ends all other access of the user", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const other = await openSettings(deps, user);
    for (const kind of KINDS) await putToken(deps, user, kind);
    expect(await changePassword(deps, access, typed())).toEqual({ kind: "done" });
    expect(await findUser(store, user.id)).toMatchObject({
      passwordHash: `plain:${OTHER_PASSWORD}`,
      passwordSetAt: deps.clock.now(),
      passwordSetHow: "settings",
      generation: user.generation + 1,
    });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await heldModels(store)).toEqual([]);
    expect(await pendingKinds(store)).toEqual(["not-me"]);
    expect(await queuedMails(store)).toEqual(["password-changed"]);
    expect(await storedEvents(store)).toEqual(["password.changed"]);
  });

  // Proves requirement 62.
  it("keeps the other sessions if the box is not ticked, but invalidates mailed links", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const other = await openSettings(deps, user);
    for (const kind of KINDS) await putToken(deps, user, kind);
    const held = await heldModels(store);
    expect(await changePassword(deps, access, typed({ endOthers: false }))).toEqual({ kind: "done" });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(true);
    expect(await heldModels(store)).toEqual(held);
    expect(await pendingKinds(store)).toEqual(["not-me"]);
  });

  // Proves requirement 8.
  it("is refused if the current password is wrong: nothing changes, and the audit trail records it", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const other = await openSettings(deps, user);
    const refused = { kind: "refused", code: "Current password invalid" };
    expect(await changePassword(deps, access, typed({ password: "Wrong-Horse-77-Elm" }))).toMatchObject(refused);
    expect(await findUser(store, user.id)).toEqual(user);
    expect(await isOpen(store, other)).toBe(true);
    expect(await queuedMails(store)).toEqual([]);
    expect(await storedEvents(store)).toEqual(["password.refused"]);
  });

  it("of many simultaneous calls succeeds once", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const passwords = [1, 2, 3, 4, 5].map((n) => `${OTHER_PASSWORD}-${n}`);
    const changes = await Promise.all(
      passwords.map((word) => changePassword(deps, access, typed({ newPassword: word, newPasswordRepeat: word }))),
    );
    expect(changes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(changes.filter(({ kind }) => kind === "unauthorized")).toHaveLength(4);
    const winner = passwords[changes.findIndex(({ kind }) => kind === "done")];
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: `plain:${winner}`, generation: 2 });
    expect(await queuedMails(store)).toEqual(["password-changed"]);
  });

  // Proves requirement 151.
  it("is throttled if simultaneous wrong passwords reach the limit while the right one is checked", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const held = holdCalls();
    const slow: typeof deps.hasher = {
      ...deps.hasher,
      async verify(hash, password) {
        if (password === PASSWORD) await held.pass();
        return deps.hasher.verify(hash, password);
      },
    };
    const right = changePassword({ ...deps, hasher: slow }, access, typed());
    await held.started;
    const wrong = typed({ password: "Wrong-Horse-77-Elm" });
    const guesses = await Promise.all(Array.from({ length: 30 }, () => changePassword(deps, access, wrong)));
    expect(guesses.filter(({ kind }) => kind === "refused")).toHaveLength(10);
    expect(guesses.filter(({ kind }) => kind === "throttled")).toHaveLength(20);
    held.release();
    expect(await right).toEqual({ kind: "throttled", retryAfterSeconds: 900 });
    expect(await findUser(store, user.id)).toEqual(user);
    expect(await storedEvents(store)).toEqual(Array(10).fill("password.refused"));
  });

  it("is unauthorized for settings that were opened before another change", async () => {
    const { parts: deps, user, store, access } = await openedSettings(dialect);
    const stale = await openSettings(deps, user);
    await changePassword(deps, access, typed());
    const again = typed({ password: OTHER_PASSWORD, newPassword: PASSWORD, newPasswordRepeat: PASSWORD });
    expect(await changePassword(deps, stale, again)).toEqual({ kind: "unauthorized" });
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: `plain:${OTHER_PASSWORD}` });
  });

  it("keeps the chain of the application that made it, and no other one", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const now = deps.clock.now();
    const { id: userId, generation } = user;
    const fields = { userId, generation, counter: 3, createdAt: now, lastUsedAt: now, expiresAt: now };
    const ids = ["this", "other"];
    await store.q.insert(store.t.manageChains).values(ids.map((id) => ({ id, ...fields })));
    const holder = { kind: "chain", chainId: "this", pageSessionHash: null } as const;
    expect(await changePassword(deps, { ...access, holder }, typed())).toEqual({ kind: "done" });
    const chains = await store.q.select().from(store.t.manageChains);
    expect(chains.map(({ id, generation }) => [id, generation])).toEqual([["this", generation + 1]]);
    expect(await store.q.$count(store.t.manageSessions)).toBe(0);
  });
});

describe("changing the password", () => {
  it("is refused for a blocked user", async () => {
    const { parts: deps, user, store, access } = await openedSettings("sqlite");
    await blockUser(deps, user.username);
    expect(await changePassword(deps, access, typed())).toEqual({ kind: "unauthorized" });
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: `plain:${PASSWORD}` });
  });

  // Proves requirement 54.
  it("requires a proof of identity of the last ten minutes", async () => {
    const { parts: deps, access } = await openedSettings("sqlite");
    const old = { kind: "reauthentication_required" };
    expect(await changePassword(deps, { ...access, authTime: null }, typed())).toEqual(old);
    deps.clock.advance(FRESH_PROOF_SECONDS + 1);
    expect(await changePassword(deps, access, typed())).toEqual(old);
    expect(deps.counts).toEqual({ hash: 0, verify: 0 });
    deps.clock.advance(-1);
    expect(await changePassword(deps, access, typed())).toEqual({ kind: "done" });
  });

  // Proves requirements 1, 8.
  it("returns the problem of each field", async () => {
    const { parts: deps, access } = await openedSettings("sqlite");
    const codeOf = async (input: Partial<PasswordChangeInput>) => {
      const change = await changePassword(deps, access, typed(input));
      return change.kind === "refused" ? change.code : change.kind;
    };
    expect(await codeOf({ password: "" })).toBe("No password given");
    expect(await codeOf({ newPassword: "", newPasswordRepeat: "" })).toBe("empty-password");
    expect(await codeOf({ newPasswordRepeat: "" })).toBe("empty-password-repeat");
    expect(await codeOf({ newPasswordRepeat: `${OTHER_PASSWORD}x` })).toBe("passwords-not-equal");
    const eleven = "Elf-Zeiche1";
    expect(await codeOf({ newPassword: eleven, newPasswordRepeat: eleven })).toBe("password-strength");
    const named = "Anna-Summer-2026";
    expect(await codeOf({ newPassword: named, newPasswordRepeat: named })).toBe("password-common");
    expect(await codeOf({ newPassword: PASSWORD, newPasswordRepeat: PASSWORD })).toBe("password-unchanged");
    const twelve = "Elf-Zeichen1";
    expect(await codeOf({ newPassword: twelve, newPasswordRepeat: twelve })).toBe("done");
  });

  it("checks ten wrong passwords in a quarter of an hour, then throttles even the right one", async () => {
    const { parts: deps, store, access } = await openedSettings("sqlite");
    const wrong = typed({ password: "Wrong-Horse-77-Elm" });
    for (let n = 0; n < 10; n += 1)
      expect(await changePassword(deps, access, wrong)).toMatchObject({ kind: "refused" });
    expect(await changePassword(deps, access, typed())).toEqual({ kind: "throttled", retryAfterSeconds: 900 });
    expect(deps.counts).toEqual({ hash: 0, verify: 10 });
    expect(await storedEvents(store)).toHaveLength(10);
    expect(deps.lines.some((line) => line.includes("settings.throttled"))).toBe(true);
  });

  it("is possible while sign-in attempts for the user name are throttled", async () => {
    const { parts: deps, user, access } = await openedSettings("sqlite");
    const attempt = { typedName: user.username, userId: user.id, address: METADATA.address, knownBrowser: null };
    for (let n = 0; n < 11; n += 1) await countAttempt(deps, attempt);
    expect(await changePassword(deps, access, typed())).toEqual({ kind: "done" });
    expect(await countAttempt(deps, attempt)).toBe(0);
  });

  it("does not count an attempt whose password could not be checked", async () => {
    const { parts: deps, store, access } = await openedSettings("sqlite");
    const busy = { ...deps.hasher, verify: () => Promise.reject(new DomainError("overloaded")) };
    const change = changePassword({ ...deps, hasher: busy }, access, typed({ endOthers: true }));
    await expect(change).rejects.toThrow("overloaded");
    expect(await store.q.$count(store.t.rateLimits)).toBe(0);
  });

  it("is refused for a user without a password", async () => {
    const {
      parts: deps,
      store,
      user,
      access,
    } = await openedSettings("sqlite", { passwordHash: null, passwordSetAt: null });
    const refused = { kind: "refused", code: "Current password invalid" };
    expect(await changePassword(deps, access, typed())).toMatchObject(refused);
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash: null });
  });
});
