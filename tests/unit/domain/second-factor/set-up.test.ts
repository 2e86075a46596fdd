import { isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { issueFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { resetFactors } from "#app/domain/factor-reset/reset.server.ts";
import { issueNotMeToken } from "#app/domain/mail/not-me-link.server.ts";
import { endAccessByLink } from "#app/domain/not-me/end-access.server.ts";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import {
  createFirstRecoveryCodes,
  findTotpSetUp,
  finishTotpSetUp,
  startTotpSetUp,
} from "#app/domain/second-factor/set-up.server.ts";
import { checkSignInPolicy } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { TOTP_SET_UP_SECONDS } from "#app/domain/totp/set-up.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { holdCalls, type Installation, installation, putUser, REQUEST, random } from "#tests/unit/domain/fixtures.ts";
import { codeOf, putUserWithApp, reopen, verifyInNewSignIn, waitingSignIn, wrongCode } from "./sign-in-fixtures.ts";

/** Starts a sign-in of a user without factors; `start` begins a set-up and returns its secret. */
async function newcomer(dialect: Dialect) {
  const deps = installation(await withStore(dialect));
  const user = await putUser(deps.store, { username: "anna" });
  const signIn = await waitingSignIn(deps, user);
  async function start(input: { mfaToken: string; browser: string } = signIn) {
    const started = await startTotpSetUp(deps, input);
    if (started.kind !== "started") throw new Error(started.kind);
    return started.secretBase32;
  }
  async function codeAt(secretBase32: string, steps = 0) {
    return codeOf({ ...deps, secretBase32 }, steps);
  }
  return { parts: deps, user, signIn, start, codeAt };
}

/** Removes the user's factors by a link, as an administrator issues it. */
async function resetNow(deps: Installation, user: User): Promise<void> {
  const { url } = await issueFactorReset(deps, user, null);
  const resetToken = new URL(url).searchParams.get("reset_token") ?? "";
  expect(await resetFactors(deps, { resetToken, ...REQUEST })).toMatchObject({ kind: "done" });
}

/** Ends all access of the user by the link of a notice. */
async function reportNow(deps: Installation, { id }: User): Promise<void> {
  const notMeToken = await issueNotMeToken(deps, id);
  expect(await endAccessByLink(deps, { notMeToken, pageLanguage: "en", ...REQUEST })).toMatchObject({ kind: "done" });
}

const wrong = { kind: "refused", reason: "wrong", clockOffSeconds: null };

describe.each(dialects)("setting up an authenticator app during sign-in on %s", (dialect) => {
  it("finishes with the first code, which counts as given and is consumed", async () => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const code = await codeAt(await start());
    const result = await finishTotpSetUp(deps, { ...signIn, code });
    if (result.kind !== "verified") throw new Error(result.kind);
    const pending = await findPending(deps, { ...signIn, mfaToken: result.mfaToken });
    expect(pending).toMatchObject({ verified: ["otp"], setUp: true, generation: user.generation + 1 });
    const raised = await findUser(deps.store, user.id);
    if (!raised) throw new Error("the user is gone");
    expect(await verifyInNewSignIn(deps, raised, code)).toMatchObject({ kind: "refused", reason: "used" });
    const [event] = await listAuditEvents(deps.store, { after: 0, limit: 1 });
    expect(event).toMatchObject({ type: "factor.added", userId: user.id, detail: { reason: "totp" } });
  });

  it("ends every other session and all tokens of applications, but not this sign-in and its session", async () => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const session = { userId: user.id, amr: ["pwd", "mfa"], generation: user.generation };
    const other = await waitingSignIn(deps, user);
    for (const model of ["Session", "Grant", "AuthorizationCode", "AccessToken", "RefreshToken"]) {
      await saveRecord(deps.store, { model, id: model, payload: {}, accountId: user.id });
    }
    await saveRecord(deps.store, { model: "Session", id: "own", uid: "own", payload: {}, accountId: user.id });
    await saveRecord(deps.store, { model: "Interaction", id: signIn.uid, payload: { session: { uid: "own" } } });
    expect(await checkSignInPolicy(deps, session)).toMatchObject({ kind: "complete" });
    const result = await finishTotpSetUp(deps, { ...signIn, code: await codeAt(await start()) });
    expect(result.kind).toBe("verified");
    expect(await checkSignInPolicy(deps, session)).toEqual({ kind: "refused" });
    expect(await findPending(deps, other)).toBeNull();
    const { oidcRecords } = deps.store.t;
    const remaining = await deps.store.q
      .select({ id: oidcRecords.id })
      .from(oidcRecords)
      .where(isNull(oidcRecords.destroyedAt));
    expect(remaining.map(({ id }) => id).toSorted()).toEqual(["own", signIn.uid].toSorted());
    expect((await reopen(deps, signIn)).pending).toMatchObject({ verified: ["otp"] });
  });

  it("stores the secret sealed, before and after", async () => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const secretBase32 = await start();
    async function stored() {
      const tables = ["one_time_tokens", "totp_credentials"].map((t) => deps.store.execute(`SELECT * FROM ${t}`));
      return JSON.stringify(await Promise.all(tables));
    }
    expect(await stored()).toContain("sealedSecret");
    expect(await stored()).not.toContain(secretBase32);
    await finishTotpSetUp(deps, { ...signIn, code: await codeAt(secretBase32) });
    expect(await stored()).not.toContain(secretBase32);
    const { sealedSecret } = (await findTotpCredential(deps.store, user.id)) ?? {};
    expect(sealedSecret && (await deps.secrets.open("totp", sealedSecret))).toBe(secretBase32);
  });

  // Proves requirement 32.
  it("has a new secret with each start; the older one is invalid, and the newest is shown again", async () => {
    const { parts: deps, signIn, start, codeAt } = await newcomer(dialect);
    const { mfaToken, pending } = await reopen(deps, signIn);
    const current = { ...signIn, mfaToken };
    expect(await findTotpSetUp(deps, pending)).toBeNull();
    const [older, newer] = [await start(current), await start(current)];
    expect(newer).not.toBe(older);
    expect(await findTotpSetUp(deps, pending)).toMatchObject({ secretBase32: newer });
    expect((await findTotpSetUp(deps, pending))?.otpauthUri).toContain(`otpauth://totp/Gatehouse:anna?secret=${newer}`);
    expect(await finishTotpSetUp(deps, { ...current, code: await codeAt(older) })).toEqual(wrong);
    expect(await finishTotpSetUp(deps, { ...current, code: await codeAt(newer) })).toMatchObject({ kind: "verified" });
  });

  // Proves requirement 158.
  it.each<[string, (deps: Installation, user: User) => Promise<unknown>]>([
    ["the new factor was reset", resetNow],
    ["the user reported the sign-in", reportNow],
    ["the user was blocked", (deps, { username }) => blockUser(deps, username)],
  ])("gives no recovery codes if, while they are hashed, %s", async (_what, change) => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const result = await finishTotpSetUp(deps, { ...signIn, code: await codeAt(await start()) });
    if (result.kind !== "verified") throw new Error(result.kind);
    const held = holdCalls();
    const hash = async (code: string) => held.pass().then(() => deps.hasher.hash(code));
    const input = { ...signIn, mfaToken: result.mfaToken };
    const created = createFirstRecoveryCodes({ ...deps, hasher: { ...deps.hasher, hash } }, input);
    await held.started;
    await change(deps, (await findUser(deps.store, user.id)) ?? user);
    held.release();
    expect(await created).toEqual({ kind: "unauthorized" });
    expect(await deps.store.q.$count(deps.store.t.recoveryCodes)).toBe(0);
  });

  it("is not shown to another user at the same request", async () => {
    const { parts: deps, signIn, start } = await newcomer(dialect);
    await start();
    const berta = await putUser(deps.store, { username: "berta" });
    const { pending } = await reopen(deps, await waitingSignIn(deps, berta, signIn));
    expect(pending).toMatchObject({ uid: signIn.uid, userId: berta.id });
    expect(await findTotpSetUp(deps, pending)).toBeNull();
  });

  // Proves requirement 34.
  it("has no effect until confirmed, and expires after ten minutes", async () => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const secretBase32 = await start();
    expect(await verifyInNewSignIn(deps, user, await codeAt(secretBase32))).toEqual({ kind: "totp not found" });
    deps.clock.advance(TOTP_SET_UP_SECONDS - 1);
    const late = await waitingSignIn(deps, user, signIn);
    expect(await findTotpSetUp(deps, (await reopen(deps, late)).pending)).not.toBeNull();
    deps.clock.advance(1);
    const { mfaToken, pending } = await reopen(deps, late);
    expect(await findTotpSetUp(deps, pending)).toBeNull();
    const tooLate = { ...late, mfaToken, code: await codeAt(secretBase32) };
    expect(await finishTotpSetUp(deps, tooLate)).toEqual({ kind: "totp not found" });
    expect(await findTotpCredential(deps.store, user.id)).toBeNull();
  });

  it("is refused for a user with a factor, at the start and at the end", async () => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const refused = { kind: "factor already registered" };
    const code = await codeAt(await start());
    const sealedSecret = await deps.secrets.seal("totp", "ANOTHER");
    await deps.store.q
      .insert(deps.store.t.totpCredentials)
      .values({ userId: user.id, sealedSecret, lastStep: 0, createdAt: deps.clock.now() });
    expect(await finishTotpSetUp(deps, { ...signIn, code })).toEqual(refused);
    expect(await startTotpSetUp(deps, signIn)).toEqual(refused);
    expect(await findTotpCredential(deps.store, user.id)).toMatchObject({ sealedSecret });
  });

  // Proves requirement 55.
  it("twice simultaneously, in two sign-ins, stores one factor", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
      const other = await waitingSignIn(deps, user);
      const one = { ...signIn, code: await codeAt(await start(signIn)) };
      const two = { ...other, code: await codeAt(await start(other)) };
      const results = await Promise.all([one, two].map((input) => finishTotpSetUp(deps, input)));
      const kinds = results.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "verified")).toHaveLength(1);
      expect(["factor already registered", "unauthorized"]).toContain(kinds.find((kind) => kind !== "verified"));
      expect(await findUser(deps.store, user.id)).toMatchObject({ generation: user.generation + 1 });
      expect(await deps.store.q.$count(deps.store.t.totpCredentials)).toBe(1);
    }
  });

  it("returns the clock offset of the app; its steps stay used", async () => {
    const { parts: deps, user, signIn, start, codeAt } = await newcomer(dialect);
    const secretBase32 = await start();
    const first = await codeAt(secretBase32, 2);
    expect(await finishTotpSetUp(deps, { ...signIn, code: first })).toEqual(wrong);
    deps.clock.advance(30);
    const second = { ...signIn, code: await codeAt(secretBase32, 2) };
    expect(await finishTotpSetUp(deps, second)).toEqual({ ...wrong, clockOffSeconds: 60 });
    expect(await finishTotpSetUp(deps, { ...signIn, code: first })).toMatchObject({ kind: "refused", reason: "used" });
    const validInput = await codeAt(secretBase32, 0);
    expect(await finishTotpSetUp(deps, { ...signIn, code: validInput })).toMatchObject({ kind: "verified" });
    expect((await findTotpCredential(deps.store, user.id))?.wrongSteps).toHaveLength(2);
  });
});

describe("setting up an authenticator app during sign-in", () => {
  it("requires a pending sign-in of this browser, and a started set-up", async () => {
    const { parts: deps, signIn } = await newcomer("sqlite");
    const otherBrowser = { ...signIn, browser: random.token() };
    expect(await startTotpSetUp(deps, otherBrowser)).toEqual({ kind: "unauthorized" });
    expect(await finishTotpSetUp(deps, { ...otherBrowser, code: "123456" })).toEqual({ kind: "unauthorized" });
    expect(await finishTotpSetUp(deps, { ...signIn, code: "123456" })).toEqual({ kind: "totp not found" });
  });

  it("counts attempts like a sign-in, but no malformed codes", async () => {
    const { parts: deps, signIn, start, codeAt } = await newcomer("sqlite");
    const secretBase32 = await start();
    for (const code of ["", "12345", "ABCDE-FGHJK"]) {
      for (let n = 0; n < 3; n += 1) {
        expect(await finishTotpSetUp(deps, { ...signIn, code })).toEqual({ kind: "malformed" });
      }
    }
    const guess = { ...signIn, code: await wrongCode({ ...deps, secretBase32 }) };
    for (let n = 0; n < FACTOR_LIMITS.minutes.points; n += 1) {
      expect(await finishTotpSetUp(deps, guess)).toEqual(wrong);
    }
    const validInput = { ...signIn, code: await codeAt(secretBase32) };
    expect(await finishTotpSetUp(deps, validInput)).toEqual({ kind: "throttled", retryAfterSeconds: 300 });
  });

  it("does not accept a code of another user's app", async () => {
    const { parts: deps, signIn, start } = await newcomer("sqlite");
    await start();
    const { codeAt } = await putUserWithApp(deps, "berta");
    expect(await finishTotpSetUp(deps, { ...signIn, code: await codeAt(0) })).toEqual(wrong);
  });
});
