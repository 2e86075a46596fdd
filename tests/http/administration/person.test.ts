import { describe, expect, test } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { listGroupsOfUser } from "#app/db/repositories/group-members.server.ts";
import { findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUserRole } from "#app/db/repositories/user-roles.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { listPersonEvents, listPersonSessions } from "#app/domain/person/show.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import type { Browser, FormValues } from "#tests/support/browser-jar.ts";
import { givePasskey, giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { openWithTwoFactors, signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
const settingsClient = await createSettingsClient(server);
const { browser: admin, user: administrator } = await signInWithRole(server);

const urlOf = ({ id }: { id: string }, action = "") => `/manage/admin/people/${id}${action}`;

/** Loads the page of a change, fills in its form and sends it. */
async function change(browser: Browser, person: TestUser, action: string, values: FormValues = {}) {
  const path = urlOf(person, action);
  const page = await browser.get(path);
  expect([path, page.status]).toEqual([path, 200]);
  return browser.submit(page, page.page().form(path.replace(/\?.*/, "")), values);
}

async function stored({ id }: { id: string }) {
  const user = await findUser(context.store, id);
  if (!user) throw new Error("user not found");
  return user;
}

/** Changes with the values of their forms; `isFresh`: they need a recent proof of identity. */
const CHANGES = {
  "/edit": { helpDesk: false, isFresh: true, values: { displayName: "Someone Else" } },
  "/office": { helpDesk: false, isFresh: true, values: { office: "" } },
  "/groups": { helpDesk: false, isFresh: true, values: { add: "", remove: "" } },
  "/role": { helpDesk: false, isFresh: true, values: { role: "administrator", office: "" } },
  "/block": { helpDesk: true, isFresh: false, values: { reason: "Long leave" } },
  "/unblock": { helpDesk: true, isFresh: true, values: {} },
  "/end-sessions": { helpDesk: true, isFresh: false, values: {} },
  "/last-day": { helpDesk: true, isFresh: true, values: { lastDay: "2099-12-31" } },
  "/remove": { helpDesk: false, isFresh: true, values: { username: "x" } },
  "/resend": { helpDesk: true, isFresh: true, values: {} },
  "/factors/totp": { helpDesk: false, isFresh: true, values: {} },
} as const;

/** Returns the status of the page of a change, and of its form with a token that this browser has. */
async function attempt(browser: Browser, person: TestUser, action: keyof typeof CHANGES, xsrf: string) {
  const page = await browser.get(urlOf(person, action));
  const posted = await browser.post(urlOf(person, action), { ...CHANGES[action].values, _xsrf: xsrf });
  return [page.status, posted.status];
}

async function xsrfOf(browser: Browser): Promise<string> {
  const page = await browser.get("/manage/language");
  return /name="_xsrf" value="([^"]+)"/.exec(page.body)?.[1] ?? "";
}

describe("a person's page", () => {
  test("shows data, applications and why, sign-in methods, sessions, and history with its actor", async () => {
    const office = await server.groups.create({ name: "Office Bremen" });
    const team = await server.groups.create({ name: "Claims team" });
    const client = await server.clients.create({ name: "Claims register" });
    await context.store.tx(async (tx) => {
      await updateClient(tx, client.clientId, { access: "groups" }, context.clock.now());
      await replaceGroupsOfClient(tx, client.clientId, [team.id]);
    });
    const person = await server.users.create({ groupName: office.name, furtherGroups: [team.name] });
    await giveTotp(server, person);
    await openWithTwoFactors(server, person);
    expect(pathOf(await change(admin, person, "/last-day", { lastDay: "2099-12-31" }))).toBe(
      urlOf(person, "?done=last-day-saved"),
    );
    const { body, status } = await admin.get(urlOf(person));
    expect(status).toBe(200);
    for (const text of ["Office Bremen", "Through Claims team", "Authenticator app", "1 session", "31", "by "]) {
      expect(body).toContain(text);
    }
    expect((await listPersonEvents(context, person.id))[0]).toMatchObject({ type: "user.changed" });
    const events = await context.store.q.select().from(context.store.t.auditEvents);
    const event = events.findLast(({ type, userId }) => type === "user.changed" && userId === person.id);
    expect(event).toMatchObject({ actorId: administrator.id, detail: { reason: "lastDay" } });
  });

  // Proves requirement 205.
  test("is unknown to a help desk of another office, to users without a role, and with a guessed id", async () => {
    const office = await server.groups.create();
    const own = await server.users.create({ groupName: office.name });
    const other = await server.users.create();
    const { browser } = await signInWithRole(server, { role: "help-desk", office });
    const stranger = server.browser();
    await settingsClient.openSettings(stranger, await server.users.create());
    expect((await browser.get(urlOf(own))).status).toBe(200);
    expect((await browser.get(urlOf(other))).status).toBe(404);
    expect((await browser.get(urlOf({ id: "0".repeat(32) }))).status).toBe(404);
    expect((await stranger.get(urlOf(own))).status).toBe(404);
    const xsrf = await xsrfOf(browser);
    for (const action of Object.keys(CHANGES) as (keyof typeof CHANGES)[]) {
      expect([action, ...(await attempt(browser, other, action, xsrf))]).toEqual([action, 404, 404]);
      expect([action, ...(await attempt(stranger, own, action, await xsrfOf(stranger)))]).toEqual([action, 404, 404]);
    }
    expect((await stored(other)).status).toBe("active");
  });

  // Proves requirement 206.
  test("has no change for its own account and for a person of a higher rank, and a help desk's changes only", async () => {
    const helpDesk = await signInWithRole(server, { role: "help-desk" });
    const person = await server.users.create();
    const xsrf = await xsrfOf(helpDesk.browser);
    const adminXsrf = await xsrfOf(admin);
    for (const [action, { helpDesk: isAllowed }] of Object.entries(CHANGES)) {
      const key = action as keyof typeof CHANGES;
      expect([action, ...(await attempt(helpDesk.browser, administrator, key, xsrf))]).toEqual([action, 404, 404]);
      expect([action, ...(await attempt(admin, administrator, key, adminXsrf))]).toEqual([action, 404, 404]);
      if (isAllowed) continue;
      expect([action, ...(await attempt(helpDesk.browser, person, key, xsrf))]).toEqual([action, 404, 404]);
    }
    const own = await admin.get(urlOf(administrator));
    expect(own.body).toContain("This is your own account");
    expect(own.body).not.toContain(urlOf(administrator, "/block"));
    const higher = await helpDesk.browser.get(urlOf(administrator));
    expect(higher.body).toContain("at least the same role");
    expect(higher.body).not.toContain(urlOf(administrator, "/block"));
  });

  test("refuses unknown fields and another user's form token", async () => {
    const { browser } = await signInWithRole(server);
    const person = await server.users.create();
    const xsrf = await xsrfOf(browser);
    const foreign = await xsrfOf(admin);
    for (const [action, { values }] of Object.entries(CHANGES)) {
      if (action === "/factors/totp") continue;
      const path = urlOf(person, action);
      const extra = await browser.post(path, { ...values, generation: "1", _xsrf: xsrf });
      const stolen = await browser.post(path, { ...values, _xsrf: foreign });
      expect([action, extra.status, stolen.status]).toEqual([action, 400, 403]);
    }
    expect(await stored(person)).toMatchObject({ status: "active", lastDay: null });
  });
});

describe("a change of a person", () => {
  test("blocks with a reason for administrators, once, and unblocks", async () => {
    const person = await server.users.create();
    await openWithTwoFactors(server, person);
    const page = await admin.get(urlOf(person, "/block"));
    expect(page.body).toContain("1 session");
    const form = page.page().form(urlOf(person, "/block"));
    expect(pathOf(await admin.submit(page, form, { reason: "Long leave" }))).toBe(urlOf(person, "?done=blocked"));
    expect(pathOf(await admin.submit(page, form, { reason: "Again" }))).toBe(urlOf(person, "?done=blocked"));
    expect(await stored(person)).toMatchObject({ status: "blocked", blockReason: "Long leave" });
    expect(await listPersonSessions(context, await stored(person))).toEqual([]);
    const events = await listPersonEvents(context, person.id);
    expect(events.filter(({ type }) => type === "user.blocked")).toHaveLength(1);
    const helpDesk = await signInWithRole(server, { role: "help-desk" });
    const blocked = (await admin.get(urlOf(person))).body;
    expect(blocked).toContain("Long leave");
    expect(blocked).toContain("What can be used after unblocking, and why.");
    expect((await helpDesk.browser.get(urlOf(person))).body).not.toContain("Long leave");
    await change(helpDesk.browser, person, "/unblock");
    expect(await stored(person)).toMatchObject({ status: "active", blockReason: null });
  });

  // Proves requirement 224.
  test("edits data: a new address is not verified, and the old one gets a notice", async () => {
    const person = await server.users.create({ email: "old@example.com" });
    await change(admin, person, "/edit", { displayName: "New Name", email: "new@example.com", phone: "" });
    expect(await stored(person)).toMatchObject({
      displayName: "New Name",
      email: "new@example.com",
      emailVerified: false,
    });
    const notice = (await server.mails()).find(({ to }) => to.includes("old@example.com"));
    expect(notice?.text).toContain("please ask your administrator");
    const refused = await change(admin, person, "/edit", { email: "no address" });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain("user is invalid");
  });

  test("restores no data that has changed since its page was loaded, and shows the present one", async () => {
    const person = await server.users.create({ displayName: "Anna Old", email: "old@example.com" });
    const path = urlOf(person, "/edit");
    const page = await admin.get(path);
    const own = { email: "new@example.com", emailVerified: true };
    await setUser(context, person.username, own);
    const refused = await admin.submit(page, page.page().form(path), { displayName: "Anna New" });
    expect(refused.status).toBe(400);
    expect(refused.page().text).toContain("The data has changed meanwhile.");
    expect(await stored(person)).toMatchObject({ displayName: "Anna Old", ...own });
    await admin.submit(refused, refused.page().form(path), { displayName: "Anna New" });
    expect(await stored(person)).toMatchObject({ displayName: "Anna New", ...own });
  });

  test("shows an error at the field that it is about, also to a screen reader", async () => {
    const person = await server.users.create();
    const refusals = [
      ["/edit", "email", "no address", "Please enter a complete"],
      ["/edit", "phone", "1".repeat(51), "in the phone number"],
      ["/edit", "givenName", "a".repeat(101), "in the given name"],
      ["/edit", "displayName", " ", "Enter a display name"],
      ["/remove", "username", "someone", "not the user name of this person"],
      ["/last-day", "lastDay", "2020-01-01", "This day is over"],
    ] as const;
    for (const [action, name, value, sentence] of refusals) {
      const page = (await change(admin, person, action, { [name]: value })).page();
      const { attributes } = page.one("input", { name });
      expect([name, attributes["aria-invalid"]]).toEqual([name, "true"]);
      expect(attributes["aria-describedby"]).toContain(`${name}-error`);
      expect(page.one("a", { href: `#${name}` }).text).toContain(sentence);
      // The browser would suggest the administrator's own data.
      if (name !== "lastDay") expect([name, attributes.autocomplete]).toEqual([name, "off"]);
    }
  });

  test("moves to another office and changes groups after naming the applications that are lost and gained", async () => {
    const from = await server.groups.create();
    const to = await server.groups.create();
    const client = await server.clients.create({ name: "Ledger of the old office" });
    await context.store.tx(async (tx) => {
      await updateClient(tx, client.clientId, { access: "groups" }, context.clock.now());
      await replaceGroupsOfClient(tx, client.clientId, [from.id]);
    });
    const person = await server.users.create({ groupName: from.name });
    const page = await admin.get(urlOf(person, `/office?office=${to.id}`));
    expect(page.body).toContain("1 application is lost");
    expect(page.body).toContain("Ledger of the old office");
    await admin.submit(page, page.page().form(urlOf(person, "/office")));
    expect((await stored(person)).groupId).toBe(to.id);
    const gain = await admin.get(urlOf(person, `/groups?chosen=yes&group=${from.id}`));
    expect(gain.body).toContain("1 application is gained");
    await admin.submit(gain, gain.page().form(urlOf(person, "/groups")));
    expect((await listGroupsOfUser(context.store, person.id)).map(({ id }) => id)).toEqual([to.id, from.id]);
    await change(admin, person, `/groups?remove=${from.id}`);
    expect((await listGroupsOfUser(context.store, person.id)).map(({ id }) => id)).toEqual([to.id]);
  });

  test("adds a person to 90 ticked groups at once, and says that 120 are too many", async () => {
    const groups: { id: string }[] = [];
    for (let number = 0; number < 120; number += 1) groups.push(await server.groups.create());
    const person = await server.users.create();
    const choose = async (count: number) => {
      const ticked = groups.slice(0, count).map(({ id }) => `group=${id}`);
      const page = await admin.get(`${urlOf(person, "/groups")}?chosen=yes&${ticked.join("&")}`);
      expect([count, page.status]).toEqual([count, 200]);
      return admin.submit(page, page.page().form(urlOf(person, "/groups")));
    };
    const refused = await choose(120);
    expect(refused.status).toBe(400);
    expect(refused.page().text).toMatch(/too many groups|100/);
    expect(pathOf(await choose(90))).toBe(urlOf(person, "?done=groups-saved"));
    expect(await listGroupsOfUser(context.store, person.id)).toHaveLength(90);
  });

  test("gives and takes roles, and refuses an administrator of one office", async () => {
    const office = await server.groups.create();
    const person = await server.users.create();
    await change(admin, person, "/role", { role: "help-desk", office: office.id });
    expect(await findUserRole(context.store, person.id)).toMatchObject({ role: "help-desk", officeId: office.id });
    const refused = await change(admin, person, "/role", { role: "administrator", office: office.id });
    expect(refused.status).toBe(400);
    await change(admin, person, "/role", { role: "none", office: "" });
    expect(await findUserRole(context.store, person.id)).toBeNull();
  });

  test("sends an invitation again, and withdraws it unless the account was used", async () => {
    const added = { username: "invited.person", displayName: "Invited Person", email: "invited@example.com" };
    const { id, username, displayName } = await addUser(context, added);
    const person = { id, username, displayName, password: "" };
    const page = await admin.get(urlOf(person));
    expect(page.body).toContain("Send invitation again");
    expect(page.body).not.toContain(urlOf(person, "/help/new-device"));
    expect(pathOf(await change(admin, person, "/resend"))).toBe(urlOf(person, "?done=invited"));
    expect((await server.mails()).some(({ to }) => to.includes("invited@example.com"))).toBe(true);
    const withdrawal = await admin.get(urlOf(person, "/withdraw"));
    const form = withdrawal.page().form(urlOf(person, "/withdraw"));
    expect(pathOf(await admin.submit(withdrawal, form))).toBe("/manage/admin/people?done=withdrawn");
    expect(await findUser(context.store, person.id)).toBeNull();
    const used = await server.users.create();
    expect(pathOf(await admin.get(urlOf(used, "/withdraw")))).toBe(urlOf(used));
    expect((await change(admin, used, "/resend")).status).toBe(400);
  });

  test("shows open help and withdraws it, and says why help of the other kind has to wait", async () => {
    const person = await server.users.create();
    await giveTotp(server, person);
    const given = { hours: "1", proved: "yes", _xsrf: await xsrfOf(admin) };
    expect((await admin.post(urlOf(person, "/help/new-device"), given)).status).toBe(200);
    const page = await admin.get(urlOf(person));
    const { text } = page.page();
    expect(text).toContain("New device, until");
    expect(text).toContain("Help for a new password is not possible until");
    expect(page.body).not.toContain(`href="${urlOf(person, "/help/new-password")}"`);
    const withdraw = page.page().form(urlOf(person, "/help/withdraw"));
    const done = await admin.follow(await admin.submit(page, withdraw));
    expect(done.page().text).toContain("The help has been withdrawn.");
    expect(done.page().text).not.toContain("New device, until");
    expect(done.body).toContain(`href="${urlOf(person, "/help/new-password")}"`);
  });

  // Proves requirement 225.
  test("does not remove the last factor after help for a new password, and says why and until when", async () => {
    const person = await server.users.create();
    await giveTotp(server, person);
    const removal = await admin.get(urlOf(person, "/factors/totp"));
    const given = { hours: "1", proved: "yes", _xsrf: await xsrfOf(admin) };
    expect((await admin.post(urlOf(person, "/help/new-password"), given)).status).toBe(200);
    const page = await admin.get(urlOf(person, "/factors/totp"));
    expect(page.page().text).toMatch(/The last second factor cannot be removed until \S/);
    expect(page.body).not.toContain(`action="${urlOf(person, "/factors/totp")}"`);
    const refused = await admin.submit(removal, removal.page().form(urlOf(person, "/factors/totp")));
    expect(refused.status).toBe(400);
    expect(refused.page().text).toMatch(/The last second factor cannot be removed until \S/);
    expect(await findTotpCredential(context.store, person.id)).not.toBeNull();
  });

  test("removes a passkey by its name, and leads to the history of this person only", async () => {
    const person = await server.users.create();
    const { id } = await givePasskey(server, person);
    const page = await admin.get(urlOf(person));
    expect(page.page().text).toContain("Passkey");
    expect(page.body).toContain(`href="/manage/admin/activity?person=${person.id}"`);
    expect(pathOf(await change(admin, person, `/factors/key-${id}`))).toBe(urlOf(person, "?done=method-removed"));
    const history = await admin.get(`/manage/admin/activity?person=${person.id}`);
    expect(history.page().text).toMatch(/passkey/i);
    expect(history.page().text).not.toContain(administrator.username);
  });

  // Proves requirement 207.
  test("lets one of two administrators win who take each other's role at once", async () => {
    const [one, other] = [await signInWithRole(server), await signInWithRole(server)];
    const pages = [
      await one.browser.get(urlOf(other.user, "/role")),
      await other.browser.get(urlOf(one.user, "/role")),
    ] as const;
    const forms = [
      pages[0].page().form(urlOf(other.user, "/role")),
      pages[1].page().form(urlOf(one.user, "/role")),
    ] as const;
    const none = { role: "none", office: "" };
    await Promise.all([one.browser.submit(pages[0], forms[0], none), other.browser.submit(pages[1], forms[1], none)]);
    const roles = [await findUserRole(context.store, one.user.id), await findUserRole(context.store, other.user.id)];
    expect(roles.filter((role) => role !== null)).toHaveLength(1);
  });

  test("changes nothing when the administrator is blocked between the page and the form, or the person promoted", async () => {
    const { browser, user } = await signInWithRole(server, { role: "help-desk" });
    const person = await server.users.create();
    const path = urlOf(person, "/block");
    const page = await browser.get(path);
    await context.store.tx((store) =>
      grantRole({ ...context, store }, person, { role: "administrator", office: null }),
    );
    expect((await browser.submit(page, page.page().form(path))).status).toBe(404);
    await blockUser(context, user.username);
    const response = await browser.submit(page, page.page().form(path));
    expect([303, 404]).toContain(response.status);
    expect((await stored(person)).status).toBe("active");
  });

  test("removes a second factor with all sessions, and the person after the user name was typed", async () => {
    const person = await server.users.create();
    await giveTotp(server, person);
    await openWithTwoFactors(server, person);
    expect(pathOf(await change(admin, person, "/factors/totp"))).toBe(urlOf(person, "?done=method-removed"));
    expect(await findTotpCredential(context.store, person.id)).toBeNull();
    expect(await listPersonSessions(context, await stored(person))).toEqual([]);
    expect((await admin.get(urlOf(person, "/factors/totp"))).status).toBe(404);
    expect((await change(admin, person, "/remove", { username: "other" })).status).toBe(400);
    expect(pathOf(await change(admin, person, "/remove", { username: person.username }))).toBe(
      "/manage/admin/people?done=removed",
    );
    expect(await findUser(context.store, person.id)).toBeNull();
  });
});

describe("a proof of identity", () => {
  test("asks for a fresh proof before changes that give access", async () => {
    const { browser } = await signInWithRole(server);
    const person = await server.users.create();
    const xsrf = await xsrfOf(browser);
    // The settings stay open, which they would not after ten idle minutes.
    server.clock.advance(6 * 60);
    expect((await browser.get(urlOf(person))).status).toBe(200);
    server.clock.advance(5 * 60);
    for (const [action, { isFresh, values }] of Object.entries(CHANGES)) {
      if (!isFresh) continue;
      const path = urlOf(person, action);
      const responses = [await browser.get(path), await browser.post(path, { ...values, _xsrf: xsrf })];
      expect([action, ...responses.map((response) => response.status)]).toEqual([action, 303, 303]);
      for (const response of responses) expect(pathOf(response)).toMatch(/^\/manage\/confirm/);
    }
  });
});

describe("the last day", () => {
  // Proves requirement 208.
  test("blocks after its end in TIME_ZONE, once on two processes, and is removed by unblocking", async () => {
    const { browser: current } = await signInWithRole(server);
    const person = await server.users.create();
    await openWithTwoFactors(server, person);
    const today = context.clock.now().toISOString().slice(0, 10);
    await change(current, person, "/last-day", { lastDay: today });
    await createCleanUp(context).run();
    expect((await stored(person)).status).toBe("active");
    const path = urlOf(person, "/last-day");
    const past = await current.post(path, { lastDay: "2001-01-01", _xsrf: await xsrfOf(current) });
    expect(past.status).toBe(400);
    server.clock.advance(36 * 60 * 60);
    await Promise.all([createCleanUp(context).run(), createCleanUp(context).run()]);
    expect(await stored(person)).toMatchObject({ status: "blocked", lastDay: today });
    const events = await listPersonEvents(context, person.id);
    expect(events.filter(({ type }) => type === "user.left")).toHaveLength(1);
    expect(await listPersonSessions(context, await stored(person))).toEqual([]);
    const { browser } = await signInWithRole(server);
    await change(browser, person, "/unblock");
    expect(await stored(person)).toMatchObject({ status: "active", lastDay: null });
  });
});
