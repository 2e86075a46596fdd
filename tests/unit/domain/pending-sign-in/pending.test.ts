import { describe, expect, it } from "vitest";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import {
  advancePending,
  findPending,
  openSecondFactor,
  PENDING_SECONDS,
} from "#app/domain/pending-sign-in/pending.server.ts";
import { startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation, putUser, random } from "#tests/unit/domain/fixtures.ts";
import { reopen, waitingSignIn } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

async function begun(dialect: (typeof dialects)[number]) {
  const deps = installation(await withStore(dialect));
  const user = await putUser(deps.store, { username: "anna" });
  return { parts: deps, user, signIn: await waitingSignIn(deps, user) };
}

describe.each(dialects)("a pending sign-in on %s", (dialect) => {
  it("is found by its mfa_token in its own browser, with the methods proven so far", async () => {
    const deps = installation(await withStore(dialect));
    const user = await putUser(deps.store, { username: "anna" });
    const signIn = await waitingSignIn(deps, user, { uid: "the uid", amr: ["fed"], provenAt: 1_700_000_000 });
    expect(await findPending(deps, signIn)).toMatchObject({
      ...{ uid: "the uid", userId: user.id, generation: user.generation, clientId: "suite" },
      ...{ amr: ["fed"], verified: [], provenAt: 1_700_000_000, setUp: false },
    });
  });

  it("is not found by another browser, a forged or empty token, or a token of another kind", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    const { browser, mfaToken } = signIn;
    expect(await findPending(deps, { mfaToken, browser: random.token() })).toBeNull();
    expect(await findPending(deps, { mfaToken: random.token(), browser })).toBeNull();
    expect(await findPending(deps, { mfaToken: "", browser })).toBeNull();
    // A token of another kind (TOTP set-up) of the same user in the same browser.
    await startTotpSetUp({ ...deps, random: { ...random, token: () => "known" } }, signIn);
    expect(await findPending(deps, { mfaToken: "known", browser })).toBeNull();
  });

  it("expires ten minutes after the password, even if its page is opened again", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    deps.clock.advance(PENDING_SECONDS - 1);
    const { mfaToken } = await reopen(deps, signIn);
    expect(await findPending(deps, { ...signIn, mfaToken })).not.toBeNull();
    deps.clock.advance(1);
    expect(await findPending(deps, { ...signIn, mfaToken })).toBeNull();
    expect(await openSecondFactor(deps, signIn)).toBeNull();
  });

  it("gets a new token each time its page is opened, which invalidates the previous one", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    const second = await reopen(deps, signIn);
    expect(second.mfaToken).not.toBe(signIn.mfaToken);
    expect(await findPending(deps, signIn)).toBeNull();
    expect(await findPending(deps, { ...signIn, mfaToken: second.mfaToken })).toEqual(second.pending);
  });

  it("opened in 20 tabs simultaneously has one valid token", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    const opened = await Promise.all(Array.from({ length: 20 }, () => reopen(deps, signIn)));
    const found = await Promise.all(opened.map(({ mfaToken }) => findPending(deps, { ...signIn, mfaToken })));
    expect(found.filter((pending) => pending !== null)).toHaveLength(1);
  });

  it("is not opened in another browser, nor for another request", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    expect(await openSecondFactor(deps, { ...signIn, browser: random.token() })).toBeNull();
    expect(await openSecondFactor(deps, { ...signIn, uid: "another" })).toBeNull();
    expect(await findPending(deps, signIn)).not.toBeNull();
  });

  it("is invalid after a block, and stays invalid after unblocking", async () => {
    const { parts: deps, user, signIn } = await begun(dialect);
    for (const status of ["blocked", "active"] as const) {
      await setUserStatus(deps.store, user.id, status, deps.clock.now());
      expect(await findPending(deps, signIn)).toBeNull();
      expect(await openSecondFactor(deps, signIn)).toBeNull();
    }
  });

  it("is replaced by a newer one of the same request", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    const berta = await putUser(deps.store, { username: "berta" });
    const newer = await waitingSignIn(deps, berta, signIn);
    expect(await findPending(deps, signIn)).toBeNull();
    expect(await findPending(deps, newer)).toMatchObject({ uid: signIn.uid, userId: berta.id });
  });

  it("advances once for 20 simultaneous factors, and each factor is recorded once", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    const pending = await findPending(deps, signIn);
    if (!pending) throw new Error("there is no pending sign-in");
    const advances = Array.from({ length: 20 }, () => advancePending(deps, pending, { verified: "otp" }));
    const [mfaToken = null, ...others] = (await Promise.all(advances)).filter((token) => token !== null);
    expect(others).toEqual([]);
    expect(await findPending(deps, signIn)).toBeNull();
    const after = mfaToken && (await findPending(deps, { ...signIn, mfaToken }));
    expect(after).toMatchObject({ verified: ["otp"], setUp: false });
    if (!after) throw new Error("the new token does not work");
    await advancePending(deps, after, { verified: "otp" });
    expect((await openSecondFactor(deps, signIn))?.pending.verified).toEqual(["otp"]);
  });

  it("the database contains hashes of tokens only", async () => {
    const { parts: deps, signIn } = await begun(dialect);
    const everything = JSON.stringify(await deps.store.execute("SELECT * FROM one_time_tokens"));
    expect(everything).toContain(signIn.uid);
    expect(everything).not.toContain(signIn.mfaToken);
    expect(everything).not.toContain(signIn.browser);
  });
});
