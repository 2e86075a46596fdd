import { beforeEach, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { hasForm, redirectParameters } from "./responses.ts";

let browser: Browser;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  browser = server.browser();
  await seedSignIn(server, browser, party.request(), anna);
});

async function isSignedIn(who = browser) {
  return "code" in redirectParameters(await open(who, party.request({ prompt: "none" }).url));
}

describe("Reject", () => {
  test("keeps the session and shows a page", async () => {
    const page = await open(browser, party.logoutUrl());
    const end = await followRedirects(browser, await browser.submit(page, page.page().form("/logout/reject")));
    expect([end.status, end.page().state().status]).toEqual([200, "rejected"]);
    expect(await isSignedIn()).toBe(true);
  });

  test("invalidates the challenge: Logout on the same page ends nothing", async () => {
    const page = await open(browser, party.logoutUrl());
    await browser.submit(page, page.page().form("/logout/reject"));
    const late = await browser.submit(page, page.page().form("/logout/accept"));
    expect([late.status, late.location]).toEqual([400, null]);
    expect(late.page().state()).toMatchObject({ error: "challenge" });
    expect(await isSignedIn()).toBe(true);
  });
});

describe("a logout challenge", () => {
  test("that is missing, forged or used shows the page 'challenge invalid'", async () => {
    for (const challenge of ["", "invented", "x".repeat(3_000), "<script>"]) {
      const page = await browser.get(`${server.url}/logout?logout_challenge=${encodeURIComponent(challenge)}`);
      expect(page.status).toBe(400);
      expect(page.page().state()).toMatchObject({ status: "pending", error: "challenge", logout_challenge: "" });
      expect(hasForm(page, "/logout/accept")).toBe(false);
    }
    const bare = await browser.get(`${server.url}/logout`);
    expect([bare.status, bare.page().state().error]).toEqual([400, "challenge"]);
  });

  test("is valid in the newest tab only: the older one shows a page and ends nothing", async () => {
    const older = await open(browser, party.logoutUrl());
    const newer = await open(browser, party.logoutUrl());
    const late = await browser.submit(older, older.page().form("/logout/accept"));
    expect([late.status, late.page().state().error]).toEqual([400, "challenge"]);
    expect(await isSignedIn()).toBe(true);
    const end = await followRedirects(browser, await browser.submit(newer, newer.page().form("/logout/accept")));
    expect(end.page().state()).toMatchObject({ status: "accepted" });
    expect(await isSignedIn()).toBe(false);
  });

  test("of another browser is not accepted", async () => {
    const page = await open(browser, party.logoutUrl());
    const thief = server.browser();
    await seedSignIn(server, thief, party.request(), await server.users.create());
    const shown = await thief.get(page.url);
    expect([shown.status, shown.page().state().error]).toEqual([400, "challenge"]);
    expect(await isSignedIn()).toBe(true);
    expect(await isSignedIn(thief)).toBe(true);
  });

  test("is invalid after a logout: the form of a second tab shows a page, not an error", async () => {
    const page = await open(browser, party.logoutUrl());
    await browser.submit(page, page.page().form("/logout/accept"));
    const again = await browser.submit(page, page.page().form("/logout/accept"));
    expect([again.status, again.page().state().error]).toEqual([400, "challenge"]);
  });
});

describe("Logout", () => {
  test("without its _xsrf, or with another session's, shows the page again and ends nothing", async () => {
    const page = await open(browser, party.logoutUrl());
    const other = server.browser();
    await seedSignIn(server, other, party.request(), anna);
    const foreign = String((await open(other, party.logoutUrl())).page().state().xsrf_token);
    for (const _xsrf of ["", "nonsense", foreign]) {
      const response = await browser.submit(page, page.page().form("/logout/accept"), { _xsrf });
      expect([response.status, response.location]).toEqual([403, null]);
      expect(hasForm(response, "/logout/accept")).toBe(true);
      expect(await isSignedIn()).toBe(true);
    }
  });

  test("from another site's page is refused", async () => {
    const page = await open(browser, party.logoutUrl());
    const fields = Object.fromEntries(page.page().form("/logout/accept").fields);
    const options = { headers: { origin: "https://evil.example" } };
    const response = await browser.post(`${server.url}/logout/accept`, fields, options);
    expect(response.status).toBe(403);
    expect(await isSignedIn()).toBe(true);
  });

  test("needs a POST: GET changes nothing", async () => {
    const page = await open(browser, party.logoutUrl());
    const challenge = new URL(page.url).searchParams.get("logout_challenge") ?? "";
    await browser.get(`${server.url}/logout/accept?logout_challenge=${encodeURIComponent(challenge)}`);
    await browser.get(`${server.url}/oauth2/sessions/logout/confirm?xsrf=${challenge}&logout=yes`);
    expect(await isSignedIn()).toBe(true);
  });

  test("lets another user sign in next, in the same browser", async () => {
    const bernd = await server.users.create();
    const page = await open(browser, party.logoutUrl());
    await browser.submit(page, page.page().form("/logout/accept"));
    const tokens = await seedTokens(server, browser, party, party.request(), bernd);
    expect((await party.verifyIdToken(tokens.idToken)).payload.sub).toBe(bernd.id);
  });
});
