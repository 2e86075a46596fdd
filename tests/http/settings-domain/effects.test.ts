import { decodeJwt } from "jose";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { changePassword } from "#app/domain/account/change-password.server.ts";
import { changeUsername } from "#app/domain/account/change-username.server.ts";
import { listOwnConsents } from "#app/domain/consent/list.server.ts";
import { withdrawConsent } from "#app/domain/consent/withdraw.server.ts";
import { endOtherSessions, endOwnSession } from "#app/domain/session/end.server.ts";
import { listOwnSessions } from "#app/domain/session/list.server.ts";
import { finishOwnTotp, removeOwnTotp, startOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { open, seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { testApp } from "#tests/support/factors.ts";
import { startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import type { Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { METADATA, sessionsOf, settingsOf } from "./steps.ts";

const OTHER_PASSWORD = "Harbour-Candle-31-Elm";
let anna: TestUser;

const server = await serverOfFile();
const receiver = await startLogoutReceiver();
const party = await server.parties.create({ firstParty: true, backchannelLogoutUri: receiver.uri });
const thirdParty = await server.parties.create({ scopes: ["openid", "email", "offline_access"] });

afterAll(async () => {
  await receiver?.close();
});

beforeEach(async () => {
  receiver.clear();
  anna = await server.users.create();
});

type SignedIn = { browser: Browser; uid: string; tokens: Tokens };

/** Signs Anna in, in a new browser. */
async function signIn(): Promise<SignedIn> {
  server.clock.advance(5);
  const browser = server.browser();
  const tokens = await seedTokens(server, browser, party, party.request(), anna);
  const uid = (await sessionsOf(server, anna)).at(-1) ?? "";
  return { browser, uid, tokens };
}

async function isUsable({ accessToken }: Tokens, of = party): Promise<boolean> {
  return (await of.userinfo(accessToken)).status === 200;
}

describe("a password change in the settings", () => {
  const passwords = { password: "", newPassword: OTHER_PASSWORD, newPasswordRepeat: OTHER_PASSWORD };

  // Proves requirement 62.
  test("keeps this browser signed in and ends the other session; tokens are invalid at once", async () => {
    const other = await signIn();
    const here = await signIn();
    const access = await settingsOf(server, anna, here.uid);
    const input = { ...METADATA, ...passwords, password: anna.password, endOthers: true, isProof: false };
    expect(await changePassword(server.context, access, input)).toEqual({ kind: "done" });
    expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
    expect(await findSignedInUser(party, other.browser)).toBe("login_required");
    expect(await isUsable(here.tokens)).toBe(false);
    expect(await isUsable(other.tokens)).toBe(false);
    const [mail] = (await server.mails()).filter(({ subject }) => subject === "Your password was changed");
    expect(mail?.text).toContain("127.0.0.1");
  });

  test("keeps the other browser and its tokens if the box is not ticked", async () => {
    const other = await signIn();
    const here = await signIn();
    const access = await settingsOf(server, anna, here.uid);
    const input = { ...METADATA, ...passwords, password: anna.password, endOthers: false, isProof: false };
    expect(await changePassword(server.context, access, input)).toEqual({ kind: "done" });
    expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
    expect(await findSignedInUser(party, other.browser)).toBe(anna.id);
    expect(await isUsable(other.tokens)).toBe(true);
  });
});

test("a new user name keeps this browser signed in, and works for the next sign-in", async () => {
  const here = await signIn();
  const access = await settingsOf(server, anna, here.uid);
  const username = `${anna.username}.berg`;
  expect(await changeUsername(server.context, access, { ...METADATA, username })).toEqual({ kind: "done" });
  expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
  anna = { ...anna, username };
  expect((await signIn()).tokens.accessToken).not.toBe("");
});

describe("an authenticator app set up in the settings", () => {
  test("counts in this browser, and is required in every other one", async () => {
    const other = await signIn();
    const here = await signIn();
    const access = await settingsOf(server, anna, here.uid);
    const started = await startOwnTotp(server.context, access);
    if (started.kind !== "started") throw new Error(started.kind);
    const code = await testApp(server.clock, started.secretBase32).code();
    expect(await finishOwnTotp(server.context, access, { ...METADATA, code })).toEqual({ kind: "done" });
    expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
    expect(await findSignedInUser(party, other.browser)).toBe("login_required");
    const removed = await removeOwnTotp(server.context, await settingsOf(server, anna, here.uid), METADATA);
    expect(removed).toEqual({ kind: "done" });
    expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
  });
});

describe("the sessions of a user", () => {
  // Proves requirement 63.
  test("list application, browser, address and times of use", async () => {
    const other = await signIn();
    const here = await signIn();
    server.clock.advance(600);
    const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    await other.browser.get(party.request({ prompt: "none" }).url, { headers: { "user-agent": userAgent } });
    const sessions = await listOwnSessions(server.context, await settingsOf(server, anna, here.uid));
    const now = server.clock.now().getTime();
    expect(sessions).toMatchObject([
      { id: here.uid, isThis: true, browser: { name: null, system: null }, address: "127.0.0.1" },
      { id: other.uid, isThis: false, browser: { name: "Firefox", system: "Linux" } },
    ]);
    expect(sessions.map(({ lastUsedAt }) => now - lastUsedAt.getTime())).toEqual([600_000, 0]);
    expect(sessions.map(({ since }) => now - since.getTime())).toEqual([600_000, 605_000]);
    expect(sessions[0]?.applications).toHaveLength(1);
  });

  // Proves requirement 63.
  test("can be ended one by one: the browser is signed out, its tokens are invalid, and the application gets a logout", async () => {
    const other = await signIn();
    const here = await signIn();
    const access = await settingsOf(server, anna, here.uid);
    expect(await endOwnSession(server.context, access, { ...METADATA, id: other.uid })).toEqual({ kind: "done" });
    expect(await findSignedInUser(party, other.browser)).toBe("login_required");
    expect(await isUsable(other.tokens)).toBe(false);
    expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
    expect(await isUsable(here.tokens)).toBe(true);
    const { sid } = decodeJwt(other.tokens.idToken);
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sub: anna.id, sid }]);
  });

  // Proves requirement 63.
  test("can be ended except this one, whose tokens stay valid", async () => {
    const others = [await signIn(), await signIn()];
    const here = await signIn();
    const access = await settingsOf(server, anna, here.uid);
    expect(await endOtherSessions(server.context, access, METADATA)).toEqual({ kind: "done" });
    const sids = others.map(({ tokens }) => decodeJwt(tokens.idToken).sid);
    expect((await receiver.receive(2, anna.id)).map(({ sid }) => sid).toSorted()).toEqual(sids.toSorted());
    for (const other of others) {
      expect(await findSignedInUser(party, other.browser)).toBe("login_required");
      expect(await isUsable(other.tokens)).toBe(false);
    }
    expect(await isUsable(here.tokens)).toBe(true);
    expect(await findSignedInUser(party, here.browser)).toBe(anna.id);
  });
});

// Proves requirement 99.
test("a withdrawn consent invalidates the application's tokens at once, and consent is requested again", async () => {
  const here = await signIn();
  const request = thirdParty.request({ scope: "openid email offline_access", prompt: "consent" });
  const tokens = await seedTokens(server, here.browser, thirdParty, request, anna);
  expect(await isUsable(tokens, thirdParty)).toBe(true);
  const access = await settingsOf(server, anna, here.uid);
  const [consent] = await listOwnConsents(server.context, access);
  expect(consent?.scopes).toEqual(expect.arrayContaining(["email", "offline_access"]));
  const clientId = consent?.clientId ?? "";
  expect(await withdrawConsent(server.context, access, { ...METADATA, clientId })).toEqual({ kind: "done" });
  expect(await isUsable(tokens, thirdParty)).toBe(false);
  expect((await thirdParty.refresh(tokens.refreshToken ?? "")).json()).toMatchObject({ error: "invalid_grant" });
  expect(hasForm(await open(here.browser, thirdParty.request({ scope: "openid email" }).url), "/consent/accept")).toBe(
    true,
  );
  expect(await listOwnConsents(server.context, access)).toEqual([]);
  expect(await isUsable(here.tokens)).toBe(true);
});
