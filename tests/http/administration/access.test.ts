import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { grantRole, revokeRole } from "#app/domain/role/grant.server.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
const LOST = "Nothing has been changed yet, because you are no longer signed in here.";

const settingsClient = await createSettingsClient(server);

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
    const { manageSessions } = context.store.t;
    const proveBefore = async (seconds: number) => {
      const authTime = new Date(context.clock.now().getTime() - seconds * 1000);
      await context.store.q.update(manageSessions).set({ authTime }).where(eq(manageSessions.userId, helga.id));
    };
    await proveBefore(8 * 60 * 60);
    expect(pathOf(await proven.get("/manage/admin"))).toBe("/manage/admin/people");
    await proveBefore(8 * 60 * 60 + 1);
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

  test("has no pages with ADMIN_PAGES=off, and no link leads there", async () => {
    const { browser } = await signInWithRole(server);
    expect((await browser.get("/")).body).toContain("/manage/admin");
    Object.assign(context.config, { adminPages: false });
    expect((await browser.get("/manage/admin")).status).toBe(404);
    expect((await browser.get("/")).body).not.toContain("/manage/admin");
    Object.assign(context.config, { adminPages: true });
  });
});
