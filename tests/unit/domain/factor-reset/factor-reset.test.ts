import { describe, expect, it } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import {
  findFactorReset,
  findRequestedWindow,
  issueFactorReset,
  lostLinkEnd,
} from "#app/domain/factor-reset/link.server.ts";
import { requestFactorReset } from "#app/domain/factor-reset/lost.server.ts";
import { resetFactors } from "#app/domain/factor-reset/reset.server.ts";
import { findWaitingReset, issueStopLink, stopFactorReset } from "#app/domain/factor-reset/stop.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { putSession } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, pendingKinds, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { installation, REQUEST } from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp, waitingSignIn } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

const DELAY_HOURS = 24;

/** Anna has an authenticator app, an address and a password, and is signed in. */
async function lost(dialect: Dialect) {
  const installed = installation(await withStore(dialect));
  const deps = { ...installed, config: { ...installed.config, factorResetDelayHours: DELAY_HOURS } };
  const { store, clock } = deps;
  const { user: stored } = await putUserWithApp(deps, "anna");
  await store.q
    .update(store.t.users)
    .set({ email: "anna@office.example", passwordHash: "plain:x", passwordSetHow: "settings" });
  const user = { ...stored, ...(await findUser(store, stored.id)) };
  await putSession(deps, user, "session");
  const paramOf = (url: string) => [...new URL(url).searchParams.values()].join();
  const ask = async (start: Parameters<typeof waitingSignIn>[2] = {}) =>
    requestFactorReset(deps, { ...(await waitingSignIn(deps, user, start)), pageLanguage: "en" });
  const reset = (resetToken: string) => resetFactors(deps, { resetToken, ...REQUEST });
  const stop = (stopToken: string) => stopFactorReset(deps, { stopToken, ...REQUEST });
  const hasApp = async () => (await findFactors(store, user.id)).totp;
  /** Issues a link as a mail does, which works after the delay, and the link that stops it. */
  async function mailed() {
    const worksFrom = new Date(clock.now().getTime() + DELAY_HOURS * HOUR_SECONDS * 1000);
    const { url } = await issueFactorReset(deps, user, worksFrom);
    return {
      token: paramOf(url),
      stopToken: paramOf(await issueStopLink(deps, user, lostLinkEnd(worksFrom))),
      worksFrom,
    };
  }
  const byAdministrator = async () => paramOf((await issueFactorReset(deps, user, null)).url);
  return { deps, store, clock, user, ask, reset, stop, hasApp, mailed, byAdministrator };
}

describe.each(dialects)("a request to reset lost factors on %s", (dialect) => {
  it("mails a link after the right password, at most three times a day", async () => {
    const { store, ask } = await lost(dialect);
    for (let times = 0; times < 3; times += 1) expect(await ask()).toEqual({ kind: "asked" });
    expect(await ask()).toEqual({ kind: "too-many" });
    expect(await queuedMails(store)).toEqual(Array(3).fill("mfa-reset"));
    expect(await storedEvents(store)).toEqual(Array(3).fill("factor-reset.requested"));
  });

  it.each([
    ["without the password", { amr: ["fed"] }, {}],
    ["with the password of an older session", { sessionUid: "session", sessionSince: 1 }, {}],
    ["without an address", {}, { email: null }],
    ["with a password that a mailed link set", {}, { passwordSetHow: "link" as const, passwordProvenAt: null }],
  ])("is refused %s: the mailbox alone must not suffice", async (_how, start, fields) => {
    const { deps, store, user, ask } = await lost(dialect);
    if (Object.keys(fields).length > 0) await store.q.update(store.t.users).set(fields);
    const { uid, browser, mfaToken } = await waitingSignIn(deps, user, start);
    const input = { ...REQUEST, uid, browser, mfaToken, pageLanguage: "en" };
    expect(["refused", "unauthorized"]).toContain((await requestFactorReset(deps, input)).kind);
    expect((await ask(start)).kind).not.toBe("asked");
    expect(await queuedMails(store)).toEqual([]);
  });
});

describe.each(dialects)("a link that resets the factors on %s", (dialect) => {
  it("removes all factors, sessions and tokens, keeps the password, and is reported by mail", async () => {
    const { store, user, reset, hasApp, byAdministrator } = await lost(dialect);
    expect(await reset(await byAdministrator())).toEqual({ kind: "done", needsSetUp: false });
    expect([await hasApp(), await heldModels(store)]).toEqual([false, []]);
    // The link of the notice.
    expect(await pendingKinds(store)).toEqual(["not-me"]);
    const { passwordHash, generation } = user;
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash, generation: generation + 1 });
    expect([await queuedMails(store), await storedEvents(store)]).toEqual([["mfa-reset-done"], ["factor-reset.done"]]);
  });

  it("from a mail works after its delay, for seven days", async () => {
    const { deps, clock, reset, mailed, hasApp } = await lost(dialect);
    const { token, worksFrom } = await mailed();
    const window = { from: worksFrom, until: lostLinkEnd(worksFrom) };
    clock.advance(DELAY_HOURS * HOUR_SECONDS - 1);
    expect(await reset(token)).toEqual({ kind: "too-early", window });
    expect(await hasApp()).toBe(true);
    clock.advance(1);
    expect(await findFactorReset(deps, token)).toMatchObject({ kind: "found", reset: { window } });
    clock.advance(7 * 24 * HOUR_SECONDS);
    expect(await reset(token)).toEqual({ kind: "error-token" });
    expect(await hasApp()).toBe(true);
  });

  it("works once, also three times at the same time, and not after a newer link or a block", async () => {
    const { deps, reset, byAdministrator } = await lost(dialect);
    const older = await byAdministrator();
    const newer = await byAdministrator();
    expect(await reset(older)).toEqual({ kind: "error-token" });
    const kinds = (await Promise.all([reset(newer), reset(newer), reset(newer)])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["done", "error-token", "error-token"]);
    const blocked = await byAdministrator();
    await blockUser(deps, "anna");
    expect(await reset(blocked)).toEqual({ kind: "error-token" });
  });

  it("is shown to the pending sign-in that asked for it, in its browser alone", async () => {
    const { deps, user, mailed } = await lost(dialect);
    const { uid, browser } = await waitingSignIn(deps, user);
    expect(await findRequestedWindow(deps, { uid, browser })).toBeNull();
    const { worksFrom } = await mailed();
    expect(await findRequestedWindow(deps, { uid, browser })).toEqual({
      from: worksFrom,
      until: lostLinkEnd(worksFrom),
    });
    expect(await findRequestedWindow(deps, { uid, browser: "another" })).toBeNull();
  });
});

describe.each(dialects)("a link that stops a reset on %s", (dialect) => {
  it("invalidates the newest link and keeps the factors, also that of an earlier mail, and when the link works already", async () => {
    const { store, clock, reset, stop, mailed, hasApp } = await lost(dialect);
    const earlier = await mailed();
    const { token, stopToken } = await mailed();
    clock.advance(DELAY_HOURS * HOUR_SECONDS);
    expect(await stop(earlier.stopToken)).toEqual({ kind: "stopped" });
    expect(await reset(token)).toEqual({ kind: "error-token" });
    expect(await stop(stopToken)).toEqual({ kind: "error-token" });
    expect([await hasApp(), await storedEvents(store)]).toEqual([true, ["factor-reset.stopped"]]);
  });

  it("does not stop an administrator's link, which has no delay", async () => {
    const { deps, reset, stop, mailed, byAdministrator } = await lost(dialect);
    const { stopToken } = await mailed();
    const token = await byAdministrator();
    expect([await findWaitingReset(deps, stopToken), await stop(stopToken)]).toEqual([null, { kind: "error-token" }]);
    expect(await reset(token)).toMatchObject({ kind: "done" });
  });

  it("and the reset at the same moment: one of both succeeds", async () => {
    const { clock, reset, stop, mailed, hasApp } = await lost(dialect);
    const { token, stopToken } = await mailed();
    clock.advance(DELAY_HOURS * HOUR_SECONDS);
    const [stopped, done] = await Promise.all([stop(stopToken), reset(token)]);
    const isStopped = stopped.kind === "stopped";
    expect(done.kind).toBe(isStopped ? "error-token" : "done");
    expect(await hasApp()).toBe(isStopped);
  });
});
