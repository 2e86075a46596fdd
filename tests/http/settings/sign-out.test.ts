import { beforeEach, describe, expect, test } from "vitest";
import { createSettingsLink } from "#app/domain/user/links.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { createSettingsClient, pathOf, RETURN_URL } from "./steps.ts";

const SIGN_OUT = "/manage/sign-out";
const UNAUTHORIZED = "/manage/error/unauthorized";
let anna: TestUser;
let browser: Browser;

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
});

/** Opens the settings with a link of the CLI, in a browser without a session. */
async function openByCommand(on: Browser, returnTo: string | null = null): Promise<HttpResponse> {
  const { url } = await createSettingsLink(server.context, anna.username, { returnTo });
  const question = await followRedirects(on, await on.get(url));
  return followRedirects(on, await on.submit(question, question.page().form("/manage/opening")));
}

/** Presses "Sign out" in the header of a settings page. */
async function signOut(on: Browser, page: HttpResponse): Promise<HttpResponse> {
  return on.submit(page, page.page().form(SIGN_OUT));
}

describe("sign-out in the settings", () => {
  test("leads to the sign-out confirmation, and ends session and settings", async () => {
    const question = await followRedirects(
      browser,
      await signOut(browser, await settingsClient.openSettings(browser, anna)),
    );
    expect(stateOf(question).status).toBe("pending");
    await followRedirects(browser, await browser.submit(question, question.page().form("/logout/accept")));
    expect(await findSignedInUser(settingsClient.party, browser)).toBe("login_required");
    expect(pathOf(await browser.get("/manage"))).toBe(UNAUTHORIZED);
  });

  test("ends settings that a link of the command line opened, without a session", async () => {
    const page = await openByCommand(browser);
    expect(page.status).toBe(200);
    const response = await signOut(browser, page);
    expect([response.status, pathOf(response)]).toEqual([303, "/logout/callback"]);
    expect(response.headers["clear-site-data"]).toBe('"cache"');
    expect(pathOf(await browser.get("/manage"))).toBe(UNAUTHORIZED);
    expect(server.lines().filter(({ event, userId }) => event === "sign-out" && userId === anna.id)).toHaveLength(1);
  });

  test("ends such settings also when the cookie is sent again", async () => {
    const page = await openByCommand(browser);
    const { fields } = page.page().form(SIGN_OUT);
    const kept = browser.jar.header(new URL(`${server.url}/manage`)) ?? "";
    await signOut(browser, page);
    const replay = await browser.get("/manage", { headers: { cookie: kept } });
    expect(pathOf(replay)).toBe(UNAUTHORIZED);
    const again = await browser.post(SIGN_OUT, Object.fromEntries(fields));
    expect([again.status, pathOf(again)]).toEqual([303, UNAUTHORIZED]);
  });

  test("needs the anti-forgery token of these settings, and is not done by a GET", async () => {
    const page = await settingsClient.openSettings(browser, anna);
    const refused = await browser.submit(page, page.page().form(SIGN_OUT), { _xsrf: "stale" });
    expect(refused.status).toBe(403);
    expect(pathOf(await browser.get(SIGN_OUT))).toBe("/manage");
    expect((await browser.get("/manage")).status).toBe(200);
    expect(await findSignedInUser(settingsClient.party, browser)).toBe(anna.id);
  });
});

describe("the header of the settings", () => {
  test("names the application that opened them, not its host", async () => {
    const page = await settingsClient.openSettings(browser, anna);
    const link = page.page().one("a", { href: RETURN_URL });
    expect(link.text).toMatch(/^Application \d+$/);
    expect(link.attributes["aria-label"]).toBe(`Back to ${link.text}`);
  });

  test("links the application without a return URL", async () => {
    const page = await openByCommand(browser);
    const { appUrl } = server.context.config;
    expect(page.page().all("a", { href: appUrl })[0]?.text).toBe("Go to the application");
  });
});
