import { expect, test } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";
import { obtainTokens, open } from "./oidc/browser-steps.ts";

const server = await serverOfFile();

test("/ without a session is a page with links to the application and the settings, and no error", async () => {
  for (const [language, title] of [
    ["en", "You are not signed in | Gatehouse"],
    ["de", "Sie sind nicht angemeldet | Gatehouse"],
  ] as const) {
    const response = await server.browser(language).get("/");
    expect([response.status, response.page().one("title").text]).toEqual([200, title]);
    const links = response
      .page()
      .all("a")
      .map(({ attributes }) => attributes.href);
    expect(links).toEqual(expect.arrayContaining([server.context.config.appUrl, "/manage/open"]));
  }
});

test("/ with a session leads to the settings", async () => {
  const party = await server.parties.create({ firstParty: true });
  const browser = server.browser();
  await obtainTokens(browser, party, party.request(), await server.users.create());
  const response = await browser.get("/");
  expect([response.status, new URL(response.location ?? "", server.url).pathname]).toEqual([303, "/manage/open"]);
  const settings = await open(browser, "/");
  expect([settings.status, new URL(settings.url).pathname]).toEqual([200, "/manage"]);
});

test("/ accepts no form", async () => {
  expect((await server.browser().post("/", {})).status).toBe(405);
});
