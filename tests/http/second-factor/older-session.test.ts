import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { setGroup } from "#app/domain/group/set.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf, stateOf } from "#tests/http/login/open-form.ts";
import { allow, followRedirects, obtainTokens, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveKey, giveTotp, type TestApp, testApp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { startCeremony, statusAndBody } from "./calls.ts";
import { finish, openStep, readStep } from "./steps.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Anna signed in a minute ago with only her password. */
const at = eachTest(async () => {
  const anna = await server.users.create();
  const browser = server.browser();
  codeOf(await signIn(browser, party.request(), anna));
  server.clock.advance(60);
  return { anna, browser };
});

async function openAgain() {
  const page = await open(at.browser, party.request().url);
  expect(new URL(page.url).pathname).toBe("/mfa/verify");
  return readStep(at.browser, page);
}

describe("a session with the password only, when the user has a factor", () => {
  // Proves requirement 25.
  test("is not accepted with prompt=none until the factor was verified", async () => {
    expect(await findSignedInUser(party, at.browser)).toBe(at.anna.id);
    const app = await giveTotp(server, at.anna);
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
    const step = await openAgain();
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
    expect(await findSignedInUser(party, at.browser)).toBe(at.anna.id);
  });

  test("requires a security key alone as well", async () => {
    const key = await giveKey(server, at.anna);
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
    const step = await openAgain();
    codeOf(await finish(step, await step.call("/mfa/verify-fido2", key.assert(await startCeremony(step)))));
  });

  test("does not live longer for it: its time is that of the password", async () => {
    const app = await giveTotp(server, at.anna);
    server.clock.advance(60 * 60);
    const step = await openAgain();
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
    const page = await open(at.browser, party.request({ max_age: "600" }).url);
    expect(hasForm(page, "/login/native")).toBe(true);
  });

  test("issues no code for a consent that was requested before", async () => {
    const stranger = await server.parties.create();
    const question = await open(at.browser, stranger.request().url);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    await giveTotp(server, at.anna);
    const end = await allow(at.browser, question);
    expect([end.location, new URL(end.url).origin]).toEqual([null, server.url]);
    expect(redirectParameters(await at.browser.get(stranger.request({ prompt: "none" }).url))).toMatchObject({
      error: "login_required",
    });
  });

  // Proves requirement 22.
  test("requires the factor with 'Proceed' too, also on a page that was opened before", async () => {
    const page = await open(at.browser, party.request({ prompt: "select_account" }).url);
    expect(hasForm(page, "/login/proceed")).toBe(true);
    const app = await giveTotp(server, at.anna);
    const secondStep = await followRedirects(
      at.browser,
      await at.browser.submit(page, page.page().form("/login/proceed"), {}, "Proceed"),
    );
    expect(new URL(secondStep.url).pathname).toBe("/mfa/verify");
    const step = readStep(at.browser, secondStep);
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
  });

  test("without the second step stays as it was, and is not accepted", async () => {
    await giveTotp(server, at.anna);
    const step = await openAgain();
    expect((await step.post("/mfa/verify", { code: "000000" })).status).toBe(400);
    expect(refusalOf(await step.post("/mfa/verify"))).toEqual({ status: 403, error: "xsrf" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });

  test("cannot set up a factor of its own in place of the one there is", async () => {
    await giveTotp(server, at.anna);
    const step = await openAgain();
    expect(statusAndBody(await step.call("/mfa/init-totp"))).toEqual([403, { error: "factor already registered" }]);
    expect(statusAndBody(await step.call("/mfa/init-fido2-registration"))).toEqual([
      403,
      { error: "factor already registered" },
    ]);
  });

  test("still asks for the password with prompt=login", async () => {
    await giveTotp(server, at.anna);
    expect(hasForm(await open(at.browser, party.request({ prompt: "login" }).url), "/login/native")).toBe(true);
  });

  test("ends with a set-up in another browser: the password is required again", async () => {
    const { name } = await server.groups.create();
    await joinGroup(name);
    await setGroup(server.context, name, { requireMfa: true });
    const elsewhere = await openStep(server.browser(), party.request().url, at.anna);
    const { secret } = Object((await elsewhere.call("/mfa/init-totp")).json());
    const code = await testApp(server.clock, String(secret)).code();
    codeOf(await finish(elsewhere, await elsewhere.call("/mfa/setup-totp", { code })));
    expect(hasForm(await open(at.browser, party.request().url), "/login/native")).toBe(true);
  });
});

async function joinGroup(name: string) {
  const { t, q } = server.context.store;
  const [group] = await q.select().from(t.groups).where(eq(t.groups.name, name));
  await q
    .update(t.users)
    .set({ groupId: group?.id ?? null })
    .where(eq(t.users.id, at.anna.id));
}

describe("a policy that changes while users are signed in", () => {
  test("of the group requires the second step, and none after its removal", async () => {
    const { name } = await server.groups.create();
    await joinGroup(name);
    expect(await findSignedInUser(party, at.browser)).toBe(at.anna.id);
    await setGroup(server.context, name, { requireMfa: true });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
    const step = await openAgain();
    expect(stateOf(step.page)).toMatchObject({ totpRegistered: false, fido2Registered: false });
    await setGroup(server.context, name, { requireMfa: false });
    expect(await findSignedInUser(party, at.browser)).toBe(at.anna.id);
  });

  test.each([
    [
      "a new rule of the user's group",
      async (group: string) => {
        await joinGroup(group);
        await setGroup(server.context, group, { requireMfa: true });
      },
    ],
    [
      "a move into a group with the rule",
      async (group: string) => {
        await setGroup(server.context, group, { requireMfa: true });
        await joinGroup(group);
      },
    ],
  ])("by %s ends refresh tokens of sign-ins with one factor, and no others", async (_name, change) => {
    const offline = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });
    const request = () => offline.request({ scope: "openid offline" });
    const { refreshToken: withPassword } = await obtainTokens(at.browser, offline, request(), at.anna);
    const { name } = await server.groups.create();
    await change(name);
    expect((await offline.refresh(withPassword)).error()).toBe("invalid_grant");

    const step = await openAgain();
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(server.clock, String(secret)).code();
    codeOf(await finish(step, await step.call("/mfa/setup-totp", { code })));
    const { refreshToken: withFactor } = await obtainTokens(at.browser, offline, request(), at.anna);
    expect((await offline.refresh(withFactor)).status).toBe(200);
  });

  test("does not affect a sign-in with two factors", async () => {
    const app: TestApp = await giveTotp(server, at.anna);
    const step = await openAgain();
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
    const { name } = await server.groups.create({ requireMfa: true });
    await joinGroup(name);
    expect(await findSignedInUser(party, at.browser)).toBe(at.anna.id);
  });
});

describe("a session with two factors", () => {
  test("that signs in again requires them again", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openAgain();
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
    const page = await open(at.browser, party.request({ prompt: "login" }).url);
    const secondStep = await typePassword(at.browser, page, at.anna);
    expect(new URL(secondStep.url).pathname).toBe("/mfa/verify");
    expect(refusalOf(await readStep(at.browser, secondStep).post("/mfa/verify"))).toEqual({
      status: 400,
      error: "invalid verification code",
    });
  });
});
