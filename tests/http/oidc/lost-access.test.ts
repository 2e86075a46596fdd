import { decodeJwt } from "jose";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { rollback } from "#app/db/transaction.server.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { type ClientChanges, changeClient, previewClientChanges, setClient } from "#app/domain/client/set.server.ts";
import { withdrawConsents } from "#app/domain/consent/administer.server.ts";
import { withdrawConsent } from "#app/domain/consent/withdraw.server.ts";
import { blockUser, changeStatus } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { METADATA, sessionsOf, settingsOf } from "#tests/http/settings-domain/steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import { createRelyingParty, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { open, seedTokens } from "./browser-steps.ts";
import { whenWaiting } from "./lock-wait.ts";
import { codeOf, hasForm } from "./responses.ts";

const SCOPE = "openid offline";

const server = await serverOfFile();
const { context } = server;
const receiver = await startLogoutReceiver();
const accounting = await server.groups.create();
const sales = await server.groups.create();
const CLOSED: ClientChanges = { allowGroups: [accounting.name] };

afterAll(() => receiver.close());
beforeEach(() => receiver.clear());

/** An application that a member and an outsider use; the outsider has a code that was not exchanged yet. */
const at = eachTest(async () => {
  const client = await server.clients.create({
    scopes: ["openid", "offline"],
    firstParty: true,
    backchannelLogoutUri: receiver.uri,
  });
  const party = createRelyingParty({ issuer: server.url, client });
  const member = await server.users.create({ groupName: accounting.name });
  const outsider = await server.users.create({ groupName: sales.name });
  const browser = server.browser();
  const tokens = await tokensOf(party, outsider, browser);
  const request = party.request();
  const code = codeOf(await open(browser, request.url));
  return { client, party, member, outsider, browser, tokens, request, code };
});

function tokensOf(party: RelyingParty, user: TestUser, browser = server.browser()): Promise<Tokens> {
  return seedTokens(server, browser, party, party.request({ scope: SCOPE }), user);
}

async function expectEnded(party: RelyingParty, { accessToken, refreshToken }: Tokens): Promise<void> {
  expect((await party.userinfo(accessToken)).status).toBe(401);
  expect((await party.introspect(accessToken)).json()).toEqual({ active: false });
  expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
}

async function expectUsable(party: RelyingParty, { accessToken, refreshToken }: Tokens): Promise<void> {
  expect((await party.userinfo(accessToken)).status).toBe(200);
  expect((await party.refresh(refreshToken)).status).toBe(200);
}

/** Waits for one logout token of the user's session at the application. */
async function expectLogout({ idToken }: Tokens, user: TestUser): Promise<void> {
  const { sid } = decodeJwt(idToken);
  expect(await receiver.receive(1, user.id)).toMatchObject([{ sub: user.id, sid }]);
}

async function queuedUsers(): Promise<string[]> {
  const rows = await context.store.q.select().from(context.store.t.backchannelLogouts);
  return rows.map(({ userId }) => userId);
}

describe("an application that is closed to all but a group", () => {
  // Proves requirement 178.
  test("loses tokens and codes of all others, and gets their back-channel logout", async () => {
    const kept = await tokensOf(at.party, at.member);
    const { lostAccess } = await setClient(context, at.client.clientId, CLOSED);
    expect(lostAccess).toBe(1);
    await expectLogout(at.tokens, at.outsider);
    await expectEnded(at.party, at.tokens);
    expect((await at.party.exchange(at.code, at.request)).error()).toBe("invalid_grant");
    await expectUsable(at.party, kept);
    expect(await queuedUsers()).not.toContain(at.member.id);
  });

  test("loses those of a group that it is closed for later", async () => {
    await setClient(context, at.client.clientId, { allowGroups: [accounting.name, sales.name] });
    await expectUsable(at.party, at.tokens);
    const later = await tokensOf(at.party, at.outsider);
    const { lostAccess } = await setClient(context, at.client.clientId, { disallowGroups: [sales.name] });
    expect(lostAccess).toBe(1);
    await expectEnded(at.party, later);
    await receiver.receive(1, at.outsider.id);
  });

  test("leaves the users signed in at other applications", async () => {
    const other = await server.parties.create({ firstParty: true });
    await setClient(context, at.client.clientId, CLOSED);
    expect(await findSignedInUser(other, at.browser)).toBe(at.outsider.id);
    expect(await findSignedInUser(at.party, at.browser)).toBe("access_denied");
  });

  test("gets a logout of each later session, too, when it was open meanwhile", async () => {
    await setClient(context, at.client.clientId, CLOSED);
    await expectLogout(at.tokens, at.outsider);
    await setClient(context, at.client.clientId, { access: "everyone" });
    receiver.clear();
    const again = await tokensOf(at.party, at.outsider, at.browser);
    await setClient(context, at.client.clientId, CLOSED);
    await expectLogout(again, at.outsider);
  });

  test("ends nothing if the change is only previewed, or rolled back", async () => {
    const { lostAccess } = await previewClientChanges(context, at.client.clientId, CLOSED);
    expect(lostAccess).toBe(1);
    await context.store.tx(async (store) =>
      rollback(await changeClient({ ...context, store }, at.client.clientId, CLOSED)),
    );
    expect(await queuedUsers()).not.toContain(at.outsider.id);
    await expectUsable(at.party, at.tokens);
  });
});

describe("at the moment when the application is closed", () => {
  /** Closes the application in a transaction that ends when one of the requests waits for it. */
  async function closeMeanwhile<Response>(send: () => Promise<Response>[]): Promise<Response[]> {
    const pending: Promise<Response>[] = [];
    await context.store.tx(async (store) => {
      await changeClient({ ...context, store }, at.client.clientId, CLOSED);
      pending.push(...send());
      await whenWaiting(store);
    });
    return Promise.all(pending);
  }

  // Proves requirement 178.
  test("a refresh loses, also the second of two in parallel", async () => {
    const refresh = () => at.party.refresh(at.tokens.refreshToken);
    const responses = await closeMeanwhile(() => [refresh(), refresh()]);
    expect(responses.map((response) => response.error())).toEqual(["invalid_grant", "invalid_grant"]);
    await expectEnded(at.party, at.tokens);
  });

  // Proves requirement 178.
  test("an exchange of a code loses, also the second of two in parallel", async () => {
    const exchange = () => at.party.exchange(at.code, at.request);
    const responses = await closeMeanwhile(() => [exchange(), exchange()]);
    expect(responses.map((response) => response.error())).toEqual(["invalid_grant", "invalid_grant"]);
  });

  test("a request of a session gets no code, or one that cannot be exchanged", async () => {
    const request = at.party.request();
    const [response] = await closeMeanwhile(() => [open(at.browser, request.url)]);
    if (!response) throw new Error("there is no response");
    // The request has read the application after the commit, as always on SQLite.
    if (response.status === 403) return expect(response.page().one("main").text).toContain("You do not have access");
    expect((await at.party.exchange(codeOf(response), request)).error()).toBe("invalid_grant");
  });
});

describe("two administrators who open an application to a group each at the same moment", () => {
  test("open it to both groups", async () => {
    await setClient(context, at.client.clientId, { allowGroups: [accounting.name] });
    const third = await server.groups.create();
    await Promise.all(
      [sales.name, third.name].map((name) => setClient(context, at.client.clientId, { allowGroups: [name] })),
    );
    const { groups } = await setClient(context, at.client.clientId, { requireMfa: false });
    expect(groups).toEqual([accounting.name, sales.name, third.name].toSorted());
  });
});

describe("a user who is blocked or removed", () => {
  test.each([
    ["blocked", (username: string) => blockUser(context, username)],
    ["removed", (username: string) => removeUser(context, username)],
  ])("loses tokens and codes when %s, and the application gets the logout", async (_what, end) => {
    await end(at.outsider.username);
    await expectLogout(at.tokens, at.outsider);
    await expectEnded(at.party, at.tokens);
    expect((await at.party.exchange(at.code, at.request)).error()).toBe("invalid_grant");
  });

  // Proves requirement 178.
  test("keeps all and gets no logout if the block is rolled back: it is one transaction", async () => {
    await context.store.tx(async (store) =>
      rollback(await changeStatus({ ...context, store }, at.outsider, "blocked")),
    );
    expect(await queuedUsers()).not.toContain(at.outsider.id);
    await expectUsable(at.party, at.tokens);
  });
});

describe("a withdrawn consent ends the tokens, and the application gets the logout,", () => {
  /** Signs the user in to an application that asks for consent, in the same browser. */
  async function consented() {
    const asking = await server.parties.create({ scopes: ["openid", "offline"], backchannelLogoutUri: receiver.uri });
    return { asking, tokens: await tokensOf(asking, at.outsider, at.browser) };
  }

  test("when the user withdraws it", async () => {
    const { asking, tokens } = await consented();
    const [uid = ""] = await sessionsOf(server, at.outsider);
    const access = await settingsOf(server, at.outsider, uid);
    const input = { ...METADATA, clientId: asking.clientId };
    expect(await withdrawConsent(context, access, input)).toEqual({ kind: "done" });
    await expectLogout(tokens, at.outsider);
    await expectEnded(asking, tokens);
    expect(hasForm(await open(at.browser, asking.request().url), "/consent/accept")).toBe(true);
    await expectUsable(at.party, at.tokens);
  });

  test("when an administrator withdraws it", async () => {
    const { asking, tokens } = await consented();
    const { username } = at.outsider;
    expect(await withdrawConsents(context, { username, clientId: asking.clientId })).toHaveLength(1);
    await expectLogout(tokens, at.outsider);
    await expectEnded(asking, tokens);
    await expectUsable(at.party, at.tokens);
  });
});

describe("an application that is removed", () => {
  // Proves requirement 178.
  test("gets the logouts of its users, signed as before, although it is gone", async () => {
    const client = await server.clients.create({
      firstParty: true,
      idTokenAlg: "ES256",
      backchannelLogoutUri: receiver.uri,
    });
    const party = createRelyingParty({ issuer: server.url, client });
    const tokens = readTokens(await exchangeOf(party));
    await removeClient(context, client.clientId);
    await expectLogout(tokens, at.outsider);
    const [logout] = receiver.tokens();
    expect(logout).toMatchObject({ aud: client.clientId, iss: server.url });
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    // Other applications keep their tokens.
    expect((await at.party.userinfo(at.tokens.accessToken)).status).toBe(200);
  });

  test("gets them later if it does not respond, also after another application took its client_id", async () => {
    receiver.respondWith(503);
    await removeClient(context, at.client.clientId);
    await receiver.receive(1, at.outsider.id);
    await server.clients.create({ id: at.client.clientId, firstParty: true });
    receiver.respondWith(200);
    const { q, t } = context.store;
    const row = async () => (await q.select().from(t.backchannelLogouts)).find((one) => one.userId === at.outsider.id);
    await expect.poll(async () => (await row())?.lastError).toBe("status 503");
    await expect.poll(async () => (await row())?.claimedUntil).toBeNull();
    server.clock.advance(10);
    context.store.events.emit("logouts queued");
    await receiver.receive(2, at.outsider.id);
    await expect.poll(async () => (await row())?.sentAt).not.toBeNull();
  });

  async function exchangeOf(party: RelyingParty) {
    const request = party.request();
    return party.exchange(codeOf(await open(at.browser, request.url)), request);
  }
});
