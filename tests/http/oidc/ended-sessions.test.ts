import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { endSession, findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import { endOwnSession } from "#app/domain/session/end.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { createRecordRemoval } from "#app/oidc/remove-expired.server.ts";
import { copyOf, findSignedInUser } from "#tests/http/login/live-session.ts";
import { METADATA, settingsOf } from "#tests/http/settings-domain/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { whenWaiting } from "./lock-wait.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const SESSION_SECONDS = 60 * 60;
let anna: TestUser;
let browser: Browser;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
  await seedSignIn(server, browser, party.request(), anna);
});

const provider = () => server.context.oidc.provider();

async function loadSession() {
  const { Session } = await provider();
  const session = await Session.find(browser.jar.find("gatehouse_session")?.value ?? "");
  if (!session) throw new Error("There is no session.");
  return session;
}

async function signOut(by: Browser): Promise<void> {
  // A concurrent silent request may save the session without the logout's state; 20 in a row did once.
  for (let tries = 0; tries < 200; tries += 1) {
    const page = await open(by, party.logoutUrl());
    if (!hasForm(page, "/logout/accept")) continue;
    const { status } = await by.submit(page, page.page().form("/logout/accept"));
    if (status === 303) return;
  }
  throw new Error("The sign-out was never accepted.");
}

describe("a session that ends after a request has loaded it", () => {
  // Proves requirement 128.
  test.each([
    ["by a sign-out", () => signOut(browser)],
    ["by the end of all sessions", () => endSessionsOfUser(server.context, anna.username)],
  ])("%s is not saved again, under its id or another one", async (_how, end) => {
    const [stale, renamed] = [await loadSession(), await loadSession()];
    const copy = copyOf(browser, server.url);
    await end();
    await stale.save(SESSION_SECONDS);
    renamed.resetIdentifier();
    const id = await renamed.save(SESSION_SECONDS);

    const { Session } = await provider();
    expect(await Session.findByUid(stale.uid)).toBeUndefined();
    expect(await Session.find(id)).toBeUndefined();
    expect(await findSignedInUser(party, copy)).toBe("login_required");
  });

  test("is not stored again when its row was deleted", async () => {
    const stale = await loadSession();
    const { q, t } = server.context.store;
    await q.delete(t.oidcRecords).where(eq(t.oidcRecords.uid, stale.uid));
    await stale.save(SESSION_SECONDS);
    expect(await findRecordByUid(server.context.store, "Session", stale.uid)).toBeNull();
  });

  test("is not saved by a request that waits for its end: the response signs no user in", async () => {
    const { uid } = await loadSession();
    const copy = copyOf(browser, server.url);
    const request = party.request({ prompt: "none" });
    const response = await whileEnding(uid, () => copy.get(request.url));
    const { code, error } = redirectParameters(response);
    if (code === undefined) expect(error).toBe("login_required");
    // The code was issued before the commit, which is possible on PostgreSQL only.
    else expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
    if (code !== undefined) expect(response.setCookies.join()).not.toContain("gatehouse_session=");
    expect(await findSignedInUser(party, copy)).toBe("login_required");
  });

  // Proves requirement 128.
  test("issues no code to a request that stores it after the end", async () => {
    const { uid } = await loadSession();
    const request = party.request({ prompt: "none" });
    const { store, clock } = server.context;
    const pending: Promise<HttpResponse>[] = [];
    await store.tx(async (tx) => {
      // On PostgreSQL the request reads the session, and then waits for the user's row.
      if (tx.dialect === "postgres") await tx.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE");
      pending.push(browser.get(request.url));
      await whenWaiting(tx);
      await endSession(tx, uid, { until: new Date(clock.now().getTime() + 3_600_000) });
    });
    const [response] = await Promise.all(pending);
    if (!response) throw new Error("Nothing was asked.");
    expect(redirectParameters(response)).toMatchObject({ error: "login_required", state: request.state });
    expect(redirectParameters(response)).not.toHaveProperty("code");
  });

  // Proves requirement 128.
  test("leaves no offline access to an application that first used it when it was ended in the settings", async () => {
    const { uid } = await loadSession();
    const access = await settingsOf(server, anna, uid);
    const other = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });
    const request = other.request({ scope: "openid offline", prompt: "none" });
    const { store } = server.context;
    const { model, accountId } = store.t.oidcRecords;
    const [held, released] = [signal(), signal()];
    const holding = store.tx(async (tx) => {
      const grants = and(eq(model, "Grant"), eq(accountId, anna.id));
      await tx.q.update(tx.t.oidcRecords).set({ userCode: null }).where(grants);
      held.give();
      await released.given;
    });
    await held.given;
    // The removal has read the codes before it waits for the grant; the request stores its code in between.
    const ending = endOwnSession(server.context, access, { ...METADATA, id: uid });
    await whenWaiting(store);
    const pending = browser.get(request.url);
    await whenWaiting(store, 2);
    released.give();
    await holding;
    expect(await ending).toEqual({ kind: "done" });
    const { code, error } = redirectParameters(await pending);
    // On SQLite the request waits for the transaction.
    if (code === undefined) expect([store.dialect, error]).toEqual(["sqlite", "login_required"]);
    else expect((await other.exchange(code, request)).error()).toBe("invalid_grant");
  });
});

/** Creates a promise with its resolver. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/**
 * Ends a session in a transaction that is open while the request runs. On PostgreSQL the request has loaded the session
 * and waits for the row; on SQLite it waits for the transaction.
 */
async function whileEnding<T>(uid: string, ask: () => Promise<T>): Promise<T> {
  const { store } = server.context;
  const started: Promise<T>[] = [];
  await store.tx(async (tx) => {
    await endSession(tx, uid, { until: new Date(server.clock.now().getTime() + 3_600_000) });
    started.push(ask());
    await whenWaiting(tx);
  });
  const [request] = started;
  if (!request) throw new Error("The request was not sent.");
  return request;
}

// Proves requirement 128.
test("a sign-out stays effective during other requests of the same browser", { timeout: 60_000 }, async () => {
  for (let round = 0; round < 5; round += 1) {
    const own = server.browser();
    const { idToken } = await seedTokens(server, own, party, party.request(), anna);
    const copies = [copyOf(own, server.url), copyOf(own, server.url), copyOf(own, server.url)];
    let ended = false;
    const silent = copies.map(async (copy) => {
      while (!ended) await copy.get(party.request({ prompt: "none", id_token_hint: idToken }).url);
    });
    const late = copyOf(own, server.url);
    await signOut(own).finally(() => {
      ended = true;
    });
    await Promise.all(silent);
    for (const copy of [...copies, late]) expect(await findSignedInUser(party, copy)).toBe("login_required");
  }
});

describe("a session that gets a new id", () => {
  test("is found by the new id only", async () => {
    const session = await loadSession();
    const former = session.jti;
    session.resetIdentifier();
    const id = await session.save(SESSION_SECONDS);
    const { Session } = await provider();
    expect(await Session.find(former)).toBeUndefined();
    expect((await Session.find(id))?.accountId).toBe(anna.id);
  });

  test("keeps its cookie when a late request sends the former id", async () => {
    const late = copyOf(browser, server.url);
    const session = await loadSession();
    session.resetIdentifier();
    await session.save(SESSION_SECONDS);
    const { status, setCookies } = await late.get(party.request().url);
    expect(status).toBe(303);
    expect(setCookies.join()).not.toContain("gatehouse_session");
  });

  test("stays valid under the ids of both concurrent requests", async () => {
    const [one, other, third] = [await loadSession(), await loadSession(), await loadSession()];
    one.resetIdentifier();
    other.resetIdentifier();
    const ids = [await one.save(SESSION_SECONDS), await other.save(SESSION_SECONDS), await third.save(SESSION_SECONDS)];
    const { Session } = await provider();
    for (const id of ids) expect((await Session.find(id))?.accountId).toBe(anna.id);
    await signOut(browser);
    for (const id of ids) expect(await Session.find(id)).toBeUndefined();
  });
});

describe("a destroyed grant", () => {
  // Proves requirement 128.
  test("is not saved again, and nothing is stored under it", async () => {
    const tokens = await seedTokens(server, server.browser(), party, party.request({ scope: "openid offline" }), anna);
    const { Grant, RefreshToken, AccessToken, Client } = await provider();
    const grantId = (await RefreshToken.find(tokens.refreshToken))?.grantId ?? "";
    const grant = await Grant.find(grantId);
    if (!grant) throw new Error("There is no grant.");
    await party.revoke(tokens.refreshToken);

    await expect(grant.save()).rejects.toThrow("login_required");
    expect(await Grant.find(grantId)).toBeUndefined();
    const client = await Client.find(party.clientId);
    if (!client) throw new Error("There is no client.");
    const token = new AccessToken({ accountId: anna.id, client, grantId, gty: "refresh_token", scope: "openid" });
    await expect(token.save()).rejects.toThrow("invalid_grant");
  });
});

describe("an authorization request", () => {
  // Proves requirement 128.
  test("is not stored again after it is finished", async () => {
    const { Interaction } = await provider();
    const uid = await answerRequest();
    const stale = await Interaction.find(uid);
    if (!stale) throw new Error("There is no interaction.");
    await (await Interaction.find(uid))?.destroy();
    stale.result = { login: { accountId: anna.id } };
    await expect(stale.persist()).rejects.toMatchObject({ error: "invalid_request" });
    expect(await Interaction.find(uid)).toBeUndefined();
  });

  /** Answers a request, which stores it, without resuming it. */
  async function answerRequest(): Promise<string> {
    const browser = server.browser();
    const page = await open(browser, party.request().url);
    const { username, password } = anna;
    const { location } = await browser.submit(page, page.page().form("/login/native"), { username, password });
    return location?.split("/").at(-1) ?? "";
  }
});

test("tombstones contain only ids, and are removed after their expiry", async () => {
  const { store } = server.context;
  await endSessionsOfUser(server.context, anna.username);
  const buried = (await store.q.select().from(store.t.oidcRecords)).filter(({ destroyedAt }) => destroyedAt !== null);
  expect(buried.length).toBeGreaterThan(1);
  for (const { payload, accountId, clientId } of buried)
    expect([payload, accountId, clientId]).toEqual([{}, null, null]);
  const later = new Date(server.clock.now().getTime() + 40 * 24 * 60 * 60 * 1000);
  await createRecordRemoval()({ store, clock: { now: () => later } });
  expect(await store.q.select().from(store.t.oidcRecords)).toEqual([]);
});

test("a record with a lifetime of 0 seconds expires at once and is removed", async () => {
  const { store, clock } = server.context;
  const { PushedAuthorizationRequest } = await provider();
  const id = await new PushedAuthorizationRequest({ request: "e30.e30." }).save(0);
  const [row] = await store.q.select().from(store.t.oidcRecords).where(eq(store.t.oidcRecords.id, id));
  expect(row?.expiresAt).toEqual(clock.now());
  await createRecordRemoval()({ store, clock });
  expect(await store.q.$count(store.t.oidcRecords, eq(store.t.oidcRecords.id, id))).toBe(0);
});

test("a code that was issued while the session ended is refused", async () => {
  const request = party.request();
  const code = codeOf(await seedSignIn(server, browser, request, anna));
  await signOut(browser);
  expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
});

test("an offline code that was not exchanged before the session ended is refused; its grant remains", async () => {
  const own = server.browser();
  const { refreshToken } = await seedTokens(server, own, party, party.request({ scope: "openid offline" }), anna);
  const request = party.request({ scope: "openid offline", prompt: "none" });
  const code = codeOf(await own.get(request.url));
  await signOut(own);
  expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
  readTokens(await party.refresh(refreshToken));
});

test("a refresh works after a sign-out if the application has offline access", async () => {
  const own = server.browser();
  const { refreshToken } = await seedTokens(server, own, party, party.request({ scope: "openid offline" }), anna);
  await signOut(own);
  readTokens(await party.refresh(refreshToken));
});
