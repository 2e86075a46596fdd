import { expect, test } from "vitest";
import { followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import type { Page } from "#tests/support/html.ts";
import { serverOfFile } from "#tests/support/server.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const { appUrl } = server.context.config;

const at = eachTest(async () => ({ browser: server.browser() }));

function hrefOf(page: Page, text: string): string {
  return page.all("a").find((link) => link.text === text)?.attributes.href ?? "";
}

/** Opens `/` and follows the link "Sign in". */
async function pressSignIn() {
  const front = await at.browser.get("/");
  return open(at.browser, hrefOf(front.page(), "Sign in"));
}

test("/ without a session is a page with links to the sign-in and the application, and no error", async () => {
  for (const [language, title] of [
    ["en", "You are not signed in | Gatehouse"],
    ["de", "Sie sind nicht angemeldet | Gatehouse"],
  ] as const) {
    const response = await server.browser(language).get("/");
    expect([response.status, response.page().one("title").text]).toEqual([200, title]);
    const links = response
      .page()
      .one("main")
      .parts.flatMap(({ parts }) => parts)
      .filter(({ tag }) => tag === "a");
    expect(links.map(({ attributes }) => new URL(attributes.href ?? "", server.url).pathname)).toEqual([
      "/oauth2/auth",
      new URL(appUrl).pathname,
    ]);
  }
});

test("its sign-in leads back to /, without parameters, which is the start page then", async () => {
  const start = await typePassword(at.browser, await pressSignIn(), anna);
  expect([start.status, start.url, start.page().title]).toEqual([200, `${server.url}/`, "Start page | Gatehouse"]);
  expect(start.page().state()).toMatchObject({ user_id: anna.id });
  expect(start.page().text).toContain("Today at 09:00");
});

test("its sign-in opens the settings from there without another password", async () => {
  await typePassword(at.browser, await pressSignIn(), anna);
  const settings = await open(at.browser, "/manage/open");
  expect([settings.status, settings.url]).toEqual([200, `${server.url}/manage`]);
});

test("its sign-in that expired starts again, and leads back to /", async () => {
  const form = await pressSignIn();
  server.clock.advance(61 * 60);
  const expired = await typePassword(at.browser, form, anna);
  const again = await followRedirects(at.browser, await at.browser.submit(expired, expired.page().form("/login")));
  const start = await typePassword(at.browser, again, anna);
  expect([start.status, start.url]).toEqual([200, `${server.url}/`]);
});

test("a session makes its sign-in a redirect", async () => {
  const form = await pressSignIn();
  const signIn = hrefOf((await at.browser.get("/")).page(), "Sign in");
  await typePassword(at.browser, form, anna);
  expect((await open(at.browser, signIn)).url).toBe(`${server.url}/`);
});

test("/ accepts no form", async () => {
  expect((await at.browser.post("/", {})).status).toBe(405);
});

test("the sign-in for / has no other target", async () => {
  const signIn = new URL(hrefOf((await at.browser.get("/")).page(), "Sign in"), server.url);
  signIn.searchParams.set("redirect_uri", "https://evil.example/");
  const refused = await followRedirects(at.browser, await at.browser.get(signIn.href));
  expect([refused.status, new URL(refused.url).pathname]).toEqual([400, "/error"]);
});
