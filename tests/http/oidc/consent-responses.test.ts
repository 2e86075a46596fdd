import { describe, expect, test } from "vitest";
import { eachTest } from "#tests/support/each-test.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { allow, followRedirects, open, seedSignIn, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();

const at = eachTest(async () => {
  const anna = await server.users.create();
  const party = await server.parties.create({ scopes: ["openid", "profile", "email", "orders"] });
  const browser = server.browser();
  const request = party.request({ scope: "openid profile email" });
  /** The consent page for `openid profile email`. */
  const question = await typePassword(browser, await open(browser, request.url), anna);
  return { anna, party, browser, request, question };
});

/** Submits the form with other scopes than it contains. */
async function allowScopes(scopes: readonly string[]) {
  const fields = Object.fromEntries(at.question.page().form("/consent/accept").fields);
  return at.browser.post(`${server.url}/consent/accept`, { ...fields, scopes });
}

describe("Allow", () => {
  test("with more scopes than requested grants the requested ones", async () => {
    const response = await followRedirects(
      at.browser,
      await allowScopes(["openid", "profile", "email", "orders", "permissions"]),
    );
    const tokens = readTokens(await at.party.exchange(codeOf(response), at.request));
    expect(tokens.scope.split(" ").sort()).toEqual(["email", "openid", "profile"]);
    // Scopes that were not shown are not stored either.
    expect(hasForm(await open(at.browser, at.party.request({ scope: "openid orders" }).url), "/consent/accept")).toBe(
      true,
    );
  });

  test.each([[[]], [["openid"]], [["openid", "profile"]], [["profile", "nonsense"]]])(
    "with fewer scopes than requested is refused and grants nothing: %j",
    async (scopes) => {
      const response = await allowScopes(scopes);
      expect([response.status, response.location]).toEqual([400, null]);
      expect(redirectParameters(await open(at.browser, at.party.request({ prompt: "none" }).url))).toMatchObject({
        error: "consent_required",
      });
    },
  );

  test("does not need openid in the form", async () => {
    const response = await followRedirects(at.browser, await allowScopes(["profile", "email"]));
    const tokens = readTokens(await at.party.exchange(codeOf(response), at.request));
    expect(tokens.scope.split(" ")).toContain("openid");
  });

  test("twice, as by a double click, ends at the application or on a helpful page", async () => {
    const form = at.question.page().form("/consent/accept");
    const [first, second] = [await at.browser.submit(at.question, form), await at.browser.submit(at.question, form)];
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(redirectParameters(await followRedirects(at.browser, second))).toHaveProperty("code");
  });

  test("works without JavaScript for a form that is an hour old", async () => {
    server.clock.advance(59 * 60);
    expect(redirectParameters(await allow(at.browser, at.question))).toHaveProperty("code");
  });
});

describe("Reject", () => {
  test("sends access_denied to the application, with state and issuer", async () => {
    const form = at.question.page().form("/consent/reject");
    const response = await at.browser.submit(at.question, form);
    expect(response.status).toBe(303);
    const end = await followRedirects(at.browser, response);
    expect(end.location).toContain(at.party.redirectUri);
    expect(redirectParameters(end)).toMatchObject({ error: "access_denied", state: at.request.state, iss: server.url });
    expect(redirectParameters(end)).not.toHaveProperty("code");
  });

  test("is not remembered: the next request shows the consent page again", async () => {
    await followRedirects(at.browser, await at.browser.submit(at.question, at.question.page().form("/consent/reject")));
    expect(hasForm(await open(at.browser, at.request.url), "/consent/accept")).toBe(true);
  });

  test("uses form_post if the application requested it", async () => {
    const posted = at.party.request({ response_mode: "form_post" });
    const page = await open(at.browser, posted.url);
    const end = await followRedirects(at.browser, await at.browser.submit(page, page.page().form("/consent/reject")));
    expect(Object.fromEntries(end.page().forms()[0]?.fields ?? [])).toMatchObject({
      error: "access_denied",
      state: posted.state,
      iss: server.url,
    });
  });
});

describe("a consent page", () => {
  test("of another browser shows nothing of the request and is not accepted", async () => {
    const thief = server.browser();
    await seedSignIn(server, thief, at.party.request(), await server.users.create());
    const page = await thief.get(at.question.url);
    expect(page.status).toBe(400);
    expect(page.page().state()).toMatchObject({ client: null, scopes: [], error: "challenge" });

    const fields = Object.fromEntries(at.question.page().form("/consent/accept").fields);
    const xsrf_token = String(page.page().state().xsrf_token);
    const posted = await thief.post(`${server.url}/consent/accept`, { ...fields, _xsrf: xsrf_token });
    expect([posted.status, posted.location]).toEqual([400, null]);
  });

  test("is not valid for another user who signed in meanwhile in the same browser", async () => {
    const bernd = await server.users.create();
    await seedSignIn(server, at.browser, at.party.request({ prompt: "login" }), bernd);
    const again = await open(at.browser, at.question.url);
    // Bernd gets a consent request of his own.
    expect(new URL(again.url).searchParams.get("consent_challenge")).not.toBe(
      new URL(at.question.url).searchParams.get("consent_challenge"),
    );
    const old = await at.browser.submit(at.question, at.question.page().form("/consent/accept"));
    expect(old.location === null || !old.location.includes("/oauth2/auth/")).toBe(true);
  });

  test("with a stale or foreign _xsrf is shown again and grants nothing", async () => {
    for (const _xsrf of ["", "nonsense"]) {
      const response = await at.browser.submit(at.question, at.question.page().form("/consent/accept"), { _xsrf });
      expect([response.status, response.location]).toEqual([403, null]);
      expect(response.page().state()).toMatchObject({ error: "xsrf", client: { name: expect.any(String) } });
      expect(redirectParameters(await allow(at.browser, response))).toHaveProperty("code");
      at.question = await open(at.browser, at.party.request({ scope: "openid profile", prompt: "consent" }).url);
    }
  });

  test("that has expired restarts the same request, which can be completed", async () => {
    server.clock.advance(61 * 60);
    const again = await open(at.browser, at.question.url);
    expect(hasForm(again, "/consent/accept")).toBe(true);
    expect(again.page().state()).toMatchObject({ scopes: [{ id: "openid" }, { id: "profile" }, { id: "email" }] });
    const end = await allow(at.browser, again);
    expect(redirectParameters(end)).toMatchObject({ state: at.request.state, iss: server.url });
    expect((await at.party.exchange(codeOf(end), at.request)).status).toBe(200);
  });

  test("that has expired is shown again when the form is submitted late", async () => {
    server.clock.advance(61 * 60);
    const response = await followRedirects(
      at.browser,
      await at.browser.submit(at.question, at.question.page().form("/consent/accept")),
    );
    expect(hasForm(response, "/consent/accept")).toBe(true);
    expect(redirectParameters(await allow(at.browser, response))).toMatchObject({ state: at.request.state });
  });

  test("with an invalid challenge shows a page with a link", async () => {
    for (const challenge of ["", "nonsense", "a.b", `${"x".repeat(21)}.${"y".repeat(43)}`]) {
      const page = await at.browser.get(`${server.url}/consent?consent_challenge=${encodeURIComponent(challenge)}`);
      expect(page.status).toBe(400);
      expect(page.page().state()).toMatchObject({ error: "challenge", client: null, scopes: [] });
    }
  });

  test("does not accept the challenge of a sign-in", async () => {
    const login = await open(server.browser(), at.party.request().url);
    const challenge = new URL(login.url).searchParams.get("login_challenge") ?? "";
    const page = await at.browser.get(`${server.url}/consent?consent_challenge=${encodeURIComponent(challenge)}`);
    expect(page.status).toBe(400);
  });
});
