import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { invalidateSessions, setUserStatus } from "#app/db/repositories/users.server.ts";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { openSecondFactor, type PendingStart } from "#app/domain/pending-sign-in/pending.server.ts";
import { finishSecondFactor } from "#app/domain/second-factor/finish.server.ts";
import { finishTotpSetUp, startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { PENDING_KINDS } from "#app/domain/secret/token-kinds.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { findKnownBrowser } from "#tests/unit/db/known-browser.ts";
import { holdCalls, installation, putUser, random, secondsOf } from "#tests/unit/domain/fixtures.ts";
import { codeOf, putUserWithApp, reopen, waitingSignIn } from "./sign-in-fixtures.ts";

/** Starts a sign-in and verifies the code of its authenticator app. */
async function verifiedSignIn(dialect: Dialect, start: Partial<PendingStart> = {}) {
  const deps = installation(await withStore(dialect));
  const { user, codeAt } = await putUserWithApp(deps, "anna");
  const signIn = await waitingSignIn(deps, user, start);
  const result = await verifyCode(deps, { ...signIn, code: await codeAt(0) });
  if (result.kind !== "verified") throw new Error(result.kind);
  return { parts: deps, user, signIn: { ...signIn, mfaToken: result.mfaToken } };
}

describe.each(dialects)("finishing the second step on %s", (dialect) => {
  it("is a sign-in with all its methods, in the audit trail, and makes the browser known", async () => {
    const {
      parts: deps,
      user,
      signIn,
    } = await verifiedSignIn(dialect, {
      ...{ provenAt: 1_772_438_000, sessionUid: "session", sessionSince: 1_772_430_000 },
    });
    const finish = await finishSecondFactor(deps, signIn);
    expect(finish).toMatchObject({
      ...{ kind: "signed-in", authTime: 1_772_438_000, signedInAt: 1_772_430_000, sessionUid: "session" },
      subject: { userId: user.id, generation: user.generation, amr: ["pwd", "otp", "mfa"], acr: ACR_MFA },
    });
    expect(await findKnownBrowser(deps.store, user.id, hashToken(signIn.browser))).not.toBeNull();
    const [event] = await listAuditEvents(deps.store, { after: 0, limit: 10 });
    expect(event).toMatchObject({
      ...{ type: "sign-in.succeeded", userId: user.id, clientId: "suite", detail: { reason: "pwd otp mfa" } },
    });
  });

  it("succeeds once, also for 20 simultaneous calls", async () => {
    const { parts: deps, signIn } = await verifiedSignIn(dialect);
    const finishes = await Promise.all(Array.from({ length: 20 }, () => finishSecondFactor(deps, signIn)));
    expect(finishes.filter(({ kind }) => kind === "signed-in")).toHaveLength(1);
    expect(finishes.filter(({ kind }) => kind === "unauthorized")).toHaveLength(19);
    expect(await openSecondFactor(deps, signIn)).toBeNull();
  });

  it("waits for a change of the user at the same moment, without a deadlock", async () => {
    const { parts: deps, user, signIn } = await verifiedSignIn(dialect);
    const held = holdCalls();
    const now = deps.clock.now();
    const change = deps.store.tx(async (tx) => {
      await invalidateSessions(tx, user.id, now);
      await held.pass();
      await whenWaiting(tx);
      await removeOneTimeTokensOfUser(tx, user.id, PENDING_KINDS);
    });
    await held.started;
    const finish = finishSecondFactor(deps, signIn);
    held.release();
    await change;
    expect(await finish).toEqual({ kind: "unauthorized" });
  });

  it("fails before a factor is given, and keeps the token", async () => {
    const deps = installation(await withStore(dialect));
    const { user } = await putUserWithApp(deps, "anna");
    const signIn = await waitingSignIn(deps, user);
    expect(await finishSecondFactor(deps, signIn)).toEqual({ kind: "not verified" });
    expect(await finishSecondFactor(deps, signIn)).toEqual({ kind: "not verified" });
  });

  it("fails before a factor is given also for a user without factors", async () => {
    const deps = installation(await withStore(dialect));
    const signIn = await waitingSignIn(deps, await putUser(deps.store, { username: "anna" }));
    expect(await finishSecondFactor(deps, signIn)).toEqual({ kind: "not verified" });
  });

  it("is unauthorized for another request, another browser, an older, empty or forged token", async () => {
    const { parts: deps, signIn } = await verifiedSignIn(dialect);
    const { mfaToken } = await reopen(deps, signIn);
    const others = [
      signIn,
      ...[{ uid: "another" }, { browser: random.token() }, { mfaToken: "" }, { mfaToken: random.token() }].map(
        (other) => ({ ...signIn, mfaToken, ...other }),
      ),
    ];
    for (const other of others) expect(await finishSecondFactor(deps, other)).toEqual({ kind: "unauthorized" });
    expect(await finishSecondFactor(deps, { ...signIn, mfaToken })).toMatchObject({ kind: "signed-in" });
  });

  it("fails for a user who was blocked after the factor", async () => {
    const { parts: deps, user, signIn } = await verifiedSignIn(dialect);
    await setUserStatus(deps.store, user.id, "blocked", deps.clock.now());
    expect(await finishSecondFactor(deps, signIn)).toEqual({ kind: "unauthorized" });
    expect(await findKnownBrowser(deps.store, user.id, hashToken(signIn.browser))).toBeNull();
  });

  it("uses the new generation after a set-up during sign-in", async () => {
    const deps = installation(await withStore(dialect));
    const user = await putUser(deps.store, { username: "anna" });
    const signIn = await waitingSignIn(deps, user);
    const started = await startTotpSetUp(deps, signIn);
    if (started.kind !== "started") throw new Error(started.kind);
    const code = await codeOf({ ...deps, ...started }, 0);
    const result = await finishTotpSetUp(deps, { ...signIn, code });
    if (result.kind !== "verified") throw new Error(result.kind);
    expect(await finishSecondFactor(deps, { ...signIn, mfaToken: result.mfaToken })).toMatchObject({
      ...{ kind: "signed-in", authTime: secondsOf(deps), signedInAt: null },
      subject: { generation: user.generation + 1, amr: ["pwd", "otp", "mfa"] },
    });
  });
});
