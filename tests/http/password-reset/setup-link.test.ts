import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ADMINISTRATORS_GROUP,
  addFirstAdministrator,
  createSetupLink,
  findFirstAdministrator,
} from "#app/domain/administrator/first-administrator.server.ts";
import { grantRoleByName, revokeRoleByName } from "#app/domain/administrator/roles.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { listRoles } from "#app/domain/role/grant.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import { signInFirst } from "#tests/http/setup/first-sign-in.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { choose, ERROR_TOKEN, openLink, redirectTarget } from "./steps.ts";

const DAY_SECONDS = 24 * 60 * 60;
const USERNAME = "anna.berger";
const ANNA = { username: USERNAME, displayName: "Anna Berger", email: "anna.berger@office.example" };

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

beforeEach(async () => {
  await removeUsers();
  expect(await addFirstAdministrator(server.context, ANNA)).toEqual({ kind: "added", username: USERNAME });
});

/** Removes the rows, because `removeUser` keeps the last administrator. */
async function removeUsers(): Promise<void> {
  const { q, t } = server.context.store;
  await q.delete(t.users);
}

/** Blocks the first administrator, after another user got the role for a moment. */
async function blockFirst(): Promise<void> {
  const { context, users } = server;
  const { username } = await users.create();
  await grantRoleByName(context, username, { role: "administrator", office: null });
  await blockUser(context, USERNAME);
  const { q, t } = context.store;
  await q.delete(t.users).where(eq(t.users.username, username));
}

const createLink = async () => (await createSetupLink(server.context, USERNAME)).url;

describe("the link of setup", () => {
  test("leads over a password, a sign-in and a second factor to the settings", async () => {
    const { context, clock } = server;
    expect(await findFirstAdministrator(context)).toEqual({ kind: "waiting", username: USERNAME, linkExpiresAt: null });
    const { url: link, expiresAt } = await createSetupLink(context, USERNAME);
    const waiting = { kind: "waiting", username: USERNAME, linkExpiresAt: expiresAt };
    expect(await findFirstAdministrator(context)).toEqual(waiting);
    const { titles, last } = await signInFirst(server.browser(), { link, username: USERNAME, clock });
    expect(titles).toEqual([
      "Choose your password | Gatehouse",
      "Sign in | Gatehouse",
      "Set up a second factor | Gatehouse",
      "Login settings | Gatehouse",
    ]);
    expect(new URL(last.url).pathname).toBe("/manage");
    expect(await findFirstAdministrator(context)).toEqual({ kind: "ready", username: USERNAME });
  });

  test("is that of an administrator whose home is another group, too", async () => {
    const { context, users, groups } = server;
    await removeUsers();
    expect(await findFirstAdministrator(context)).toEqual({ kind: "none" });
    const { name: groupName } = await groups.create();
    const { username } = await users.create({ groupName });
    await setUser(context, username, { addGroups: [ADMINISTRATORS_GROUP] });
    expect(await findFirstAdministrator(context)).toEqual({ kind: "waiting", username, linkExpiresAt: null });
  });

  test("is valid for a day, to the last second, and works once", async () => {
    const link = await createLink();
    server.clock.advance(DAY_SECONDS - 1);
    const browser = server.browser();
    const page = await openLink(browser, link);
    const signIn = await browser.follow(await choose(browser, page));
    expect([hasForm(signIn, "/login/native"), signIn.body.includes(`value="${USERNAME}"`)]).toEqual([true, true]);
    expect(redirectTarget(await choose(browser, page))).toBe(ERROR_TOKEN);
    expect((await openLink(server.browser(), link)).url).toContain(ERROR_TOKEN);
  });

  test("used twice at once sets one password", async () => {
    const link = await createLink();
    const browsers = [server.browser(), server.browser()];
    const pages = await Promise.all(browsers.map((browser) => openLink(browser, link)));
    const targets = await Promise.all(
      browsers.map(async (browser, at) => {
        const page = pages[at];
        return page ? redirectTarget(await choose(browser, page)) : "";
      }),
    );
    expect(targets.filter((target) => target === ERROR_TOKEN)).toHaveLength(1);
    expect(targets.filter((target) => target.startsWith("/oauth2/auth?"))).toHaveLength(1);
  });

  test.each([
    ["after a day", async () => server.clock.advance(DAY_SECONDS)],
    ["after a newer one", createLink],
    ["for a blocked user", () => blockFirst()],
  ])("does not work %s", async (_when, happen) => {
    const link = await createLink();
    await happen();
    expect((await openLink(server.browser(), link)).url).toContain(ERROR_TOKEN);
  });

  test("can be created again after the password, until there is a second factor", async () => {
    const browser = server.browser();
    await choose(browser, await openLink(browser, await createLink()));
    expect(await findFirstAdministrator(server.context)).toMatchObject({ kind: "waiting", linkExpiresAt: null });
    const { clock } = server;
    await signInFirst(server.browser(), { link: await createLink(), username: USERNAME, clock });
    expect(await findFirstAdministrator(server.context)).toMatchObject({ kind: "ready" });
  });
});

describe("the first administrator", () => {
  test("is not added to a group that requires no second factor", async () => {
    await removeUsers();
    await setGroup(server.context, ADMINISTRATORS_GROUP, { requireMfa: false });
    expect(await addFirstAdministrator(server.context, ANNA)).toEqual({ kind: "unprotected" });
    expect(await findFirstAdministrator(server.context)).toEqual({ kind: "none" });
    await setGroup(server.context, ADMINISTRATORS_GROUP, { requireMfa: true });
  });

  test("is not one who is blocked", async () => {
    await blockFirst();
    expect(await findFirstAdministrator(server.context)).toEqual({ kind: "none" });
  });

  test("has the role, and a user with the role is one outside the group, too", async () => {
    const { context, users } = server;
    const listed = async () => (await listRoles(context)).map(({ username, role }) => `${username}: ${role}`);
    expect(await listed()).toEqual([`${USERNAME}: administrator`]);
    const { username } = await users.create();
    await grantRoleByName(context, username, { role: "administrator", office: null });
    await revokeRoleByName(context, USERNAME);
    expect(await findFirstAdministrator(context)).toEqual({ kind: "waiting", username, linkExpiresAt: null });
  });
});
