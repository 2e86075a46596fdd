import { beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf, tokensOf } from "#tests/http/login/open-form.ts";
import { open, seedSignIn, seedTokens } from "#tests/http/oidc/browser-steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";

const LOGOUT = "/oauth2/sessions/logout";
let browser: Browser;
let attacker: Browser;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });
const [anna, mallory] = [await server.users.create(), await server.users.create()];

beforeEach(async () => {
  [browser, attacker] = [server.browser(), server.browser()];
  await seedSignIn(server, browser, party.request(), anna);
  await seedSignIn(server, attacker, party.request(), mallory);
});

const stillSignedIn = async () => expect(await findSignedInUser(party, browser)).toBe(anna.id);

async function pendingIn(browserOfUser: Browser) {
  const { logout_challenge, xsrf_token: _xsrf } = tokensOf(await open(browserOfUser, LOGOUT));
  return { logout_challenge, _xsrf };
}

describe("a sign-out that another site starts", () => {
  test.each(["GET", "POST"])("is only a question: %s", async (method) => {
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "https://evil.example" };
    const response = await browser.send(method, LOGOUT, method === "POST" ? "" : null, { headers });
    expect(response.status).toBe(303);
    await stillSignedIn();
  });

  test("cannot be confirmed by it", async () => {
    const { logout_challenge } = await pendingIn(browser);
    const fields = { logout_challenge, _xsrf: (await pendingIn(attacker))._xsrf };
    const foreign = await browser.post("/logout/accept", fields, { headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
    await stillSignedIn();
  });

  test("cannot be confirmed by a page of ours that it loads", async () => {
    const { logout_challenge, _xsrf } = await pendingIn(browser);
    const query = new URLSearchParams({ logout_challenge, _xsrf, logout: "yes", xsrf: logout_challenge });
    for (const path of ["/logout", "/logout/accept", "/logout/reject", "/logout/callback", `${LOGOUT}/confirm`]) {
      await browser.get(`${path}?${query}`);
    }
    await stillSignedIn();
  });

  test("cannot be confirmed at the engine's own address without the session's secret", async () => {
    await pendingIn(browser);
    for (const xsrf of ["", "guessed", (await pendingIn(attacker)).logout_challenge]) {
      await browser.post(`${LOGOUT}/confirm`, { xsrf, logout: "yes" }, { headers: { origin: "https://evil.example" } });
    }
    await stillSignedIn();
  });

  test("asks for confirmation with an ID token of another user", async () => {
    const { idToken } = await seedTokens(server, attacker, party, party.request(), mallory);
    const page = await open(browser, `${LOGOUT}?${new URLSearchParams({ id_token_hint: idToken })}`);
    await stillSignedIn();
    expect([page.status < 500, page.location]).toEqual([true, null]);
  });

  test.each(["garbage", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."])(
    "asks for confirmation or refuses with the ID token %s",
    async (idToken) => {
      const page = await open(browser, `${LOGOUT}?${new URLSearchParams({ id_token_hint: idToken })}`);
      expect(page.status).toBeLessThan(500);
      await stillSignedIn();
    },
  );

  test("does not redirect to an unregistered URI", async () => {
    for (const uri of ["https://evil.example/", "http://localhost:9/other", `${party.redirectUri}`]) {
      const query = new URLSearchParams({ client_id: party.clientId, post_logout_redirect_uri: uri });
      const page = await open(browser, `${LOGOUT}?${query}`);
      expect([uri, page.status, page.location]).toEqual([uri, 200, null]);
      expect(String(page.headers["content-security-policy"])).not.toContain("evil.example");
    }
    await stillSignedIn();
  });
});

describe("a logout challenge", () => {
  test("that was forged is a 400", async () => {
    const { logout_challenge, _xsrf } = await pendingIn(browser);
    const forged = [
      "",
      "nothing",
      logout_challenge.slice(1),
      `${logout_challenge}0`,
      logout_challenge.toUpperCase(),
      "0".repeat(logout_challenge.length),
    ];
    for (const challenge of forged) {
      for (const path of ["/logout/accept", "/logout/reject"]) {
        const posted = await browser.post(path, { logout_challenge: challenge, _xsrf });
        expect([challenge, refusalOf(posted)]).toEqual([challenge, { status: 400, error: "challenge" }]);
      }
    }
    await stillSignedIn();
  });

  test("of another browser is a 400, in both directions", async () => {
    const [own, his] = [await pendingIn(browser), await pendingIn(attacker)];
    const lured = await browser.post("/logout/accept", { ...own, logout_challenge: his.logout_challenge });
    const stolen = await attacker.post("/logout/accept", { ...his, logout_challenge: own.logout_challenge });
    expect([refusalOf(lured), refusalOf(stolen)]).toEqual(Array(2).fill({ status: 400, error: "challenge" }));
    expect(await findSignedInUser(party, attacker)).toBe(mallory.id);
    await stillSignedIn();
  });

  test("shows nothing of a session in another browser", async () => {
    const { logout_challenge } = await pendingIn(browser);
    const page = await server.browser().get(`/logout?logout_challenge=${logout_challenge}`);
    expect(refusalOf(page)).toEqual({ status: 400, error: "challenge" });
    expect(page.body).not.toContain(anna.displayName);
  });

  test("works once", async () => {
    const pending = await pendingIn(browser);
    expect((await browser.post("/logout/accept", pending)).status).toBe(303);
    await seedSignIn(server, browser, party.request(), anna);
    const { _xsrf } = await pendingIn(browser);
    const again = await browser.post("/logout/accept", { ...pending, _xsrf });
    expect(refusalOf(again)).toEqual({ status: 400, error: "challenge" });
    await stillSignedIn();
  });
});
