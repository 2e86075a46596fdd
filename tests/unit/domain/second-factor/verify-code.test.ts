import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import { findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import { newRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { holdCalls, installation, putUser, random } from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp, verifyInNewSignIn, waitingSignIn, wrongCode } from "./sign-in-fixtures.ts";

async function userWithApp(dialect: Dialect) {
  const deps = installation(await withStore(dialect));
  return { parts: deps, ...(await putUserWithApp(deps, "anna")) };
}

const used = { kind: "refused", reason: "used", clockOffSeconds: null };
const wrong = { kind: "refused", reason: "wrong", clockOffSeconds: null };

describe.each(dialects)("a code of the authenticator app on %s", (dialect) => {
  it("rotates the mfa_token and records the factor; the old token is invalid", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const signIn = await waitingSignIn(deps, user);
    const result = await verifyCode(deps, { ...signIn, code: await codeAt(0) });
    if (result.kind !== "verified") throw new Error(result.kind);
    expect(await findPending(deps, signIn)).toBeNull();
    expect(await findPending(deps, { ...signIn, mfaToken: result.mfaToken })).toMatchObject({ verified: ["otp"] });
  });

  it("is single-use, in the same sign-in and in another", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const signIn = await waitingSignIn(deps, user);
    const code = await codeAt(0);
    const result = await verifyCode(deps, { ...signIn, code });
    if (result.kind !== "verified") throw new Error(result.kind);
    expect(await verifyCode(deps, { ...signIn, mfaToken: result.mfaToken, code })).toEqual(used);
    expect(await verifyInNewSignIn(deps, user, code)).toEqual(used);
  });

  // Proves requirement 30.
  it("is consumed by one of 20 simultaneous sign-ins", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const code = await codeAt(0);
    const signIns = await Promise.all(Array.from({ length: 20 }, () => waitingSignIn(deps, user)));
    const results = await Promise.all(signIns.map((signIn) => verifyCode(deps, { ...signIn, code })));
    expect(results.filter(({ kind }) => kind === "verified")).toHaveLength(1);
    const others = results.filter(({ kind }) => kind !== "verified");
    expect(others.every(({ kind }) => kind === "refused" || kind === "throttled")).toBe(true);
  });

  // Proves requirement 30.
  it("is consumed once if the form is posted 20 times simultaneously", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const input = { ...(await waitingSignIn(deps, user)), code: await codeAt(0) };
    const results = await Promise.all(Array.from({ length: 20 }, () => verifyCode(deps, input)));
    expect(results.filter(({ kind }) => kind === "verified")).toHaveLength(1);
  });

  // Proves requirement 31.
  it("is accepted for the previous, current and next step in that order, and never backwards", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const codes = await Promise.all([-1, 0, 1].map(codeAt));
    for (const code of codes) expect(await verifyInNewSignIn(deps, user, code)).toMatchObject({ kind: "verified" });
    for (const code of codes) expect(await verifyInNewSignIn(deps, user, code)).toEqual(used);
  });

  // Proves requirement 31.
  it("of two steps before or after is refused", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    for (const steps of [-2, 2]) expect(await verifyInNewSignIn(deps, user, await codeAt(steps))).toEqual(wrong);
  });

  // Proves requirement 31.
  it("from a wrong clock returns the offset at the second code, and is never accepted afterwards", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const [first, second] = [await codeAt(3), await codeAt(4)];
    expect(await verifyInNewSignIn(deps, user, first)).toEqual(wrong);
    expect(await verifyInNewSignIn(deps, user, first)).toEqual(wrong);
    deps.clock.advance(30);
    expect(await verifyInNewSignIn(deps, user, second)).toEqual({ ...wrong, clockOffSeconds: 90 });
    // The current step is that of the first code, then that of the second.
    deps.clock.advance(60);
    expect(await verifyInNewSignIn(deps, user, first)).toEqual(used);
    deps.clock.advance(5 * 60 - 90);
    expect((await findTotpCredential(deps.store, user.id))?.wrongSteps).toHaveLength(2);
    expect(await verifyInNewSignIn(deps, user, await codeAt(0))).toMatchObject({ kind: "verified" });
  });

  it("from a slow clock returns a negative offset", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    expect(await verifyInNewSignIn(deps, user, await codeAt(-10))).toEqual(wrong);
    deps.clock.advance(30);
    expect(await verifyInNewSignIn(deps, user, await codeAt(-10))).toEqual({ ...wrong, clockOffSeconds: -300 });
  });

  it("may be typed with full-width digits, spaces and hyphens", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const code = await codeAt(0);
    const wide = [...code].map((digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + 0xfee0)).join("");
    expect(await verifyInNewSignIn(deps, user, `${wide.slice(0, 3)} -\u3000${wide.slice(3)}`)).toMatchObject({
      kind: "verified",
    });
  });

  it("that is malformed counts no attempt and keeps the token; a wrong one keeps it too", async () => {
    const { parts: deps, user, secretBase32, codeAt } = await userWithApp(dialect);
    const signIn = await waitingSignIn(deps, user);
    for (let n = 0; n < 60; n += 1) {
      expect(await verifyCode(deps, { ...signIn, code: "12345x" })).toEqual({ kind: "malformed" });
    }
    const code = await wrongCode({ ...deps, secretBase32 });
    expect(await verifyCode(deps, { ...signIn, code })).toEqual(wrong);
    expect(await verifyCode(deps, { ...signIn, code: await codeAt(0) })).toMatchObject({ kind: "verified" });
  });

  it("without a pending sign-in of this browser is unauthorized, and counts no attempt", async () => {
    const { parts: deps, user, codeAt } = await userWithApp(dialect);
    const signIn = await waitingSignIn(deps, user);
    const code = await codeAt(0);
    const unauthorized = { kind: "unauthorized" };
    for (let n = 0; n < 6; n += 1) {
      expect(await verifyCode(deps, { ...signIn, browser: random.token(), code })).toEqual(unauthorized);
      expect(await verifyCode(deps, { ...signIn, mfaToken: random.token(), code })).toEqual(unauthorized);
    }
    expect(await verifyCode(deps, { ...signIn, code })).toMatchObject({ kind: "verified" });
    await setUserStatus(deps.store, user.id, "blocked", deps.clock.now());
    expect(await verifyCode(deps, { ...signIn, code })).toEqual(unauthorized);
  });

  it("of a user without an app: totp not found", async () => {
    const { parts: deps, codeAt } = await userWithApp(dialect);
    const berta = await putUser(deps.store, { username: "berta" });
    expect(await verifyInNewSignIn(deps, berta, await codeAt(0))).toEqual({ kind: "totp not found" });
  });
});

describe.each(dialects)("attempts on %s", (dialect) => {
  const { minutes } = FACTOR_LIMITS;

  it("count per user over all tokens; throttled ones are not checked and get the time to wait", async () => {
    const { parts: deps, user, secretBase32, codeAt } = await userWithApp(dialect);
    const code = await wrongCode({ ...deps, secretBase32 });
    for (let n = 0; n < minutes.points; n += 1) expect(await verifyInNewSignIn(deps, user, code)).toEqual(wrong);
    deps.clock.advance(60);
    expect(await verifyInNewSignIn(deps, user, await codeAt(0))).toEqual({ kind: "throttled", retryAfterSeconds: 240 });
    expect(await findTotpCredential(deps.store, user.id)).toMatchObject({ lastUsedAt: null });
    const other = await putUserWithApp(deps, "berta");
    expect(await verifyInNewSignIn(deps, other.user, await other.codeAt(0))).toMatchObject({ kind: "verified" });
    deps.clock.advance(240);
    expect(await verifyInNewSignIn(deps, user, await codeAt(0))).toMatchObject({ kind: "verified" });
  });

  // Proves requirement 35.
  it("of which 30 come simultaneously are refused up to the limit, the others throttled", async () => {
    const { parts: deps, user, secretBase32 } = await userWithApp(dialect);
    const input = { ...(await waitingSignIn(deps, user)), code: await wrongCode({ ...deps, secretBase32 }) };
    const results = await Promise.all(Array.from({ length: 30 }, () => verifyCode(deps, input)));
    expect(results.filter(({ kind }) => kind === "refused")).toHaveLength(minutes.points);
    expect(results.filter(({ kind }) => kind === "throttled")).toHaveLength(30 - minutes.points);
  });

  // Proves requirement 151.
  it("beyond the limit are throttled even if they arrived before it was reached: a right code is not consumed", async () => {
    const { parts: deps, user, secretBase32, codeAt } = await userWithApp(dialect);
    const { codes, codeHashes } = await newRecoveryCodes(deps);
    await deps.store.tx((tx) => replaceRecoveryCodes(tx, user.id, { codeHashes, now: deps.clock.now() }));
    const rightCodes = [await codeAt(0), codes[0] ?? ""];
    const inputs = await Promise.all(rightCodes.map(async (code) => ({ ...(await waitingSignIn(deps, user)), code })));
    const wrongInput = { ...(await waitingSignIn(deps, user)), code: await wrongCode({ ...deps, secretBase32 }) };
    const held = holdCalls(inputs.length);
    const secrets: typeof deps.secrets = {
      ...deps.secrets,
      open: (...sealed) => held.pass().then(() => deps.secrets.open(...sealed)),
    };
    const hasher: typeof deps.hasher = {
      ...deps.hasher,
      hashLike: (...text) => held.pass().then(() => deps.hasher.hashLike(...text)),
    };
    const rights = inputs.map((input) => verifyCode({ ...deps, secrets, hasher }, input));
    await held.started;
    for (let n = 0; n < minutes.points; n += 1) expect(await verifyCode(deps, wrongInput)).toEqual(wrong);
    held.release();
    const throttled = { kind: "throttled", retryAfterSeconds: minutes.windowSeconds };
    expect(await Promise.all(rights)).toEqual([throttled, throttled]);
    expect(await findTotpCredential(deps.store, user.id)).toMatchObject({ lastUsedAt: null });
    deps.clock.advance(minutes.windowSeconds);
    expect(await verifyInNewSignIn(deps, user, codes[0] ?? "")).toMatchObject({ kind: "verified" });
  });

  // Proves requirement 35.
  it("that succeed do not count, and clear no failure", async () => {
    const { parts: deps, user, secretBase32, codeAt } = await userWithApp(dialect);
    const fail = async () => verifyInNewSignIn(deps, user, await wrongCode({ ...deps, secretBase32 }));
    for (let n = 1; n < minutes.points; n += 1) expect(await fail()).toEqual(wrong);
    for (const steps of [-1, 0, 1]) {
      expect(await verifyInNewSignIn(deps, user, await codeAt(steps))).toMatchObject({ kind: "verified" });
    }
    expect(await fail()).toEqual(wrong);
    expect(await fail()).toMatchObject({ kind: "throttled" });
  });
});

describe("attempts", () => {
  // Proves requirement 35.
  it("are limited to 15 an hour and 50 a day", async () => {
    const { parts: deps, user, secretBase32 } = await userWithApp("sqlite");
    async function failUntilThrottled() {
      for (let failures = 0; ; failures += 1) {
        const result = await verifyInNewSignIn(deps, user, await wrongCode({ ...deps, secretBase32 }));
        if (result.kind === "throttled") return { failures, retryAfterSeconds: result.retryAfterSeconds };
        deps.clock.advance(61);
      }
    }
    const counts: number[] = [];
    for (let hour = 0; hour < 4; hour += 1) {
      const { failures, retryAfterSeconds } = await failUntilThrottled();
      counts.push(failures);
      deps.clock.advance(retryAfterSeconds);
    }
    expect(counts).toEqual([15, 15, 15, 5]);
    expect(deps.clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse("2026-03-03T08:00:15.000Z"));
  });

  it("write one log line each, with reason and request id and without the code; refused ones are in the audit trail", async () => {
    const { parts: deps, user, secretBase32, codeAt } = await userWithApp("sqlite");
    const code = await wrongCode({ ...deps, secretBase32 });
    for (let n = 0; n <= FACTOR_LIMITS.minutes.points; n += 1) await verifyInNewSignIn(deps, user, code);
    const validCode = await codeAt(0);
    deps.clock.advance(300);
    await verifyInNewSignIn(deps, user, "ABCDE-FGHJK");
    const rows = await listAuditEvents(deps.store, { after: 0, limit: 100 });
    expect(rows.map(({ type, detail }) => [type, detail.reason])).toEqual([
      ...Array.from({ length: FACTOR_LIMITS.minutes.points }, () => ["factor.refused", "totp"]),
      ["factor.refused", "recovery code"],
    ]);
    expect(rows[0]).toMatchObject({ outcome: "refused", userId: user.id, clientId: "suite", requestId: "r" });
    expect(deps.lines.filter((line) => line.includes("factor.throttled"))).toHaveLength(1);
    const log = deps.lines.join("") + JSON.stringify(rows);
    for (const secret of [code, validCode, "ABCDE", secretBase32]) expect(log).not.toContain(secret);
  });
});
