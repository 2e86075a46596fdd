import { describe, expect, test } from "vitest";
import { revokeRole } from "#app/domain/role/grant.server.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
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

  test("opens again without a question while the session lives", async () => {
    const { browser } = await signInWithRole(server);
    server.clock.advance(60 * 60);
    const { url, status } = await browser.follow(await browser.get("/manage/admin"));
    expect([new URL(url).pathname, status]).toEqual(["/manage/admin/people", 404]);
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
