import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stateOf } from "#tests/http/login/open-form.ts";
import { ask } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { createDesk, pathOf, RETURN_URL, type SettingsDesk, USERINFO_CALL } from "./desk.ts";

let server: TestServer;
let desk: SettingsDesk;
let anna: TestUser;

beforeAll(async () => {
  server = await startServer();
  desk = await createDesk(server);
  anna = await server.users.create();
});
afterAll(() => server.close());

describe("an application's link to the settings", () => {
  test("opens them in the browser of its person, and leaves the address", async () => {
    const browser = server.browser();
    const url = await desk.settingsUrl(await desk.signIn(browser, anna));
    const redirect = await browser.get(url);
    expect([redirect.status, pathOf(redirect)]).toEqual([303, "/manage"]);
    const page = await browser.follow(redirect);
    expect(page.status).toBe(200);
    expect(page.body).toContain(anna.username);
    expect(stateOf(page)).toMatchObject({
      user_id: anna.id,
      display_name: anna.displayName,
      return_to_url: RETURN_URL,
    });
  });

  test("starts a chain of calls", async () => {
    const browser = server.browser();
    const url = new URL(await desk.settingsUrl(await desk.signIn(browser, anna)));
    const first = await ask(server.url + USERINFO_CALL, {
      headers: { authorization: `Bearer ${url.searchParams.get("t")}` },
    });
    expect(first.status).toBe(200);
    expect(first.json()).toEqual({
      user_id: anna.id,
      display_name: anna.displayName,
      picture: null,
      return_to_url: RETURN_URL,
    });
    const next = first.headers.get("x-api-next-token");
    const second = await ask(server.url + USERINFO_CALL, { headers: { authorization: `Bearer ${next}` } });
    expect(second.status).toBe(200);
  });

  test("starts a chain of calls from a page", async () => {
    const page = await desk.openSettings(server.browser(), anna);
    const token = stateOf(page).token;
    const first = await ask(server.url + USERINFO_CALL, { headers: { authorization: `Bearer ${token}` } });
    expect(first.status).toBe(200);
    const again = await ask(server.url + USERINFO_CALL, { headers: { authorization: `Bearer ${token}` } });
    expect(again.status).toBe(401);
  });
});
