import { describe, expect, it } from "vitest";
import { addExternalAccount, findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import {
  type AttemptPurpose,
  consumeAttempt,
  generateAttemptSecrets,
  storeAttempt,
} from "#app/domain/external-account/attempt.server.ts";
import { disconnectProvider } from "#app/domain/external-account/disconnect.server.ts";
import { finishConnect } from "#app/domain/external-account/finish-connect.server.ts";
import { linkAtSignIn, linkRegistered } from "#app/domain/external-account/link-registered.server.ts";
import {
  findOutcome,
  readOutcomeToken,
  renewOutcomeToken,
  storeOutcome,
} from "#app/domain/external-account/outcome.server.ts";
import { receivePostedResponse } from "#app/domain/external-account/posted-response.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";

const IDENTITY = { provider: "google", issuer: "https://google.example", subject: "eva", name: "Eva" } as const;
const CLAIMS = { email: null, emailVerified: false, name: "Eva", givenName: null, familyName: null };
const IDENTIFIED = { kind: "identified", identity: IDENTITY, claims: CLAIMS, authTime: null } as const;
const SIGN_IN: AttemptPurpose = { kind: "sign-in", challenge: "sealed", provenSince: null };

/** Opens Anna's settings; `start` stores an attempt at Google, `consume` its response. */
async function connecting(dialect: Dialect) {
  const { parts: deps, store, user, access } = await openedSettings(dialect);
  async function start(provider: "google" | "apple" = "google") {
    const secrets = generateAttemptSecrets(deps);
    await storeAttempt(deps, secrets, { provider, browser: METADATA.browser, purpose: SIGN_IN, userId: null });
    return secrets;
  }
  const consume = (
    query: Record<string, string>,
    browser = METADATA.browser,
    provider: "google" | "apple" = "google",
  ) => consumeAttempt(deps, { provider, query: new URLSearchParams(query), metadata: { ...METADATA, browser } });
  const linked = async (userId = user.id) =>
    (await findExternalAccountsOfUser(store, userId)).map(({ provider, subject }) => [provider, subject]);
  function finish(
    by: SettingsAccess,
    upstreamResult: Parameters<typeof finishConnect>[1]["upstreamResult"] = IDENTIFIED,
    browser = "browser",
  ) {
    const { userId, generation, clientId, holder } = by;
    const attempt = { kind: "connect", userId, generation, clientId, holder, returnTo: "" } as const;
    return finishConnect(deps, { provider: "google", attempt, upstreamResult, metadata: { ...METADATA, browser } });
  }
  const link = (userId: string, provider: "google" | "apple", groupKey = "") =>
    addExternalAccount(store, {
      ...{ id: `${provider} of ${userId}`, userId, provider, issuer: IDENTITY.issuer, subject: IDENTITY.subject },
      ...{ groupKey, linkedAt: deps.clock.now() },
    });
  return { deps, store, user, access, start, consume, linked, finish, link };
}

describe.each(dialects)("an attempt at a provider on %s", (dialect) => {
  // Proves requirement 102.
  it("is consumed once, in its browser, by its state; of simultaneous responses one", async () => {
    const { start, consume } = await connecting(dialect);
    const { state, nonce, codeVerifier } = await start();
    expect(await consume({ state, code: "c" }, "another browser")).toBeNull();
    expect(await consume({ state, code: "c" }, METADATA.browser, "apple")).toBeNull();
    expect(await consume({ state: "unknown", code: "c" })).toBeNull();
    const all = await Promise.all([1, 2, 3].map(() => consume({ state, code: "c" })));
    expect(all.filter((one) => one !== null)).toMatchObject([{ state, nonce, codeVerifier, purpose: SIGN_IN }]);
  });

  // Proves requirement 102.
  it("expires after ten minutes", async () => {
    const { deps, start, consume } = await connecting(dialect);
    const { state } = await start();
    deps.clock.advance(10 * MINUTE_SECONDS);
    expect(await consume({ state })).toBeNull();
  });

  it("keeps a posted response sealed until its browser collects it by a new id, and takes none again", async () => {
    const { deps, store, start, consume } = await connecting(dialect);
    const { state } = await start("apple");
    const user = JSON.stringify({ name: { firstName: "Eva", lastName: "Brandt" } });
    const receive = (form: string | Record<string, string>) =>
      receivePostedResponse(deps, { provider: "apple", form: new URLSearchParams(form), address: "", requestId: "r" });
    expect(await receive(`state=${state}&state=${state}&code=c`)).toBeNull();
    expect(await receive({ state, code: "c".repeat(2_049) })).toBeNull();
    const attempt = await receive({ state, code: "the-code", other: "ignored", user });
    expect(await receive({ state, code: "another" })).toBeNull();
    expect(JSON.stringify(await store.q.select().from(store.t.oneTimeTokens))).not.toContain("the-code");
    expect(await consume({ state }, METADATA.browser, "apple")).toBeNull();
    const consumed = await consume({ attempt: attempt ?? "" }, METADATA.browser, "apple");
    expect(consumed).toMatchObject({ state, name: "Eva Brandt" });
    expect(consumed?.parameters.toString()).toBe(new URLSearchParams({ code: "the-code", state }).toString());
  });
});

describe.each(dialects)("connecting an account on %s", (dialect) => {
  it("links it to the user of the settings, once, and is reported by mail", async () => {
    const { store, access, linked, finish } = await connecting(dialect);
    expect(await Promise.all([finish(access), finish(access)])).toEqual([{ kind: "connected" }, { kind: "connected" }]);
    expect([await linked(), await queuedMails(store)]).toEqual([[["google", "eva"]], ["provider-connected"]]);
    const other = { ...IDENTIFIED, identity: { ...IDENTITY, subject: "another" } };
    expect(await finish(access, other)).toEqual({ kind: "refused", error: "provider failed" });
  });

  it("is refused if another user of the group has it, the user cancelled, or the provider failed", async () => {
    const { store, access, linked, finish, link } = await connecting(dialect);
    await link((await putUser(store, { username: "berta" })).id, "google");
    expect(await finish(access)).toEqual({ kind: "refused", error: "account in use" });
    expect(await finish(access, { kind: "cancelled" })).toEqual({ kind: "refused", error: "access_denied" });
    expect(await finish(access, { kind: "failed", reason: "x" })).toEqual({
      kind: "refused",
      error: "provider failed",
    });
    expect(await linked()).toEqual([]);
  });

  it("is refused in another browser, and after the settings have ended", async () => {
    const { deps, user, access, linked, finish } = await connecting(dialect);
    const unauthorized = { kind: "refused", error: "unauthorized" };
    expect(await finish(access, IDENTIFIED, "another")).toEqual(unauthorized);
    const berta = await openSettings(deps, await putUser(deps.store, { username: "berta" }));
    expect(await finish({ ...access, holder: berta.holder })).toEqual(unauthorized);
    await blockUser(deps, "anna");
    expect(await finish(access)).toEqual(unauthorized);
    expect(await linked(user.id)).toEqual([]);
  });
});

describe.each(dialects)("an account of a registration on %s", (dialect) => {
  it("is linked at the first sign-in in the same browser, within a day", async () => {
    const { deps, user, linked } = await connecting(dialect);
    const metadata = { ...METADATA, clientId: "suite", userId: user.id };
    await linkAtSignIn(deps, { identity: IDENTITY, userId: user.id, browserHash: hashToken(METADATA.browser) });
    await linkRegistered(deps, { ...metadata, browser: "another" });
    expect(await linked()).toEqual([]);
    await linkRegistered(deps, metadata);
    await linkRegistered(deps, metadata);
    expect([await linked(), await storedEvents(deps.store)]).toEqual([[["google", "eva"]], ["provider.connected"]]);
  });
});

describe.each(dialects)("disconnecting an account on %s", (dialect) => {
  it("is refused for the last sign-in method; of two at the same time one stays", async () => {
    const { deps, store, user, access, linked, link } = await connecting(dialect);
    await store.q.update(store.t.users).set({ passwordHash: null });
    for (const provider of ["google", "apple"] as const) await link(user.id, provider);
    const upstream = { providers: ["google", "apple"] as const };
    const disconnect = (provider: "google" | "apple", by = access) =>
      disconnectProvider({ ...deps, upstream }, by, METADATA, provider);
    const both = await Promise.all([disconnect("google"), disconnect("apple")]);
    expect(both.filter(({ kind }) => kind === "done")).toHaveLength(1);
    const [[left] = []] = await linked();
    const later = { ...access, generation: access.generation + 1 };
    const provider = left === "google" ? "google" : "apple";
    expect(await disconnect(provider, later)).toEqual({ kind: "last sign-in method" });
    expect(await disconnect(provider === "google" ? "apple" : "google", later)).toEqual({
      kind: "account not connected",
    });
    expect(await linked()).toHaveLength(1);
  });
});

describe.each(dialects)("the outcome of an external sign-in on %s", (dialect) => {
  it("is found by its interaction and browser, until it is replaced or expires", async () => {
    const { deps } = await connecting(dialect);
    const key = { uid: "uid", browser: "browser" };
    await storeOutcome(deps, key, { kind: "failed", provider: "google" });
    const choose = {
      kind: "choose",
      provider: "google",
      identity: IDENTITY,
      userIds: ["a", "b"],
      proof: { authTime: null, provenSince: null },
    } as const;
    await storeOutcome(deps, key, { ...choose, userIds: ["a", "b"] });
    expect(await findOutcome(deps, key)).toEqual(choose);
    expect(await findOutcome(deps, { ...key, browser: "another" })).toBeNull();
    deps.clock.advance(10 * MINUTE_SECONDS);
    expect(await findOutcome(deps, key)).toBeNull();
    await storeOutcome(deps, key, { kind: "cancelled", provider: "google" });
    deps.clock.advance(HOUR_SECONDS - 1);
    expect(await findOutcome(deps, key)).toEqual({ kind: "cancelled", provider: "google" });
  });

  it("has one valid form token, that of the page that was loaded last", async () => {
    const { deps } = await connecting(dialect);
    const key = { uid: "uid", browser: "browser" };
    await storeOutcome(deps, key, { kind: "refused", provider: "google" });
    const [older, newer] = [await renewOutcomeToken(deps, key), await renewOutcomeToken(deps, key)];
    expect(await renewOutcomeToken(deps, { ...key, browser: "another" })).toBeNull();
    expect(await readOutcomeToken(deps, { ...key, token: older?.token ?? "" })).toBeNull();
    expect(await readOutcomeToken(deps, { ...key, token: newer?.token ?? "" })).toEqual(newer?.outcome);
  });
});
