import { describe, expect, test } from "vitest";
import { createSettingsToken, SETTINGS_LINK_SECONDS } from "#app/domain/access/token.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf, RETURN_URL, TOKEN_CALL } from "./steps.ts";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
const at = eachTest(async () => ({ anna: await server.users.create(), browser: server.browser() }));

const OUT = "/manage/error/unauthorized";

/** Expects the redirect for a browser without access. */
async function expectOut(visitor: Browser, path = "/manage"): Promise<void> {
  const response = await visitor.get(path);
  expect([response.status, pathOf(response)]).toEqual([303, OUT]);
}

describe("an application's call for the settings", () => {
  // Proves requirement 66.
  test("opens them in its user's browser; the token is removed from the URL at once, and is never in the log", async () => {
    const url = await settingsClient.settingsUrl(await settingsClient.signIn(at.browser, at.anna));
    expect(url).toMatch(/^http:\/\/localhost:\d+\/manage\?t=[\w-]{43}$/);
    const redirect = await at.browser.get(url);
    expect([redirect.status, pathOf(redirect)]).toEqual([303, "/manage"]);
    expect(redirect.setCookies.join()).toMatch(
      /gatehouse_settings=[\w-]{43}; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax/,
    );
    const page = await at.browser.follow(redirect);
    expect(page.status).toBe(200);
    expect(page.page().text).toContain(at.anna.username);
    expect(stateOf(page)).toMatchObject({
      user_id: at.anna.id,
      display_name: at.anna.displayName,
      picture: null,
      return_to_url: RETURN_URL,
      token: expect.stringMatching(/^[\w~-]+\.0\.[\w-]{43}$/),
    });
    expect(page.page().one("a", { href: RETURN_URL }).text).toMatch(/^Application \d+$/);
    const t = new URL(url).searchParams.get("t") ?? "";
    expect(JSON.stringify(server.lines())).not.toContain(t);
  });

  test("keeps the rest of the address, and opens any page of the settings", async () => {
    const url = new URL(await settingsClient.settingsUrl(await settingsClient.signIn(at.browser, at.anna)));
    url.searchParams.set("status", "account-security");
    expect(pathOf(await at.browser.get(url.href))).toBe("/manage?status=account-security");
  });

  test("is single-use, in one browser, and valid for a minute", async () => {
    const accessToken = await settingsClient.signIn(at.browser, at.anna);
    const copy = server.browser();
    const url = await settingsClient.settingsUrl(accessToken);
    const responses = await Promise.all([at.browser.get(url), copy.get(url), at.browser.get(url)]);
    const targets = responses.map(pathOf).sort();
    expect(targets.filter((target) => target === OUT)).toHaveLength(2);
    expect(pathOf(await at.browser.get(url))).toBe(OUT);
    const late = await settingsClient.settingsUrl(accessToken);
    server.clock.advance(61);
    expect(pathOf(await at.browser.get(late))).toBe(OUT);
  });

  test("opens nothing in a browser where another user is signed in", async () => {
    const bert = await server.users.create();
    const other = server.browser();
    await settingsClient.signIn(other, bert);
    const url = await settingsClient.settingsUrl(await settingsClient.signIn(at.browser, at.anna));
    expect(pathOf(await other.get(url))).toBe(OUT);
    await expectOut(other);
    // The token is used up.
    expect(pathOf(await at.browser.get(url))).toBe(OUT);
  });

  test.each([
    ["a sign-out", async () => void (await followRedirects(at.browser, await acceptLogout()))],
    ["a new password", async () => setUserPassword(server.context, at.anna.username, "Another-Window-28-Elm")],
    ["a block", async () => blockUser(server.context, at.anna.username)],
  ])("dies with %s, unspent or open", async (_what, end) => {
    const accessToken = await settingsClient.signIn(at.browser, at.anna);
    await at.browser.follow(await at.browser.get(await settingsClient.settingsUrl(accessToken)));
    expect((await at.browser.get("/manage")).status).toBe(200);
    const unspent = await settingsClient.settingsUrl(accessToken);
    await end();
    await expectOut(at.browser);
    expect(pathOf(await server.browser().get(unspent))).toBe(OUT);
  });

  async function acceptLogout(): Promise<HttpResponse> {
    const page = await open(at.browser, settingsClient.party.logoutUrl());
    return at.browser.submit(page, page.page().form("/logout/accept"));
  }

  test("does not open the settings with a token of another kind", async () => {
    const page = await open(at.browser, settingsClient.party.request().url);
    const { login_challenge } = stateOf(page);
    for (const t of [String(login_challenge), "", "x", "a".repeat(43)]) {
      expect(pathOf(await at.browser.get(`/manage?${new URLSearchParams({ t })}`))).toBe(OUT);
    }
    await expectOut(at.browser);
  });
});

describe("the call itself", () => {
  // Proves requirement 115.
  test.each([
    "//evil.example/",
    "https:evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "http://localhost:9@evil.example/desk/profile?from=settings",
    `${RETURN_URL}\r\nSet-Cookie: a=b`,
    `${RETURN_URL}/`,
    RETURN_URL.toUpperCase(),
    "http://localhost:9/desk/profile",
    "https://evil.example/desk/profile?from=settings",
  ])("refuses the return URL %j", async (returnUrl) => {
    const accessToken = await settingsClient.signIn(at.browser, at.anna);
    const response = await settingsClient.party.post(TOKEN_CALL, {
      access_token: accessToken,
      return_to_url: returnUrl,
    });
    expect([response.status, response.json()]).toEqual([400, { error: "redirect uri is invalid" }]);
  });

  test("is for clients that may, and for their own tokens", async () => {
    const accessToken = await settingsClient.signIn(at.browser, at.anna);
    const stranger = await server.parties.create();
    const asStranger = await stranger.post(TOKEN_CALL, { access_token: accessToken, return_to_url: RETURN_URL });
    expect([asStranger.status, asStranger.error()]).toEqual([403, "unauthorized"]);
    const secondDesk = await createSettingsClient(server);
    const asOther = await secondDesk.party.post(TOKEN_CALL, { access_token: accessToken, return_to_url: RETURN_URL });
    expect([asOther.status, asOther.error()]).toEqual([403, "unauthorized"]);
    const wrong = await settingsClient.party.post(TOKEN_CALL, {
      access_token: `${accessToken}x`,
      return_to_url: RETURN_URL,
    });
    expect([wrong.status, wrong.error()]).toEqual([403, "unauthorized"]);
  });

  test("wants the client's secret, a form, and POST", async () => {
    const fields = { access_token: await settingsClient.signIn(at.browser, at.anna), return_to_url: RETURN_URL };
    const headers = {
      authorization: `Basic ${Buffer.from(`${settingsClient.party.clientId}:wrong`).toString("base64")}`,
    };
    const signedOutBrowser = server.browser();
    const post = (body: string, type: string, more: Record<string, string> = {}) =>
      signedOutBrowser.send("POST", TOKEN_CALL, body, { headers: { "content-type": type, ...more } });
    const form = new URLSearchParams(fields).toString();
    const responses = [
      await post(form, "application/x-www-form-urlencoded"),
      await post(form, "application/x-www-form-urlencoded", headers),
      await post(JSON.stringify(fields), "application/json"),
      await signedOutBrowser.get(TOKEN_CALL),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 415, 405]);
    expect((await settingsClient.party.post(TOKEN_CALL, { return_to_url: RETURN_URL })).status).toBe(400);
  });

  test("is refused when the session has ended, though the token is good still", async () => {
    const party = await server.parties.create({
      scopes: ["openid", "offline"],
      firstParty: true,
      mayOpenSettings: true,
    });
    const page = await typePassword(
      at.browser,
      await open(at.browser, party.request({ scope: "openid offline" }).url),
      at.anna,
    );
    expect(page.location).not.toBeNull();
    const request = party.request({ scope: "openid offline" });
    const code = new URL((await open(at.browser, request.url)).location ?? "").searchParams.get("code") ?? "";
    const { access_token: accessToken } = (await party.exchange(code, request)).json();
    expect((await party.post(TOKEN_CALL, { access_token: String(accessToken) })).status).toBe(200);
    const logout = await open(at.browser, party.logoutUrl());
    await followRedirects(at.browser, await at.browser.submit(logout, logout.page().form("/logout/accept")));
    expect((await party.userinfo(String(accessToken))).status).toBe(200);
    expect((await party.post(TOKEN_CALL, { access_token: String(accessToken) })).status).toBe(403);
  });
});

describe("a link in a browser without a session", () => {
  async function link(to = "/manage"): Promise<string> {
    const { id: userId } = at.anna;
    const grant = { userId, generation: 1, clientId: null, returnToUrl: null, authTime: null, sessionUid: null };
    const t = await createSettingsToken(server.context, { ...grant, lifeSeconds: SETTINGS_LINK_SECONDS });
    return `${to}?t=${t}`;
  }

  test("names the account first, and opens the settings after a confirmation", async () => {
    const first = await at.browser.get(await link("/manage/mfa"));
    expect(pathOf(first)).toBe("/manage/opening");
    await expectOut(at.browser);
    const page = await at.browser.follow(first);
    expect(page.page().one("h1").text).toBe(`You are opening the settings of ${at.anna.displayName}`);
    const again = await at.browser.get("/manage/opening");
    expect(again.status).toBe(200);
    const opened = await at.browser.submit(again, again.page().form("/manage/opening"));
    expect([opened.status, pathOf(opened)]).toEqual([303, "/manage/mfa"]);
    expect((await at.browser.get("/manage")).page().text).toContain(at.anna.username);
    expect(pathOf(await at.browser.submit(again, again.page().form("/manage/opening")))).toBe(OUT);
  });

  test("opens nothing in another browser, later, or with a forged form", async () => {
    const page = await at.browser.follow(await at.browser.get(await link()));
    const forged = await at.browser.submit(page, page.page().form("/manage/opening"), { _xsrf: "forged" });
    expect([forged.status, stateOf(forged).error]).toEqual([403, "xsrf"]);
    expect(pathOf(await server.browser().get("/manage/opening"))).toBe(OUT);
    server.clock.advance(10 * 60 + 1);
    expect(pathOf(await at.browser.submit(page, page.page().form("/manage/opening")))).toBe(OUT);
    await expectOut(at.browser);
  });

  // Proves requirement 134.
  test("of a fresh proof, opened by the button, contains no proof: sensitive changes require the password", async () => {
    const url = await settingsClient.settingsUrl(await settingsClient.signIn(server.browser(), at.anna));
    const page = await at.browser.follow(await at.browser.get(url));
    const opened = await at.browser.submit(page, page.page().form("/manage/opening"));
    const settings = await at.browser.follow(opened);
    expect(settings.status).toBe(200);
    for (const path of ["/manage/credentials/username", "/manage/mfa/register-totp"]) {
      expect(pathOf(await at.browser.get(path))).toMatch(/^\/manage\/confirm\?/);
    }
    const confirm = await at.browser.get("/manage/confirm?to=/manage/mfa");
    expect([confirm.status, confirm.location]).toEqual([200, null]);
    const called = await at.browser.send("PUT", "/api/v1/rpc/user/manage/username", '{"username":"taken.over"}', {
      headers: { "content-type": "application/json", authorization: `Bearer ${String(stateOf(settings).token)}` },
    });
    expect([called.status, called.json()]).toEqual([403, { error: "reauthentication_required" }]);
  });

  // Proves requirement 134.
  test("is used by the form alone, in whichever browser it is posted first", async () => {
    const url = await link();
    const preview = server.browser();
    for (const method of ["HEAD", "GET", "GET"]) await preview.send(method, url, "");
    const first = await at.browser.follow(await at.browser.get(url));
    const second = await preview.follow(await preview.get(url));
    const opened = await at.browser.submit(first, first.page().form("/manage/opening"));
    expect(pathOf(opened)).toBe("/manage");
    expect(pathOf(await preview.submit(second, second.page().form("/manage/opening")))).toBe(OUT);
    await expectOut(preview);
    expect(pathOf(await server.browser().get(url))).toBe(OUT);
  });

  // Proves requirement 134.
  test("opens the settings once when two browsers confirm at the same time", async () => {
    const url = await link();
    const openers = [at.browser, server.browser(), server.browser()].map(async (visitor) => {
      const page = await visitor.follow(await visitor.get(url));
      return () => visitor.submit(page, page.page().form("/manage/opening"));
    });
    const opened = await Promise.all((await Promise.all(openers)).map((submit) => submit()));
    expect(opened.map(pathOf).sort()).toEqual(["/manage", OUT, OUT]);
  });

  test("asks in the browser of the user's session, too, and ends with that session", async () => {
    await settingsClient.signIn(at.browser, at.anna);
    const page = await at.browser.follow(await at.browser.get(await link()));
    const opened = await at.browser.submit(page, page.page().form("/manage/opening"));
    expect(pathOf(opened)).toBe("/manage");
    expect((await at.browser.get("/manage")).status).toBe(200);
    const logout = await open(at.browser, settingsClient.party.logoutUrl());
    await followRedirects(at.browser, await at.browser.submit(logout, logout.page().form("/logout/accept")));
    await expectOut(at.browser);
  });

  test("is not used up in a browser where another user is signed in", async () => {
    const url = await link();
    const other = server.browser();
    await settingsClient.signIn(other, await server.users.create());
    expect(pathOf(await other.get(url))).toBe(OUT);
    expect(pathOf(await at.browser.get(url))).toBe("/manage/opening");
  });

  test("dies with a new password while it waits", async () => {
    const page = await at.browser.follow(await at.browser.get(await link()));
    await setUserPassword(server.context, at.anna.username, "Another-Window-28-Elm");
    expect(pathOf(await at.browser.submit(page, page.page().form("/manage/opening")))).toBe(OUT);
  });
});

describe("the browser's own door", () => {
  test("leads via the sign-in to the requested page", async () => {
    const form = await open(at.browser, "/manage/open?to=/manage/confirm-me");
    expect(form.page().one("h1").text).toBe("Sign in");
    const page = await typePassword(at.browser, form, at.anna);
    expect(new URL(page.url).pathname).toBe("/manage/confirm-me");
    expect((await at.browser.get("/manage")).page().text).toContain(at.anna.username);
  });

  test("opens at once after a fresh sign-in, and requires another one after ten minutes", async () => {
    await settingsClient.signIn(at.browser, at.anna);
    expect((await open(at.browser, "/manage/open")).status).toBe(200);
    server.clock.advance(601);
    const form = await open(at.browser, "/manage/open");
    expect(
      form
        .page()
        .forms()
        .map(({ action }) => action),
    ).toContain("/login/native");
    expect((await typePassword(at.browser, form, at.anna)).page().text).toContain(at.anna.username);
  });

  test("keeps the application that the settings were opened from", async () => {
    await settingsClient.openSettings(at.browser, at.anna);
    const page = await open(at.browser, "/manage/open");
    expect(stateOf(page).return_to_url).toBe(RETURN_URL);
  });

  // Proves requirement 115.
  test.each([
    "//evil.example",
    "https://evil.example/manage",
    "/\\evil.example",
    "/manage/../login",
    "/manage\\..\\x",
    "/manage?t=x",
    "/manager",
    "/manage/open",
    "javascript:alert(1)",
    "/manage/%2e%2e/login",
    "/manage\r\nX: y",
  ])("leads only to pages of the settings: %j", async (to) => {
    await settingsClient.signIn(at.browser, at.anna);
    const response = await at.browser.get(`/manage/open?${new URLSearchParams({ to })}`);
    expect(response.location).toMatch(/^http:\/\/localhost:\d+\/manage\?t=[\w-]{43}$/);
    expect(new URL(response.location ?? "").origin).toBe(server.url);
  });

  test("shows an error, without a redirect loop, when the sign-in fails", async () => {
    expect(pathOf(await at.browser.get("/manage/open?state=/manage"))).toBe(OUT);
    expect(pathOf(await at.browser.get("/manage/open?error=access_denied&state=/manage"))).toBe(OUT);
  });

  test("is where a password manager is sent", async () => {
    const response = await at.browser.get("/.well-known/change-password");
    expect([response.status, pathOf(response)]).toEqual([303, "/manage/open?to=/manage/credentials/password"]);
    const probe = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200";
    expect((await at.browser.get(probe)).status).toBe(404);
  });
});

describe("open settings", () => {
  test("close after ten minutes without a request, and after thirty in any case", async () => {
    await settingsClient.openSettings(at.browser, at.anna);
    for (let minutes = 0; minutes < 27; minutes += 9) {
      server.clock.advance(9 * 60);
      expect((await at.browser.get("/manage")).status).toBe(200);
    }
    server.clock.advance(3 * 60);
    await expectOut(at.browser);
    await settingsClient.openSettings(at.browser, at.anna);
    server.clock.advance(10 * 60);
    await expectOut(at.browser);
  });

  test("are useless in another browser", async () => {
    await settingsClient.openSettings(at.browser, at.anna);
    const cookies = (at.browser.jar.header(new URL(server.url)) ?? "").split("; ");
    const stolen = cookies.filter((one) => one.startsWith("gatehouse_settings="));
    const named = cookies.filter((one) => /^gatehouse_(settings|browser)=/.test(one));
    const show = (pairs: string[]) => server.browser().get("/manage", { headers: { cookie: pairs.join("; ") } });
    expect((await show(named)).status).toBe(200);
    expect(pathOf(await show(stolen))).toBe(OUT);
  });

  test("require a fresh proof, after ten minutes, before the protection of the account is changed", async () => {
    await settingsClient.openSettings(at.browser, at.anna);
    const fresh = await at.browser.get("/manage/confirm?to=/manage/mfa");
    expect(pathOf(fresh)).toBe("/manage/mfa");
    for (const _ of [1, 2]) {
      server.clock.advance(5 * 60 + 1);
      await at.browser.get("/manage");
    }
    const confirmPage = await at.browser.get("/manage/confirm?to=/manage/mfa");
    expect(confirmPage.page().one("h1").text).toBe("Please confirm that it is you");
    const target = confirmPage.page().one("a", { href: "/manage/open?to=%2Fmanage%2Fmfa" });
    expect(target.text).toBe("Sign in another way");
    const form = await open(at.browser, "/manage/open?to=/manage/mfa");
    expect(Object.fromEntries(form.page().form("/login/native").fields)).toMatchObject({ username: at.anna.username });
  });
});

describe("the page of an error", () => {
  test.each([
    ["unauthorized", 401, "Authentication failed."],
    ["page_not_found", 404, "The page was not found."],
    ["something new", 400, "An error occurred."],
    ["<img src=x onerror=alert(1)>", 400, "An error occurred."],
  ])("%s", async (code, status, text) => {
    const response = await at.browser.get(`/manage/error/${encodeURIComponent(code)}`);
    expect([response.status, response.page().one("h1").text]).toEqual([status, text]);
    expect(stateOf(response)).toEqual({ error: code });
    expect(response.page().all("img")).toEqual([]);
    const quotes = text === "An error occurred." ? [code] : [];
    expect(
      response
        .page()
        .all("blockquote")
        .map((block) => block.text),
    ).toEqual(quotes);
  });

  test("shows at most 60 characters of a code, those of RFC 6749 only", async () => {
    const response = await at.browser.get(`/manage/error/${encodeURIComponent('ä"\\x'.repeat(100))}`);
    expect(stateOf(response)).toEqual({ error: "x".repeat(60) });
  });

  test("is shown for pages that there are none of", async () => {
    const response = await at.browser.get("/manage/nothing/here");
    expect([response.status, stateOf(response).error]).toEqual([404, "page_not_found"]);
  });
});
