import { describe, expect, test } from "vitest";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { open } from "#tests/http/oidc/browser-steps.ts";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import { createCookieJar } from "#tests/support/cookie-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { stateOf } from "./open-form.ts";

const SUPPORT = "help@office.example";
const MISSING = {
  en: "Your browser sent no cookie of this website.",
  de: "Ihr Browser hat kein Cookie dieser Website gesendet.",
};

const server = await serverOfFile({ env: { SUPPORT_CONTACT: SUPPORT } });
const anna = await server.users.create();
const party = await server.parties.create();

/** Creates a browser that stores no cookies. */
function withoutCookies(language = "en"): Browser {
  return createBrowser({ base: server.url, language, jar: { ...createCookieJar(), take() {} } });
}

describe("a browser without cookies", () => {
  test("is told at once that cookies may be the reason, and not sent round in circles", async () => {
    const browser = withoutCookies();
    const first = await open(browser, party.request().url);
    expect(first.status).toBe(400);
    expect(first.page().text).toContain("your browser accepts no cookies");
    const second = await browser.submit(first, first.page().form("/login"));
    expect([second.status, stateOf(second).error]).toEqual([400, "challenge"]);
    expect(second.page().text).toContain(MISSING.en);
    expect(second.page().one("a", { href: `mailto:${SUPPORT}` }).text).toBe(SUPPORT);
    expect(second.page().one("a", { href: server.context.config.appUrl }).text).toBe("Back to the application");
    const onward = second
      .page()
      .forms()
      .filter(({ action }) => action === "/login");
    expect(onward).toEqual([]);
  });

  test("reads it in German, too", async () => {
    const browser = withoutCookies("de");
    const first = await open(browser, party.request().url);
    expect(first.page().text).toContain("Ihr Browser nimmt keine Cookies an");
    const second = await browser.submit(first, first.page().form("/login"));
    expect(second.page().text).toContain(MISSING.de);
  });

  test("reads it in place of an expired page, too", async () => {
    const browser = server.browser();
    const form = await open(browser, party.request().url);
    server.clock.advance(61 * 60);
    const expired = await browser.get(form.url);
    browser.jar.clear();
    const again = await browser.submit(expired, expired.page().form("/login"));
    expect(again.page().text).toContain(MISSING.en);
  });

  test.each([
    ["a link to a new password", async () => (await createPasswordLink(server.context, anna.username)).url],
    ["the settings", async () => "/manage"],
  ])("reads it at %s, with one sentence about whom to ask", async (_what, address) => {
    const url = await address();
    const { text } = (await open(withoutCookies(), url)).page();
    expect(text).toContain(MISSING.en);
    expect(text).toContain(SUPPORT);
    expect(text).not.toContain("administrator");
    expect((await open(server.browser(), url)).page().text).not.toContain(MISSING.en);
  });
});

test("a new browser that accepts cookies continues from another browser's page", async () => {
  const { url } = await open(server.browser(), party.request().url);
  const browser = server.browser();
  const page = await browser.get(url);
  expect(page.page().text).toContain("was started in another browser");
  const restarted = await browser.follow(await browser.submit(page, page.page().form("/login")));
  expect([restarted.status, stateOf(restarted).error]).toEqual([200, undefined]);
});
