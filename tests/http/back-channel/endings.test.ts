import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { changePassword } from "#app/domain/account/change-password.server.ts";
import { changeUsername } from "#app/domain/account/change-username.server.ts";
import { finishOwnTotp, removeOwnTotp, startOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { createFactorResetLink, createPasswordLink } from "#app/domain/user/links.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { open, seedSignIn, seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { choose, openLink } from "#tests/http/password-reset/steps.ts";
import { finish, openStep, readStep } from "#tests/http/second-factor/steps.ts";
import { METADATA, sessionsOf, settingsOf } from "#tests/http/settings-domain/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { testApp } from "#tests/support/factors.ts";
import { startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";

let anna: TestUser;

const server = await serverOfFile();
const receiver = await startLogoutReceiver();
const client = await server.clients.create({ firstParty: true, backchannelLogoutUri: receiver.uri });
const party = createRelyingParty({ issuer: server.url, client });
const silent = await server.parties.create({ firstParty: true });

afterAll(async () => {
  await receiver?.close();
});

beforeEach(async () => {
  receiver.clear();
  anna = await server.users.create();
});

/** Signs Anna in to both applications in a new browser. */
async function signedIn(browser: Browser = server.browser()) {
  server.clock.advance(5);
  const { idToken } = await seedTokens(server, browser, party, party.request(), anna);
  await seedTokens(server, browser, silent, silent.request(), anna);
  return { browser, uid: (await sessionsOf(server, anna)).at(-1) ?? "", sid: decodeJwt(idToken).sid };
}

/** Returns the session ids of the queued logouts of Anna, delivered ones included. */
async function queuedSids(): Promise<string[]> {
  const { q, t } = server.context.store;
  const rows = await q.select().from(t.backchannelLogouts);
  return rows.filter(({ userId }) => userId === anna.id).map(({ sid }) => sid);
}

describe("ending a session sends a logout to the application with a back-channel logout URI, and to no other", () => {
  // Proves requirement 132.
  test("after a password reset by a mailed link", async () => {
    const { sid } = await signedIn();
    const { url } = await createPasswordLink(server.context, anna.username);
    const browser = server.browser();
    await choose(browser, await openLink(browser, url));
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sub: anna.id, sid }]);
    expect(await queuedSids()).toEqual([sid]);
  });

  // Proves requirement 132.
  test("after an import that gives a password to a user who had none", async () => {
    const { browser, sid } = await signedIn();
    const { context } = server;
    const { q, t } = context.store;
    await q.update(t.users).set({ passwordHash: null, passwordSetAt: null }).where(eq(t.users.id, anna.id));
    const fields = { username: anna.username, display_name: anna.displayName };
    const raw = [{ line: 1, fields: { ...fields, password_hash: await context.hasher.hash(anna.password) } }];
    const { rows } = await planImport(context, raw, { onConflict: "update" });
    expect(await applyImport(context, rows)).toMatchObject({ updated: 1 });
    expect(await findSignedInUser(silent, browser)).toBe("login_required");
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sub: anna.id, sid }]);
    expect(await sessionsOf(server, anna)).toEqual([]);
  });

  test("after a password change, except for the session that made it", async () => {
    const other = await signedIn();
    const here = await signedIn();
    const passwords = { password: anna.password, newPassword: "Harbour-Candle-31-Elm" };
    const input = {
      ...METADATA,
      ...passwords,
      newPasswordRepeat: passwords.newPassword,
      endOthers: true,
      isProof: false,
    };
    await changePassword(server.context, await settingsOf(server, anna, here.uid), input);
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sub: anna.id, sid: other.sid }]);
    expect(await queuedSids()).toEqual([other.sid]);
  });

  test("after a change of the user name, and of a factor", async () => {
    const first = await signedIn();
    const here = await signedIn();
    const access = () => settingsOf(server, anna, here.uid);
    await changeUsername(server.context, await access(), { ...METADATA, username: `${anna.username}.berg` });
    expect(await queuedSids()).toEqual([first.sid]);

    anna = { ...anna, username: `${anna.username}.berg` };
    const second = await signedIn();
    const again = await access();
    const started = await startOwnTotp(server.context, again);
    if (started.kind !== "started") throw new Error(started.kind);
    const code = await testApp(server.clock, started.secretBase32).code();
    expect(await finishOwnTotp(server.context, again, { ...METADATA, code })).toEqual({ kind: "done" });
    expect((await queuedSids()).toSorted()).toEqual([first.sid, second.sid].toSorted());
    expect(await removeOwnTotp(server.context, await access(), METADATA)).toEqual({ kind: "done" });
    expect(await queuedSids()).toHaveLength(2);
  });

  test("after a factor reset by a mailed link", async () => {
    const { sid } = await signedIn();
    const { url } = await createFactorResetLink(server.context, anna.username);
    const browser = server.browser();
    const page = await openLink(browser, url);
    await browser.submit(page, page.page().form("/mfa-reset/reset"));
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sub: anna.id, sid }]);
  });

  test("after a first factor was set up during a sign-in in another browser", async () => {
    const { sid } = await signedIn();
    const step = await openStep(server.browser(), party.request({ acr_values: "urn:gatehouse:acr:mfa" }).url, anna);
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const app = testApp(server.clock, String(secret));
    await finish(step, await step.call("/mfa/setup-totp", { code: await app.code() }));
    expect(await queuedSids()).toEqual([sid]);
  });

  test("but not for the session in which a first factor was set up, even if the browser was closed", async () => {
    const { browser } = await signedIn();
    const request = party.request({ acr_values: "urn:gatehouse:acr:mfa" });
    const step = readStep(browser, await open(browser, request.url));
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(server.clock, String(secret)).code();
    expect((await step.call("/mfa/setup-totp", { code })).status).toBe(200);
    expect(await queuedSids()).toEqual([]);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("when another user signs in in the same browser", async () => {
    const { browser, sid } = await signedIn();
    const eva = await server.users.create();
    await seedSignIn(server, browser, party.request({ prompt: "login" }), eva);
    expect(await queuedSids()).toEqual([sid]);
  });

  test("once, for a sign-out that the user confirms twice at the same moment", async () => {
    const { browser, sid } = await signedIn();
    const page = await open(browser, party.logoutUrl());
    const form = page.page().form("/logout/accept");
    await Promise.all([browser.submit(page, form), browser.submit(page, form)]);
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sub: anna.id, sid }]);
    expect(await queuedSids()).toEqual([sid]);
  });

  // Proves requirement 132.
  test("in the transaction that ends the session, so that nothing happens between the two", async () => {
    const { browser, uid, sid } = await signedIn();
    const { store, clock } = server.context;
    const { oidcRecords, backchannelLogouts } = store.t;
    // Locked below: ending the session waits for this expired row of it, queueing a logout alone would not.
    const expiresAt = new Date(clock.now().getTime() - 60_000);
    const expired = { model: "Session", id: `expired ${uid}`, uid, accountId: anna.id, payload: {}, expiresAt };
    await store.q.insert(oidcRecords).values(expired);
    const page = await open(browser, party.logoutUrl());
    const signingOut: Promise<HttpResponse>[] = [];
    const queuedMeanwhile = await store.tx(async (tx) => {
      await tx.q.update(oidcRecords).set({ userCode: null }).where(eq(oidcRecords.id, expired.id));
      signingOut.push(browser.submit(page, page.page().form("/logout/accept")));
      await whenWaiting(tx);
      return tx.q.select().from(backchannelLogouts).where(eq(backchannelLogouts.userId, anna.id));
    });
    expect(queuedMeanwhile).toEqual([]);
    await Promise.all(signingOut);
    expect(await queuedSids()).toEqual([sid]);
  });
});

describe("an application that does not accept a logout", () => {
  /** Returns the row of Anna's session. */
  async function row() {
    const { q, t } = server.context.store;
    const found = (await q.select().from(t.backchannelLogouts)).find(({ userId }) => userId === anna.id);
    if (!found) throw new Error("no logout is queued");
    return found;
  }

  async function signOut() {
    const { browser } = await signedIn();
    const page = await open(browser, party.logoutUrl());
    await browser.submit(page, page.page().form("/logout/accept"));
  }

  /** Moves the clock to the next attempt and waits for its result. */
  async function nextAttempt(seconds: number) {
    const { attempts } = await row();
    server.clock.advance(seconds);
    server.context.store.events.emit("logouts queued");
    await expect.poll(async () => (await row()).attempts).toBe(attempts + 1);
    await expect.poll(async () => (await row()).claimedUntil).toBeNull();
    return row();
  }

  test("gets it again after 10 s, 1 min, 5 min, 30 min and every 2 h, with a new token, until it accepts", async () => {
    receiver.respondWith(503);
    await signOut();
    await receiver.receive(1, anna.id);
    await expect.poll(async () => (await row()).lastError).toBe("status 503");
    for (const seconds of [10, 60, 300, 1800, 7200]) {
      expect(await nextAttempt(seconds)).toMatchObject({ sentAt: null, failedAt: null });
    }
    receiver.respondWith(200);
    expect(await nextAttempt(7200)).toMatchObject({ lastError: null, nextAttemptAt: null, sentAt: expect.any(Date) });
    const tokens = await receiver.receive(7, anna.id);
    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(7);
    expect(tokens.at(-1)?.iat).toBe(Math.floor(server.clock.now().getTime() / 1000));
  });

  test("is not retried after status 400, which rejects the token; a redirect is not followed", async () => {
    receiver.respondWith(400);
    await signOut();
    await expect.poll(async () => (await row()).failedAt).not.toBeNull();
    expect(await row()).toMatchObject({ attempts: 1, nextAttemptAt: null, lastError: "status 400" });

    anna = await server.users.create();
    receiver.respondWith(302);
    await signOut();
    await expect.poll(async () => (await row()).lastError).toBe("status 302");
  });

  test("is retried at the same intervals if its registration cannot be read", async () => {
    const client = await server.clients.create({ firstParty: true, backchannelLogoutUri: receiver.uri });
    const broken = createRelyingParty({ issuer: server.url, client });
    await seedTokens(server, server.browser(), broken, broken.request(), anna);
    const { clients } = server.context.store.t;
    const setRedirectUris = (redirectUris: string[]) =>
      server.context.store.q.update(clients).set({ redirectUris }).where(eq(clients.id, client.clientId));
    await setRedirectUris(["not an address"]);
    await endSessionsOfUser(server.context, anna.username);
    await expect.poll(async () => (await row()).lastError).toBe("client cannot be loaded (InvalidClientMetadata)");
    expect(await row()).toMatchObject({ attempts: 1, failedAt: null, nextAttemptAt: expect.any(Date) });
    await setRedirectUris([client.redirectUri]);
    expect(await nextAttempt(10)).toMatchObject({ lastError: null, sentAt: expect.any(Date) });
  });
});
