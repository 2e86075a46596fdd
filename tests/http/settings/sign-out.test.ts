import { describe, expect, test } from "vitest";
import { createSettingsLink } from "#app/domain/user/links.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf, RETURN_URL } from "./steps.ts";

const SIGN_OUT = "/manage/sign-out";
const UNAUTHORIZED = "/manage/error/unauthorized";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => ({ anna: await server.users.create(), browser: server.browser() }));

/** Opens the settings with a link of the CLI, in a browser without a session. */
async function openByCommand(on: Browser, returnTo: string | null = null): Promise<HttpResponse> {
  const { url } = await createSettingsLink(server.context, at.anna.username, { returnTo });
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
      at.browser,
      await signOut(at.browser, await settingsClient.openSettings(at.browser, at.anna)),
    );
    expect(stateOf(question).status).toBe("pending");
    await followRedirects(at.browser, await at.browser.submit(question, question.page().form("/logout/accept")));
    expect(await findSignedInUser(settingsClient.party, at.browser)).toBe("login_required");
    expect(pathOf(await at.browser.get("/manage"))).toBe(UNAUTHORIZED);
  });

  test("ends settings that a link of the command line opened, without a session", async () => {
    const page = await openByCommand(at.browser);
    expect(page.status).toBe(200);
    const response = await signOut(at.browser, page);
    expect([response.status, pathOf(response)]).toEqual([303, "/logout/callback"]);
    expect(response.headers["clear-site-data"]).toBe('"cache"');
    expect(pathOf(await at.browser.get("/manage"))).toBe(UNAUTHORIZED);
    expect(server.lines().filter(({ event, userId }) => event === "sign-out" && userId === at.anna.id)).toHaveLength(1);
  });

  test("ends such settings also when the cookie is sent again", async () => {
    const page = await openByCommand(at.browser);
    const { fields } = page.page().form(SIGN_OUT);
    const kept = at.browser.jar.header(new URL(`${server.url}/manage`)) ?? "";
    await signOut(at.browser, page);
    const replay = await at.browser.get("/manage", { headers: { cookie: kept } });
    expect(pathOf(replay)).toBe(UNAUTHORIZED);
    const again = await at.browser.post(SIGN_OUT, Object.fromEntries(fields));
    expect([again.status, pathOf(again)]).toEqual([303, UNAUTHORIZED]);
  });

  test("needs the anti-forgery token of these settings, and is not done by a GET", async () => {
    const page = await settingsClient.openSettings(at.browser, at.anna);
    const refused = await at.browser.submit(page, page.page().form(SIGN_OUT), { _xsrf: "stale" });
    expect(refused.status).toBe(403);
    expect(pathOf(await at.browser.get(SIGN_OUT))).toBe("/manage");
    expect((await at.browser.get("/manage")).status).toBe(200);
    expect(await findSignedInUser(settingsClient.party, at.browser)).toBe(at.anna.id);
  });
});

describe("the header of the settings", () => {
  test("names the application that opened them, not its host", async () => {
    const page = await settingsClient.openSettings(at.browser, at.anna);
    const link = page.page().one("a", { href: RETURN_URL });
    expect(link.text).toMatch(/^Application \d+$/);
    expect(link.attributes["aria-label"]).toBe(`Back to ${link.text}`);
  });

  test("links the application without a return URL", async () => {
    const page = await openByCommand(at.browser);
    const { appUrl } = server.context.config;
    expect(page.page().all("a", { href: appUrl })[0]?.text).toBe("Go to the application");
  });
});
