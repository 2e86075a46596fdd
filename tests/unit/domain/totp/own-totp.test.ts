import { describe, expect, it } from "vitest";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import { findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { FRESH_PROOF_SECONDS, type SettingsAccess } from "#app/domain/access/access.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { checkSignInPolicy } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { findOwnTotp, finishOwnTotp, removeOwnTotp, startOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { TOTP_SET_UP_SECONDS } from "#app/domain/totp/set-up.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, pendingKinds, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { holdCalls } from "#tests/unit/domain/fixtures.ts";
import { codeOf, verifyInNewSignIn, wrongCode } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

/** Opens Anna's settings; `start` begins a set-up and returns its secret. */
async function settings(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps } = opened;
  async function start(access: SettingsAccess = opened.access) {
    const started = await startOwnTotp(deps, access);
    if (started.kind !== "started") throw new Error(started.kind);
    return started.secretBase32;
  }
  const codeAt = (secretBase32: string, steps = 0) => codeOf({ ...deps, secretBase32 }, steps);
  async function setUp() {
    const code = await codeAt(await start());
    expect(await finishOwnTotp(deps, opened.access, { ...METADATA, code })).toEqual({ kind: "done" });
    return { ...opened.access, generation: opened.access.generation + 1 };
  }
  return { ...opened, start, codeAt, setUp };
}

function refused(reason: string, clockOffSeconds: number | null = null) {
  return { kind: "invalid verification code", reason, clockOffSeconds };
}

describe.each(dialects)("an authenticator app in the settings on %s", (dialect) => {
  // Proves requirement 23.
  it("is set up with its first code, which counts for this session and is consumed", async () => {
    const { parts: deps, store, user, access, start, codeAt } = await settings(dialect);
    const other = await openSettings(deps, user);
    const code = await codeAt(await start());
    expect(await finishOwnTotp(deps, access, { ...METADATA, code })).toEqual({ kind: "done" });
    const raised = await findUser(store, user.id);
    if (!raised) throw new Error("the user is gone");
    const session = await findRecordByUid(store, "Session", access.sessionUid ?? "");
    const { generation } = raised;
    expect(session?.payload).toMatchObject({ generation, amr: ["pwd", "otp", "mfa"], acr: "urn:gatehouse:acr:mfa" });
    expect(await checkSignInPolicy(deps, { userId: user.id, amr: ["pwd", "otp", "mfa"], generation })).toMatchObject({
      kind: "complete",
    });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await heldModels(store)).toEqual([]);
    expect(await pendingKinds(store)).toEqual(["not-me"]);
    expect(await queuedMails(store)).toEqual(["factor-added"]);
    expect(await storedEvents(store)).toEqual(["factor.added"]);
    expect(await verifyInNewSignIn(deps, raised, code)).toMatchObject({ kind: "refused", reason: "used" });
  });

  it("is set up once, also twice simultaneously", async () => {
    const { parts: deps, store, access, start, codeAt } = await settings(dialect);
    const code = await codeAt(await start());
    const ends = await Promise.all([1, 2, 3].map(() => finishOwnTotp(deps, access, { ...METADATA, code })));
    expect(ends.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await store.q.$count(store.t.totpCredentials)).toBe(1);
    expect(await queuedMails(store)).toEqual(["factor-added"]);
    const current = { ...access, generation: access.generation + 1 };
    expect(await startOwnTotp(deps, current)).toEqual({ kind: "totp already registered" });
    expect(await finishOwnTotp(deps, current, { ...METADATA, code })).toEqual({ kind: "totp already registered" });
  });

  // Proves requirement 53.
  it("is removed with the recovery codes if it was the last factor", async () => {
    const { parts: deps, store, user, setUp } = await settings(dialect);
    const access = await setUp();
    await createRecoveryCodes(deps, access);
    const raised = await findUser(store, user.id);
    const other = await openSettings(deps, raised ?? user);
    expect(await removeOwnTotp(deps, access, METADATA)).toEqual({ kind: "done" });
    expect(await findFactors(store, user.id)).toEqual({
      totp: false,
      securityKeys: 0,
      passkeys: 0,
      recoveryCodesLeft: 0,
    });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await queuedMails(store)).toEqual(["factor-added", "factor-removed"]);
    const current = { ...access, generation: access.generation + 1 };
    expect(await removeOwnTotp(deps, current, METADATA)).toEqual({ kind: "totp not found" });
    expect(await findUser(store, user.id)).toMatchObject({ generation: current.generation });
  });

  it("that was started in other settings is neither shown nor finished here", async () => {
    const { parts: deps, user, access, start, codeAt } = await settings(dialect);
    const elsewhere = await openSettings(deps, user);
    const secret = await start(elsewhere);
    const code = await codeAt(secret);
    expect(await findOwnTotp(deps, access)).toBeNull();
    expect(await finishOwnTotp(deps, access, { ...METADATA, code })).toEqual({ kind: "totp not found" });
    expect(await findOwnTotp(deps, elsewhere)).toMatchObject({ secretBase32: secret });
  });
});

describe("an authenticator app in the settings", () => {
  it("is not stored by a right code if wrong ones reach the limit while it is checked", async () => {
    const { parts: deps, store, access, start, codeAt } = await settings("sqlite");
    const secretBase32 = await start();
    const held = holdCalls();
    const slowStore: typeof store = { ...store, tx: (work) => held.pass().then(() => store.tx(work)) };
    const right = finishOwnTotp({ ...deps, store: slowStore }, access, {
      ...METADATA,
      code: await codeAt(secretBase32),
    });
    await held.started;
    const code = await wrongCode({ ...deps, secretBase32 });
    const wrongs = Array.from({ length: 13 }, () => finishOwnTotp(deps, access, { ...METADATA, code }));
    const throttled = { kind: "throttled", retryAfterSeconds: FACTOR_LIMITS.minutes.windowSeconds };
    // Which of the attempts are counted first depends on the order in which their codes are checked.
    const results = await Promise.all(wrongs);
    expect(results.filter(({ kind }) => kind === "throttled")).toEqual(Array(3).fill(throttled));
    expect(results.filter(({ kind }) => kind !== "throttled")).toEqual(Array(10).fill(refused("wrong")));
    held.release();
    expect(await right).toEqual(throttled);
    expect(await store.q.$count(store.t.totpCredentials)).toBe(0);
    deps.clock.advance(FACTOR_LIMITS.minutes.windowSeconds);
    const later = await codeAt(secretBase32);
    expect(await finishOwnTotp(deps, access, { ...METADATA, code: later })).toEqual({ kind: "done" });
  });

  it("started on a page can be finished by the API calls of that page", async () => {
    const { parts: deps, access, start, codeAt } = await settings("sqlite");
    const code = await codeAt(await start());
    const { pageSessionHash } = access.holder;
    const chain = { ...access, holder: { kind: "chain", chainId: "chain", pageSessionHash } as const };
    expect(await finishOwnTotp(deps, chain, { ...METADATA, browser: "", code })).toEqual({ kind: "done" });
  });

  it("has a new secret with each start, and ten minutes for its first code", async () => {
    const { parts: deps, access, start, codeAt } = await settings("sqlite");
    const older = await start();
    const newer = await start();
    expect(await finishOwnTotp(deps, access, { ...METADATA, code: await codeAt(older) })).toEqual(refused("wrong"));
    deps.clock.advance(TOTP_SET_UP_SECONDS);
    const fresh = { ...access, authTime: deps.clock.now() };
    expect(await findOwnTotp(deps, fresh)).toBeNull();
    const late = { ...METADATA, code: await codeAt(newer) };
    expect(await finishOwnTotp(deps, fresh, late)).toEqual({ kind: "totp not found" });
  });

  it("counts wrong codes like a sign-in, but no malformed ones", async () => {
    const { parts: deps, store, access, start, codeAt } = await settings("sqlite");
    const secretBase32 = await start();
    for (const code of ["", "12345", "letters", "ABCDE-FGHJK"])
      expect(await finishOwnTotp(deps, access, { ...METADATA, code })).toEqual(refused("malformed"));
    const guess = { ...METADATA, code: await wrongCode({ ...deps, secretBase32 }) };
    for (let n = 0; n < 10; n += 1) expect(await finishOwnTotp(deps, access, guess)).toEqual(refused("wrong"));
    const validInput = { ...METADATA, code: await codeAt(secretBase32) };
    expect(await finishOwnTotp(deps, access, validInput)).toEqual({ kind: "throttled", retryAfterSeconds: 300 });
    expect(await findTotpCredential(store, access.userId)).toBeNull();
    expect(await storedEvents(store)).toEqual(Array(10).fill("factor.refused"));
  });

  it("returns the clock offset of the device", async () => {
    const { parts: deps, access, start, codeAt } = await settings("sqlite");
    const secret = await start();
    const typed = async () => ({ ...METADATA, code: await codeAt(secret, 2) });
    expect(await finishOwnTotp(deps, access, await typed())).toEqual(refused("wrong"));
    deps.clock.advance(30);
    expect(await finishOwnTotp(deps, access, await typed())).toEqual(refused("wrong", 60));
  });

  // Proves requirement 54.
  it("is refused for stale settings, a blocked user, and without a recent proof of identity", async () => {
    const { parts: deps, user, access, setUp } = await settings("sqlite");
    const current = await setUp();
    expect(await startOwnTotp(deps, access)).toEqual({ kind: "unauthorized" });
    expect(await removeOwnTotp(deps, access, METADATA)).toEqual({ kind: "unauthorized" });
    const old = { kind: "reauthentication_required" };
    const unproven = { ...current, authTime: null };
    expect(await startOwnTotp(deps, unproven)).toEqual(old);
    expect(await finishOwnTotp(deps, unproven, { ...METADATA, code: "123456" })).toEqual(old);
    deps.clock.advance(FRESH_PROOF_SECONDS + 1);
    expect(await removeOwnTotp(deps, current, METADATA)).toEqual(old);
    await blockUser(deps, user.username);
    const again = { ...current, authTime: deps.clock.now() };
    expect(await removeOwnTotp(deps, again, METADATA)).toEqual({ kind: "unauthorized" });
  });
});
