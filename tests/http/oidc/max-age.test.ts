import { beforeEach, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browser-jar.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { allow, open, signIn, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

let browser: Browser;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create();

beforeEach(async () => {
  browser = server.browser();
  await signIn(browser, party.request(), anna);
});

test("a sign-in younger than max_age is used", async () => {
  server.clock.advance(599);
  expect(redirectParameters(await open(browser, party.request({ max_age: "600" }).url))).toHaveProperty("code");
});

test("a sign-in older than max_age requires the password; auth_time is that of the new sign-in", async () => {
  server.clock.advance(601);
  const request = party.request({ max_age: "600" });
  const form = await open(browser, request.url);
  expect(hasForm(form, "/login/native")).toBe(true);
  const { idToken } = readTokens(await party.exchange(codeOf(await typePassword(browser, form, anna)), request));
  const { payload } = await party.verifyIdToken(idToken);
  expect(payload.auth_time).toBe(Math.floor(server.clock.now().getTime() / 1000));
});

describe("a max_age that passes on the consent page", () => {
  const scope = "openid profile";

  async function allowTooLate() {
    const bob = await server.users.create();
    const client = await server.parties.create();
    const request = client.request({ scope, max_age: "60", prompt: "consent" });
    const question = await open(browser, request.url);
    server.clock.advance(61);
    const form = await allow(browser, question);
    expect(hasForm(form, "/login/native")).toBe(true);
    return { bob, client, request, form };
  }

  test("keeps the consent of a user who signs in again", async () => {
    const { client, request, form } = await allowTooLate();
    const code = codeOf(await typePassword(browser, form, anna));
    expect(readTokens(await client.exchange(code, request)).scope).toBe(scope);
  });

  test("asks another user who signs in for a consent", async () => {
    const { bob, client, request, form } = await allowTooLate();
    const question = await typePassword(browser, form, bob);
    expect([question.status, hasForm(question, "/consent/accept")]).toEqual([200, true]);
    const { accessToken } = readTokens(await client.exchange(codeOf(await allow(browser, question)), request));
    expect((await client.userinfo(accessToken)).json()).toMatchObject({ sub: bob.id });
  });
});

// Proves requirement 107.
test("max_age=0 always requires the password", async () => {
  expect(hasForm(await open(browser, party.request({ max_age: "0" }).url), "/login/native")).toBe(true);
});

test("max_age together with prompt=none is login_required once the sign-in is too old", async () => {
  expect(redirectParameters(await open(browser, party.request({ max_age: "60", prompt: "none" }).url))).toHaveProperty(
    "code",
  );
  server.clock.advance(61);
  const late = await open(browser, party.request({ max_age: "60", prompt: "none" }).url);
  expect(redirectParameters(late)).toMatchObject({ error: "login_required", iss: server.url });
});

test("max_age=0 together with prompt=none issues no code", async () => {
  const response = await open(browser, party.request({ max_age: "0", prompt: "none" }).url);
  expect(redirectParameters(response)).toMatchObject({
    error: expect.stringMatching(/^(login_required|invalid_request)$/),
  });
});

test("a max_age that is not a number of seconds is refused", async () => {
  for (const max_age of ["-1", "1.5", "soon", "99999999999999999999"]) {
    const response = await open(browser, party.request({ max_age }).url);
    expect(redirectParameters(response)).toMatchObject({ error: "invalid_request" });
  }
});

test("an ID token always contains the time of the sign-in, also after hours of single sign-on", async () => {
  const signedInAt = Math.floor(server.clock.now().getTime() / 1000);
  server.clock.advance(3_600);
  const request = party.request();
  const { idToken } = readTokens(await party.exchange(codeOf(await open(browser, request.url)), request));
  expect((await party.verifyIdToken(idToken)).payload.auth_time).toBe(signedInAt);
});
