import { describe, expect, test } from "vitest";
import { useOtherAccount } from "#tests/http/login/other-account.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { allow, followRedirects, obtainTokens, open, signIn, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();

const at = eachTest(async () => {
  const anna = await server.users.create();
  const party = await server.parties.create();
  /** A browser without a session, and one in which Anna is signed in. */
  const [fresh, annas] = [server.browser(), server.browser()];
  await signIn(annas, party.request(), anna);
  return { anna, party, fresh, annas };
});

describe("prompt=none", () => {
  test("issues a code without a page for a signed-in user with consent", async () => {
    const response = await at.annas.get(at.party.request({ prompt: "none" }).url);
    expect(response.status).toBe(303);
    expect(redirectParameters(response)).toHaveProperty("code");
  });

  // Proves requirement 107.
  test("is login_required if no user is signed in", async () => {
    const request = at.party.request({ prompt: "none" });
    const { error, state, iss, code } = redirectParameters(await at.fresh.get(request.url));
    expect({ error, state, iss, code }).toEqual({ error: "login_required", state: request.state, iss: server.url });
  });

  test("is consent_required without consent", async () => {
    const other = await server.parties.create();
    expect(redirectParameters(await at.annas.get(other.request({ prompt: "none" }).url))).toMatchObject({
      error: "consent_required",
    });
    const more = at.party.request({ prompt: "none", scope: "openid email" });
    expect(redirectParameters(await at.annas.get(more.url))).toMatchObject({ error: "consent_required" });
  });

  test("succeeds without a page for an application with account confirmation", async () => {
    const careful = await server.parties.create({ confirmAccount: true, firstParty: true });
    expect(redirectParameters(await at.annas.get(careful.request({ prompt: "none" }).url))).toHaveProperty("code");
  });

  test("with another value is refused", async () => {
    for (const prompt of ["none login", "consent none"]) {
      expect(redirectParameters(await at.annas.get(at.party.request({ prompt }).url))).toMatchObject({
        error: "invalid_request",
      });
    }
  });

  test("never returns a page", async () => {
    const response = await at.fresh.get(at.party.request({ prompt: "none" }).url);
    expect(response.body).not.toContain("<form");
  });
});

describe("prompt=login", () => {
  test("requires the password although the user is signed in, and updates auth_time", async () => {
    const before = await obtainTokens(at.annas, at.party, at.party.request(), at.anna);
    server.clock.advance(300);
    const request = at.party.request({ prompt: "login" });
    const form = await open(at.annas, request.url);
    expect(hasForm(form, "/login/native")).toBe(true);
    const end = await typePassword(at.annas, form, at.anna);

    const response = await at.party.exchange(codeOf(end), request);
    const [old, renewed] = await Promise.all(
      [before.idToken, String(response.json().id_token)].map(
        async (token) => (await at.party.verifyIdToken(token)).payload,
      ),
    );
    expect(Number(renewed?.auth_time) - Number(old?.auth_time)).toBe(300);
  });

  test("requires a sign-in for each request", async () => {
    await typePassword(at.annas, await open(at.annas, at.party.request({ prompt: "login" }).url), at.anna);
    expect(hasForm(await open(at.annas, at.party.request({ prompt: "login" }).url), "/login/native")).toBe(true);
  });

  test("lets another user sign in: the former session ends", async () => {
    const bernd = await server.users.create();
    const request = at.party.request({ prompt: "login" });
    const question = await typePassword(at.annas, await open(at.annas, request.url), bernd);
    const end = await allow(at.annas, question);
    const { id_token } = (await at.party.exchange(codeOf(end), request)).json();
    expect((await at.party.verifyIdToken(String(id_token))).payload.sub).toBe(bernd.id);
    const silent = at.party.request({ prompt: "none" });
    const tokens = await obtainTokens(at.annas, at.party, silent, bernd);
    expect((await at.party.verifyIdToken(tokens.idToken)).payload.sub).toBe(bernd.id);
  });

  test("with a wrong password issues nothing", async () => {
    const form = await open(at.annas, at.party.request({ prompt: "login" }).url);
    const refused = await typePassword(at.annas, form, { ...at.anna, password: "Wrong-Window-27-Oak" });
    expect([refused.status, refused.location]).toEqual([401, null]);
  });
});

describe("prompt=select_account", () => {
  test("shows the signed-in user; Proceed continues without a password", async () => {
    const page = await open(at.annas, at.party.request({ prompt: "select_account" }).url);
    expect(page.page().state()).toMatchObject({ login_hint: { id: at.anna.id, name: at.anna.displayName } });
    const form = page.page().form("/login/proceed");
    const end = await followRedirects(at.annas, await at.annas.submit(page, form, {}, "Proceed"));
    expect(redirectParameters(end)).toHaveProperty("code");
  });

  test("lets the user sign in to another account", async () => {
    const bernd = await server.users.create();
    const request = at.party.request({ prompt: "select_account" });
    const page = await open(at.annas, request.url);
    const form = await useOtherAccount(at.annas, page);
    const end = await allow(at.annas, await typePassword(at.annas, form, bernd));
    const { id_token } = (await at.party.exchange(codeOf(end), request)).json();
    expect((await at.party.verifyIdToken(String(id_token))).payload.sub).toBe(bernd.id);
  });

  test("shows the sign-in form if no user is signed in", async () => {
    const form = await open(at.fresh, at.party.request({ prompt: "select_account" }).url);
    expect(hasForm(form, "/login/native")).toBe(true);
    expect(hasForm(await typePassword(at.fresh, form, at.anna), "/login/proceed")).toBe(false);
  });

  test("is the default for applications with account confirmation", async () => {
    const careful = await server.parties.create({ confirmAccount: true, firstParty: true });
    expect(hasForm(await open(at.annas, careful.request().url), "/login/proceed")).toBe(true);
  });

  test("does not accept another user name by POST", async () => {
    const bernd = await server.users.create();
    const page = await open(at.annas, at.party.request({ prompt: "select_account" }).url);
    const posted = await at.annas.submit(page, page.page().form("/login/proceed"), { user: bernd.id }, "Proceed");
    expect(posted.location).toBeNull();
    expect(posted.page().state()).toMatchObject({ login_hint: { id: at.anna.id } });
  });
});

describe("prompt=consent", () => {
  test("shows the consent page again for granted scopes", async () => {
    const question = await open(at.annas, at.party.request({ prompt: "consent" }).url);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    expect(redirectParameters(await allow(at.annas, question))).toHaveProperty("code");
  });

  test("together with login requires both", async () => {
    const form = await open(at.annas, at.party.request({ prompt: "login consent" }).url);
    const question = await typePassword(at.annas, form, at.anna);
    expect(hasForm(question, "/consent/accept")).toBe(true);
    expect(redirectParameters(await allow(at.annas, question))).toHaveProperty("code");
  });
});

test("an unknown prompt is refused", async () => {
  const request = at.party.request({ prompt: "create" });
  expect(redirectParameters(await at.annas.get(request.url))).toMatchObject({
    error: "invalid_request",
    state: request.state,
  });
});
