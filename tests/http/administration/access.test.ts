import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { grantRole, revokeRole } from "#app/domain/role/grant.server.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
/** Makes the last proof of identity of open settings so old. */
async function proveBefore({ id }: { id: string }, seconds: number): Promise<void> {
  const { t, q } = context.store;
  const authTime = new Date(context.clock.now().getTime() - seconds * 1000);
  await q.update(t.manageSessions).set({ authTime }).where(eq(t.manageSessions.userId, id));
}

/** Lets more than eight hours pass since the sign-in, in a session that an application uses. */
async function passWorkingDay(browser: Browser): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    server.clock.advance(100 * 60);
    await browser.get(settingsClient.party.request().url);
  }
}

function cancelOf(page: HttpResponse): string | undefined {
  const links = page.page().all("a", { class: "button quiet" });
  return links.find(({ text }) => text === "Cancel")?.attributes.href;
}

function pathOfUrl({ url }: HttpResponse): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const settingsClient = await createSettingsClient(server);

const LOST = "Nothing has been changed yet, because you are no longer signed in here.";

describe("the administration", () => {
  // Proves requirement 200.
  test("is an unknown page for users without a role, and leads those with one to their first page", async () => {
    const stranger = server.browser();
    await settingsClient.openSettings(stranger, await server.users.create());
    expect((await stranger.get("/manage/admin")).status).toBe(404);
    const { browser } = await signInWithRole(server);
    expect(pathOf(await browser.get("/manage/admin"))).toBe("/manage/admin/people");
    const helpDesk = await signInWithRole(server, { role: "help-desk" });
    expect(pathOf(await helpDesk.browser.get("/manage/admin"))).toBe("/manage/admin/people");
  });

  test("is unknown from the next request on when the role was taken away", async () => {
    await signInWithRole(server);
    const { browser, user } = await signInWithRole(server);
    await context.store.tx((store) => revokeRole({ ...context, store }, user));
    expect((await browser.get("/manage/admin")).status).toBe(404);
  });

  // Proves requirement 201.
  test("asks for a second factor, and for a proof of identity that is not older than eight hours", async () => {
    const user = await server.users.create();
    const browser = server.browser();
    await settingsClient.openSettings(browser, user);
    await context.store.tx((store) => grantRole({ ...context, store }, user, { role: "administrator", office: null }));
    expect(pathOf(await browser.get("/manage/admin"))).toBe("/manage/open?to=%2Fmanage%2Fadmin");
    const { browser: proven, user: helga } = await signInWithRole(server);
    await proveBefore(helga, 8 * 60 * 60);
    expect(pathOf(await proven.get("/manage/admin"))).toBe("/manage/admin/people");
    await proveBefore(helga, 8 * 60 * 60 + 1);
    expect(pathOf(await proven.get("/manage/admin"))).toBe("/manage/confirm?to=%2Fmanage%2Fadmin");
  });

  test("opens again without a question while the session lives", async () => {
    const { browser } = await signInWithRole(server);
    server.clock.advance(60 * 60);
    const { url, status } = await browser.follow(await browser.get("/manage/admin"));
    expect([new URL(url).pathname, status]).toEqual(["/manage/admin/people", 200]);
  });

  test.each([
    "/manage/admin",
    "/manage/admin/nowhere",
    "/manage/admin/people/nowhere/nothing",
    "/manage/admin/people/export",
  ])("answers with a page, not with data, when there is none for the person: %s", async (path) => {
    const stranger = server.browser();
    await settingsClient.openSettings(stranger, await server.users.create());
    const page = await stranger.follow(await stranger.get(path));
    expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.page().one("h1", {}).text).toMatch(/page( was)? not found/i);
  });

  test("reports that a form sent after ten idle minutes was not saved, and leads back to its page", async () => {
    const { browser } = await signInWithRole(server);
    const person = await server.users.create();
    const path = `/manage/admin/people/${person.id}/edit`;
    const page = await browser.get(path);
    server.clock.advance(10 * 60 + 1);
    const lost = await browser.follow(await browser.submit(page, page.page().form(path), { displayName: "Late" }));
    expect([lost.status, lost.page().one("main").text]).toEqual([401, expect.stringContaining(LOST)]);
    const [open] = lost.page().all("a", { class: "button" });
    expect(open?.text).toBe("Open the page again");
    // The changes of a person need a recent proof of identity, which the confirmation asks for.
    const back = await browser.follow(await browser.get(open?.attributes.href ?? ""));
    expect(new URL(back.url).searchParams.get("to")).toBe(path);
    expect((await findUser(context.store, person.id))?.displayName).toBe(person.displayName);
    const { pathname } = new URL((await browser.follow(await browser.get("/manage/admin"))).url);
    expect(pathname).toBe("/manage/admin/people");
  });

  test.each([
    ["/people/:id/edit", "/people/:id"],
    ["/people/:id/help/new-device", "/people/:id"],
    ["/people/invite", "/people"],
    ["/people/import", "/people"],
    ["/groups/add", "/groups"],
    ["/groups/:id/remove", "/groups/:id"],
  ])("leads back from the confirmation for %s, by its button Cancel, to %s", async (page, above) => {
    const { browser, user } = await signInWithRole(server);
    const { id } = page.startsWith("/groups/:id") ? await server.groups.create() : await server.users.create();
    await proveBefore(user, 11 * 60);
    const pathTo = (path: string) => `/manage/admin${path.replace(":id", id)}`;
    const confirm = await browser.follow(await browser.get(pathTo(page)));
    expect(new URL(confirm.url).pathname).toBe("/manage/confirm");
    expect(cancelOf(confirm)).toBe(pathTo(above));
    expect((await browser.get(pathTo(above))).status).toBe(200);
  });

  test("leads back to the settings where the whole administration asks for a confirmation, or is not the user's", async () => {
    const { browser, user } = await signInWithRole(server);
    await proveBefore(user, 8 * 60 * 60 + 1);
    expect(cancelOf(await browser.follow(await browser.get("/manage/admin/people/invite")))).toBe("/manage");
    const stranger = server.browser();
    const anna = await server.users.create();
    await settingsClient.openSettings(stranger, anna);
    await proveBefore(anna, 11 * 60);
    for (const to of ["/manage/admin/people/invite", "//evil.example/people/1/edit", "/manage/mfa/totp/remove"]) {
      const confirm = await stranger.get(`/manage/confirm?${new URLSearchParams({ to })}`);
      expect(cancelOf(confirm)).toBe(to.includes("/mfa/") ? "/manage/mfa" : "/manage");
    }
  });

  describe("keeps the search of a list", () => {
    const LIST = "/manage/admin/people?q=M%C3%BCller+%26+Co&show=blocked&page=2";

    test("when the settings open again without a question", async () => {
      const { browser } = await signInWithRole(server);
      server.clock.advance(10 * 60 + 1);
      const page = await browser.follow(await browser.get(LIST));
      expect([pathOfUrl(page), page.status]).toEqual([LIST, 200]);
      expect(page.page().one("input", { name: "q" }).attributes.value).toBe("Müller & Co");
    });

    test("but not in the request of a sign-in, which may be stored for a day", async () => {
      const { browser } = await signInWithRole(server);
      await passWorkingDay(browser);
      const request = await browser.get(`/manage/open?${new URLSearchParams({ to: LIST })}`);
      expect(new URL(request.location ?? "").searchParams.get("state")).toBe("/manage/admin/people");
    });

    // Proves requirement 115.
    test.each([
      ["/manage/admin/people?q=a&t=stolen&done=invited", "/manage/admin/people?q=a"],
      [`/manage/admin/people?q=${"ü".repeat(300)}`, "/manage/admin/people"],
      ["/manage/admin/activity?kind=x#top", "/manage/admin/activity?kind=x%23top"],
      ["/manage/admin/activity#top", "/manage"],
      ["/manage/admin/../login?q=a", "/manage"],
      ["//evil.example?q=a", "/manage"],
      ["/manage/mfa?q=a", "/manage"],
    ])("without secrets, other places and long texts: %s", async (to, target) => {
      const { browser } = await signInWithRole(server);
      const { pathname, searchParams } = new URL(
        (await browser.get(`/manage/open?${new URLSearchParams({ to })}`)).location ?? "",
      );
      expect(searchParams.getAll("t")).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
      searchParams.delete("t");
      expect(pathname + (searchParams.size > 0 ? `?${searchParams}` : "")).toBe(target);
    });
  });

  test("has no pages with ADMIN_PAGES=off, and no link leads there", async () => {
    const { browser } = await signInWithRole(server);
    expect((await browser.get("/")).body).toContain("/manage/admin");
    Object.assign(context.config, { adminPages: false });
    expect((await browser.get("/manage/admin")).status).toBe(404);
    expect((await browser.get("/")).body).not.toContain("/manage/admin");
    Object.assign(context.config, { adminPages: true });
  });
});
