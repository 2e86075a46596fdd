import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, FormValues } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import type { AuthorizationRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { findSignedInUser } from "./live-session.ts";
import { openForm, stateOf, tokensOf } from "./open-form.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

const at = eachTest(async () => {
  const [anna, bernd] = [await server.users.create(), await server.users.create()];
  const browser = server.browser();
  await signIn(browser, party.request(), anna);
  return { anna, bernd, browser };
});

type Question = { request: AuthorizationRequest; post(changes?: FormValues): ReturnType<Browser["post"]> };

/** Opens "You are logged in as"; `post` sends its form with changes. */
async function openAccountPrompt(): Promise<Question> {
  const request = party.request({ prompt: "select_account" });
  const page = await open(at.browser, request.url);
  const { login_challenge, xsrf_token: _xsrf } = tokensOf(page);
  const fields = { _xsrf, login_challenge, user: at.anna.id, proceed: "1" };
  return { request, post: (changes = {}) => at.browser.post("/login/proceed", { ...fields, ...changes }) };
}

test("proceeding ends at the request, without a password", async () => {
  const { request, post } = await openAccountPrompt();
  const response = await post();
  expect(response.status).toBe(303);
  expect(redirectParameters(await followRedirects(at.browser, response))).toMatchObject({
    state: request.state,
    code: expect.any(String),
  });
});

test("proceeding twice redirects to the same URL", async () => {
  const { post } = await openAccountPrompt();
  const [first, second] = [await post(), await post()];
  expect([second.status, second.location]).toEqual([303, first.location]);
});

test.each(["0", "", "2", "true", "1 ", "yes"])("any other value of proceed shows the form: %j", async (proceed) => {
  const { post } = await openAccountPrompt();
  const page = await followRedirects(at.browser, await post({ proceed }));
  expect([page.status, page.page().form("/login/native").method]).toEqual([200, "post"]);
  expect(stateOf(page)).not.toHaveProperty("login_hint");
  const end = await typePassword(at.browser, page, at.bernd);
  expect(redirectParameters(end)).toHaveProperty("code");
  expect(await findSignedInUser(party, at.browser)).toBe(at.bernd.id);
});

describe("proceeding is refused, and the page is shown again", () => {
  test("for another user's account", async () => {
    const { post } = await openAccountPrompt();
    const page = await post({ user: at.bernd.id });
    expect(page.location).toBeNull();
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(page.page().form("/login/proceed").fields).toContainEqual(["user", at.anna.id]);
    expect(page.body).not.toContain(at.bernd.id);
  });

  test.each([[""], ["nobody"], ["'; drop table users; --"]])("for the account %j", async (user) => {
    const { post } = await openAccountPrompt();
    const page = await post({ user });
    expect([page.location, page.status >= 400 && page.status < 500]).toEqual([null, true]);
  });

  test("with a user name in place of the account's id", async () => {
    const { post } = await openAccountPrompt();
    expect((await post({ user: at.anna.username })).location).toBeNull();
  });
});

describe("proceeding needs a valid session", () => {
  test("not one that ended while the page was open", async () => {
    const { post } = await openAccountPrompt();
    at.browser.jar.clear("gatehouse_session");
    const page = await followRedirects(at.browser, await post());
    expect(new URL(page.url).origin).toBe(server.url);
    expect(stateOf(page)).not.toHaveProperty("login_hint");
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });

  test("not one whose user was blocked while the page was open", async () => {
    const { post } = await openAccountPrompt();
    const { t, q } = server.context.store;
    await q.update(t.users).set({ status: "blocked" }).where(eq(t.users.id, at.anna.id)).returning();
    const page = await followRedirects(at.browser, await post());
    expect(new URL(page.url).origin).toBe(server.url);
    expect(page.body).not.toContain(at.anna.displayName);
  });

  test("not one of another user who signed in in another tab in the meantime", async () => {
    const { post } = await openAccountPrompt();
    const tab = await open(at.browser, party.request({ prompt: "login" }).url);
    await typePassword(at.browser, tab, at.bernd);
    const page = await post();
    expect(page.location).toBeNull();
    expect(stateOf(page)).not.toMatchObject({ login_hint: { id: at.anna.id } });
  });
});

test("a page that was opened for one user can be used by the user who signed in in the meantime", async () => {
  const request = party.request({ prompt: "select_account" });
  const page = await open(at.browser, request.url);
  await typePassword(at.browser, await open(at.browser, party.request({ prompt: "login" }).url), at.bernd);
  const reloaded = await at.browser.get(page.url);
  expect(stateOf(reloaded)).toMatchObject({ login_hint: { id: at.bernd.id } });
  const end = await followRedirects(
    at.browser,
    await at.browser.submit(reloaded, reloaded.page().form("/login/proceed"), {}, "Proceed"),
  );
  expect(redirectParameters(end)).toMatchObject({ state: request.state, code: expect.any(String) });
});

describe("a request that asks for the password", () => {
  test("cannot be passed by proceeding", async () => {
    const form = await openForm(at.browser, party.request({ prompt: "login" }).url);
    const fields = { _xsrf: form.xsrf, login_challenge: form.challenge, user: at.anna.id, proceed: "1" };
    const page = await at.browser.post("/login/proceed", fields);
    expect(page.location).toBeNull();
    expect(page.page().form("/login/native").method).toBe("post");
  });

  test("cannot be passed by proceeding where the session is too old for it", async () => {
    server.clock.advance(120);
    const form = await openForm(at.browser, party.request({ max_age: "60" }).url);
    const fields = { _xsrf: form.xsrf, login_challenge: form.challenge, user: at.anna.id, proceed: "1" };
    expect((await at.browser.post("/login/proceed", fields)).location).toBeNull();
  });
});
