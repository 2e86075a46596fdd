import { expect, test } from "vitest";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { open } from "#tests/http/oidc/browser-steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import type { Page } from "#tests/support/html.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

const server = await serverOfFile({ env: { START_PAGE: "settings" } });
const { context } = server;

const at = eachTest(async () => {
  const browser = server.browser();
  await seedSession(server, browser, await server.users.create());
  return { browser };
});

function linksOf(page: Page): string[] {
  return page.all("a").map(({ attributes }) => attributes.href ?? "");
}

test("/ with a session leads to the settings", async () => {
  const response = await at.browser.get("/");
  expect([response.status, response.location]).toEqual([303, `${server.url}/manage/open`]);
});

test("/ without a session links the application and the settings", async () => {
  const links = linksOf((await server.browser().get("/")).page());
  expect(links).toEqual(expect.arrayContaining([context.config.appUrl, "/manage/open"]));
  expect(links.some((href) => href.startsWith("/oauth2"))).toBe(false);
});

test("a person who stays signed in gets back to the settings", async () => {
  const page = (await at.browser.get("/logout/reject")).page();
  expect(page.one("a", { href: "/manage/open" }).text).toBe("Open login settings");
});

test("no page links the start page", async () => {
  const settings = await open(at.browser, "/manage/open");
  expect(settings.url).toBe(`${server.url}/manage`);
  const party = await server.parties.create({ firstParty: true });
  await updateClient(context.store, party.clientId, { access: "groups" }, context.clock.now());
  const refused = await open(at.browser, party.request().url);
  expect(refused.status).toBe(403);
  for (const response of [settings, refused]) expect(linksOf(response.page())).not.toContain("/");
  expect(
    settings
      .page()
      .one("nav", { class: "side" })
      .parts.map(({ tag }) => tag),
  ).toEqual(["ul"]);
});
