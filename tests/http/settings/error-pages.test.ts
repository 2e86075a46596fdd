import { describe, expect, test } from "vitest";
import { stateOf } from "#tests/http/login/open-form.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "./steps.ts";

const USERNAME = "/manage/credentials/username";

const server = await serverOfFile({ env: { SUPPORT_CONTACT: "it@office.example" } });
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create();
  const browser = server.browser();
  await settingsClient.openSettings(browser, anna);
  return { anna, browser };
});

/** Expects the header with the user's name, the navigation, whom to ask and the links of the actions. */
function expectFrame(response: HttpResponse, links: readonly [text: string, href: string][]) {
  const page = response.page();
  expect(page.one("header", { class: "site-header" }).text).toContain(`Signed in as ${at.anna.displayName}`);
  expect(page.all("a").map(({ attributes }) => attributes.href)).toContain("/manage/sessions");
  expect(page.text).toContain("it@office.example");
  expect(actionsOf(response)).toEqual(links);
}

function actionsOf(response: HttpResponse) {
  const links = response
    .page()
    .all("a")
    .filter(({ attributes }) => attributes.class?.split(" ").includes("button"));
  return links.map(({ text, attributes }) => [text, attributes.href]);
}

const BACK = ["Back to login settings", "/manage"] as const;
const RELOAD = ["Reload this page", ""] as const;

describe("an error page of the settings keeps header and navigation", () => {
  test.each(["/manage/nowhere", "/manage/error/page_not_found"])("for an unknown page: %s", async (path) => {
    const response = await at.browser.get(path);
    expect([response.status, stateOf(response)]).toEqual([404, { error: "page_not_found" }]);
    expectFrame(response, [[...BACK]]);
  });

  test("for a form that has expired, and offers its page again first", async () => {
    for (const [path, fields] of [
      ["/manage/sign-out", {}],
      ["/manage/sessions/forget-device", { device: "1" }],
    ] as const) {
      const response = await at.browser.post(path, { ...fields, _xsrf: "expired" });
      expect([response.status, stateOf(response)]).toMatchObject([403, { server_error: { code: 403 } }]);
      expectFrame(response, [[...RELOAD], [...BACK]]);
      expect(response.page().text).toContain("Nothing was changed in your settings.");
      expect(pathOf(await at.browser.get(path))).toMatch(/^\/manage/);
    }
  });

  test("for a form with an unknown field", async () => {
    const page = await at.browser.get(USERNAME);
    const form = page.page().form(USERNAME);
    const response = await at.browser.post(USERNAME, { ...Object.fromEntries(form.fields), unknown: "1" });
    expect(response.status).toBe(400);
    expectFrame(response, [[...RELOAD], [...BACK]]);
  });

  test("for a request that the server refuses before the page, which the browser does not take over", async () => {
    const page = await at.browser.get(USERNAME);
    const response = await at.browser.post(USERNAME, { username: "x".repeat(200_000) });
    expect([response.status, stateOf(response)]).toMatchObject([413, { server_error: { code: 413 } }]);
    expectFrame(response, [[...RELOAD], [...BACK]]);
    expect([page, response].map(({ body }) => body.includes('id="document-context"'))).toEqual([true, false]);
  });
  test("for a form sent by the script, which the server refuses before the page: as data that the script reads", async () => {
    const fields = { username: "x".repeat(200_000) };
    const response = await at.browser.post(`${USERNAME}.data`, fields);
    expect([response.status, response.headers["content-type"]]).toEqual([413, "text/x-script; charset=utf-8"]);
    const entry = server.lines().findLast(({ path }) => path === `${USERNAME}.data`);
    expect(response.body).toContain(`"reference","${entry?.["requestId"]}"`);
  });
});

describe("without access to the settings", () => {
  test.each(["/manage/nowhere", "/manage/error/page_not_found", "/manage/error/unauthorized"])(
    "an error page has neither: %s",
    async (path) => {
      const response = await server.browser().get(path);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.page().all("header", { class: "site-header" })).toEqual([]);
    },
  );

  test.each(["/manage", USERNAME, "/manage/sessions"])("a page leads to the error page: %s", async (path) => {
    expect(pathOf(await server.browser().get(path))).toBe("/manage/error/unauthorized");
  });

  test("a form of another website gets an error page without them", async () => {
    const response = await server.browser().post(USERNAME, {}, { headers: { origin: "https://evil.example" } });
    expect(response.status).toBe(403);
    expect(response.page().all("header", { class: "site-header" })).toEqual([]);
  });
});

describe("a form that is sent after ten idle minutes", () => {
  const openOf = (path: string) => `/manage/open?${new URLSearchParams({ to: path })}`;

  test.each([
    [USERNAME, { username: "anna.late" }],
    ["/manage/sessions", { intent: "others" }],
    ["/manage/language", { language: "de" }],
  ])("leads to a page that says that nothing was changed, and back to its own: %s", async (path, fields) => {
    const _xsrf = String(stateOf(await at.browser.get(path)).xsrf_token);
    server.clock.advance(10 * 60 + 1);
    for (const url of [path, `${path}.data`]) {
      const response = await at.browser.post(url, { ...fields, _xsrf });
      const location = response.location ?? response.body;
      expect(decodeURIComponent(decodeURIComponent(location))).toContain(
        `/manage/error/unauthorized?to=${path}&unsaved=yes`,
      );
    }
    const page = await at.browser.follow(await at.browser.post(path, { ...fields, _xsrf }));
    expect([page.status, stateOf(page)]).toEqual([401, { error: "unauthorized" }]);
    expect(page.page().one("main").text).toContain("Nothing has been changed");
    expect(actionsOf(page)[0]).toEqual(["Open the page again", openOf(path)]);
  });

  test.each(["//evil.example", "https://evil.example/manage", "/manage/open", "/login"])(
    "leads to no other place: %j",
    async (to) => {
      const page = await server
        .browser()
        .get(`/manage/error/unauthorized?${new URLSearchParams({ to, unsaved: "yes" })}`);
      expect(actionsOf(page)[0]).toEqual(["Open the page again", openOf("/manage")]);
    },
  );

  test("of the confirmation leads back to the page that asked for it", async () => {
    server.clock.advance(5 * 60 + 1);
    await at.browser.get("/manage");
    server.clock.advance(5 * 60 + 1);
    const confirm = await at.browser.follow(await at.browser.get(USERNAME));
    server.clock.advance(10 * 60 + 1);
    const [form] = confirm
      .page()
      .forms()
      .filter(({ action }) => action.startsWith("/manage/confirm"));
    if (!form) throw new Error("no form");
    const page = await at.browser.follow(await at.browser.submit(confirm, form, { password: at.anna.password }));
    expect(actionsOf(page)[0]).toEqual(["Open the page again", openOf(USERNAME)]);
  });
});
