import { describe, expect, test } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { listGroupsOfUser } from "#app/db/repositories/group-members.server.ts";
import { findGroup } from "#app/db/repositories/groups.server.ts";
import { findUserRole } from "#app/db/repositories/user-roles.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Browser, FormValues } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
const settingsClient = await createSettingsClient(server);
const { browser: admin, user: administrator } = await signInWithRole(server);

const LIST = "/manage/admin/groups";

/** Loads a page with a form, fills it in and sends it. */
async function send(browser: Browser, path: string, values: FormValues = {}) {
  const page = await browser.get(path);
  expect([path, page.status]).toEqual([path, 200]);
  return browser.submit(page, page.page().form(path), values);
}

/** Opens an application to the members of a group alone. */
async function openTo(group: { id: string }, name: string) {
  const client = await server.clients.create({ name });
  await context.store.tx(async (tx) => {
    await updateClient(tx, client.clientId, { access: "groups" }, context.clock.now());
    await replaceGroupsOfClient(tx, client.clientId, [group.id]);
  });
  return client;
}

/** Returns the events of this type, oldest first. */
async function eventsOf(type: string) {
  const { auditEvents } = context.store.t;
  const events = await context.store.q.select().from(auditEvents).orderBy(auditEvents.sequence);
  return events.filter((event) => event.type === type);
}

describe("the groups", () => {
  test("are listed as offices and further groups, with people, applications and rules", async () => {
    const office = await server.groups.create({ name: "Office Kiel", requireMfa: true });
    const team = await server.groups.create({ name: "Claims", description: "Damage", isDefault: true });
    await openTo(team, "Archive of claims");
    await server.users.create({ groupName: office.name });
    const { page } = await admin.get(LIST);
    const [offices, others] = page().all("table");
    expect(offices?.text).toContain("Office Kiel");
    expect(offices?.text).toContain("Second factor required");
    expect(offices?.text).toContain("1 person");
    expect(others?.text).toContain("Claims");
    expect(others?.text).toContain("Damage · For each new person");
    expect(others?.text).toContain("1 application");
    expect(others?.text).not.toContain("Office Kiel");
  });

  test("are unknown pages for a help desk, for users without a role, and with guessed ids", async () => {
    const office = await server.groups.create();
    const helpDesk = await signInWithRole(server, { role: "help-desk" });
    const ofOffice = await signInWithRole(server, { role: "help-desk", office });
    const stranger = server.browser();
    await settingsClient.openSettings(stranger, await server.users.create());
    const paths = ["", "/add", `/${office.id}`, `/${office.id}/edit`, `/${office.id}/remove`];
    for (const browser of [helpDesk.browser, ofOffice.browser, stranger]) {
      const answers = await Promise.all(paths.map((path) => browser.get(LIST + path)));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
      for (const path of ["/add", `/${office.id}/edit`, `/${office.id}/remove`]) {
        expect((await browser.post(LIST + path, { _xsrf: "x", name: "Mine" })).status).toBe(404);
      }
    }
    for (const path of ["/unknown", "/unknown/edit", "/unknown/remove"]) {
      expect([path, (await admin.get(LIST + path)).status]).toEqual([path, 404]);
    }
  });

  test("are added and changed, and the trail names the administrator", async () => {
    const added = await send(admin, `${LIST}/add`, { name: " Night shift ", contact: "Ask Eva." });
    expect(added.status).toBe(303);
    const page = await admin.follow(added);
    expect(page.page().one("div", { "data-code": "added" }).text).toContain("The group was added.");
    expect(page.page().text).toContain("Ask Eva.");
    const path = `${new URL(page.url).pathname}/edit`;
    const edited = await admin.get(path);
    const form = edited.page().form(path);
    const values = { ...Object.fromEntries(form.fields), name: "Late shift", contact: "", require_mfa: "yes" };
    expect(pathOf(await admin.post(path, values))).toBe(`${path.replace("/edit", "")}?done=changed`);
    const group = await findGroup(context.store, path.split("/").at(-2) ?? "");
    expect(group).toMatchObject({ name: "Late shift", contact: null, requireMfa: true, isDefault: false });
    const [event] = (await eventsOf("group.changed")).slice(-1);
    expect(event).toMatchObject({ actorId: administrator.id });
  });

  test("are refused with a sentence at each field", async () => {
    await server.groups.create({ name: "Taken" });
    const taken = await send(admin, `${LIST}/add`, { name: "Taken" });
    expect(taken.status).toBe(400);
    expect(taken.page().one("p", { id: "name-error" }).text).toContain("Another group has this name");
    const invalid = await send(admin, `${LIST}/add`, { name: " ", description: "x".repeat(301) });
    expect(invalid.page().one("p", { id: "name-error" }).text).toContain("at most 100 characters");
    expect(invalid.page().one("p", { id: "description-error" }).text).toContain("at most 300 characters");
    expect(invalid.page().title).toContain("Error:");
  });

  test("are not changed by a form of another user, of no page, or with other fields", async () => {
    const { id, name } = await server.groups.create();
    const path = `${LIST}/${id}/edit`;
    const other = await signInWithRole(server);
    const foreign = Object.fromEntries((await other.browser.get(path)).page().form(path).fields);
    const own = Object.fromEntries((await admin.get(path)).page().form(path).fields);
    expect((await admin.post(path, { ...foreign, name: "Stolen" })).status).toBe(403);
    expect((await admin.post(path, { ...own, _xsrf: "", name: "Stolen" })).status).toBe(403);
    for (const field of ["id", "office", "role", "requireMfa"]) {
      expect((await admin.post(path, { ...own, name: "Stolen", [field]: "x" })).status).toBe(400);
    }
    const removal = `${LIST}/${id}/remove`;
    expect((await admin.post(removal, { _xsrf: foreign["_xsrf"] ?? "", seen: "" })).status).toBe(403);
    expect(await findGroup(context.store, id)).toMatchObject({ name });
  });

  test("ask for a fresh proof of identity before a change", async () => {
    const { id } = await server.groups.create();
    const stale = await signInWithRole(server);
    const path = `${LIST}/${id}/edit`;
    const form = Object.fromEntries((await stale.browser.get(path)).page().form(path).fields);
    server.clock.advance(11 * MINUTE_SECONDS);
    await stale.browser.follow(await stale.browser.get(`/manage/open?to=${LIST}`));
    for (const page of ["/add", `/${id}/edit`, `/${id}/remove`]) {
      expect(pathOf(await stale.browser.get(LIST + page))).toBe(
        `/manage/confirm?to=${encodeURIComponent(LIST + page)}`,
      );
    }
    expect(pathOf(await stale.browser.post(path, { ...form, name: "Late" }))).toContain("/manage/confirm");
    expect(await findGroup(context.store, id)).not.toMatchObject({ name: "Late" });
  });
});

describe("a group that another administrator changes meanwhile", () => {
  // Proves requirement 214.
  test("is not overwritten: the page shows its present state", async () => {
    const { browser: first } = await signInWithRole(server);
    const { browser: second } = await signInWithRole(server);
    const { id } = await server.groups.create({ name: "Before" });
    const path = `${LIST}/${id}/edit`;
    const [one, two] = await Promise.all([first.get(path), second.get(path)]);
    const [renamed, contacted] = await Promise.all([
      first.submit(one, one.page().form(path), { name: "After" }),
      second.submit(two, two.page().form(path), { contact: "Eva" }),
    ]);
    const statuses = [renamed.status, contacted.status].toSorted();
    expect(statuses).toEqual([303, 400]);
    const refused = renamed.status === 400 ? renamed : contacted;
    expect(refused.page().text).toContain("Someone else has changed the group meanwhile");
    const group = await findGroup(context.store, id);
    const stored = { name: group?.name, contact: group?.contact };
    expect([
      { name: "After", contact: null },
      { name: "Before", contact: "Eva" },
    ]).toContainEqual(stored);
    const browser = renamed.status === 400 ? first : second;
    const again = await browser.submit(refused, refused.page().form(path), { description: "Third" });
    expect(again.status).toBe(303);
    expect(await findGroup(context.store, id)).toMatchObject({ ...stored, description: "Third" });
  });

  test("is an unknown page when it was removed", async () => {
    const { browser } = await signInWithRole(server);
    const { id } = await server.groups.create();
    const [edit, removal] = [`${LIST}/${id}/edit`, `${LIST}/${id}/remove`];
    const [page, confirming] = [await browser.get(edit), await browser.get(removal)];
    const { browser: other } = await signInWithRole(server);
    expect((await send(other, removal)).status).toBe(303);
    expect((await browser.submit(page, page.page().form(edit), { name: "Late" })).status).toBe(404);
    expect((await browser.submit(confirming, confirming.page().form(removal))).status).toBe(404);
  });
});

describe("the removal of a group", () => {
  test("names beforehand who loses which application, and ends exactly that", async () => {
    const { browser } = await signInWithRole(server);
    const team = await server.groups.create({ name: "Audit team" });
    const other = await server.groups.create({ name: "Board" });
    const archive = await openTo(team, "Old archive");
    const desk = await openTo(team, "Broker desk");
    await replaceGroupsOfClient(context.store, desk.clientId, [team.id, other.id]);
    const anna = await server.users.create({
      ...{ displayName: "Anna Berger", givenName: "Anna", familyName: "Berger" },
      furtherGroups: [team.name],
    });
    await server.users.create({ displayName: "Eva Board", furtherGroups: [team.name, other.name] });
    const path = `${LIST}/${team.id}/remove`;
    const page = await browser.get(path);
    const losses = page.page().one("section", { "aria-labelledby": "losses" }).text;
    expect(losses).toContain("2 applications are affected");
    expect(losses).toMatch(/Broker desk\s*1 person loses access and is signed out there\.\s*Berger, Anna/);
    expect(losses).toMatch(/Old archive\s*2 people lose access/);
    expect(page.page().text).toContain("2 people no longer belong to the group afterwards.");
    // A third member joins after the page was loaded.
    const late = await server.users.create({ displayName: "Late Comer" });
    await setUser(context, late.username, { addGroups: [team.name] });
    const refused = await browser.submit(page, page.page().form(path));
    expect(refused.status).toBe(400);
    expect(refused.page().text).toContain("have changed meanwhile");
    expect(refused.page().text).toContain("Late Comer");
    const removed = await browser.follow(await browser.submit(refused, refused.page().form(path)));
    expect(removed.page().one("div", { "data-code": "removed" }).text).toContain("The group was removed.");
    expect((await listGroupsOfUser(context.store, anna.id)).map(({ id }) => id)).not.toContain(team.id);
    const ended = (await eventsOf("group.member-removed")).slice(-3);
    expect(new Set(ended.map(({ actorId }) => actorId)).size).toBe(1);
    expect(ended.every(({ actorId }) => actorId !== null)).toBe(true);
    expect((await browser.get(`${LIST}/${team.id}`)).status).toBe(404);
    expect(archive.clientId).not.toBe("");
  });

  test("is refused for an office with people: the page says how many, and has no button", async () => {
    const { browser } = await signInWithRole(server);
    const office = await server.groups.create({ name: "Office Bremen" });
    const path = `${LIST}/${office.id}/remove`;
    const empty = await browser.get(path);
    await server.users.create({ groupName: office.name });
    const refused = await browser.submit(empty, empty.page().form(path));
    expect(refused.page().text).toContain("This is the office of 1 person");
    const links = refused.page().all("a", { href: `/manage/admin/people?office=${office.id}` });
    expect(links).toHaveLength(1);
    expect(
      refused
        .page()
        .forms()
        .filter(({ action }) => action === path),
    ).toEqual([]);
    expect(await findGroup(context.store, office.id)).not.toBeNull();
  });

  test("names the help desk that is limited to it, and takes its role away", async () => {
    const { browser } = await signInWithRole(server);
    const office = await server.groups.create({ name: "Office Husum" });
    const helper = await server.users.create({ displayName: "Heike Helper" });
    await context.store.tx((store) => grantRole({ ...context, store }, helper, { role: "help-desk", office }));
    const path = `${LIST}/${office.id}/remove`;
    const page = await browser.get(path);
    expect(page.page().text).toContain("Heike Helper");
    expect((await browser.submit(page, page.page().form(path))).status).toBe(303);
    expect(await findUserRole(context.store, helper.id)).toBeNull();
    expect((await eventsOf("role.revoked")).at(-1)).toMatchObject({ userId: helper.id });
  });
});

describe("a group's page", () => {
  test("lists its members by name, fifty per page, and says how many have no second factor", async () => {
    const { browser } = await signInWithRole(server);
    const team = await server.groups.create({ name: "Large team", requireMfa: true });
    for (let number = 100; number < 152; number += 1) {
      const familyName = `Member${number}`;
      await server.users.create({
        ...{ displayName: `Max ${familyName}`, givenName: "Max", familyName, furtherGroups: [team.name] },
      });
    }
    const path = `${LIST}/${team.id}`;
    const first = (await browser.get(path)).page();
    expect(first.text).toContain("52 people have none yet.");
    expect(first.one("section", { "aria-labelledby": "members" }).text).toContain("Member149, Max");
    expect(first.text).not.toContain("Member150, Max");
    const [link] = first.all("a", { href: `${path}?page=2#members` });
    expect(link?.text).toBe("Page 2");
    const second = (await browser.get(`${path}?page=2`)).page();
    expect(second.text).toContain("Member150, Max");
    expect(second.text).toContain("51 to 52 of 52");
    expect((await browser.get(`${path}?page=99`)).page().text).toContain("51 to 52 of 52");
    const edit = (await browser.get(`${path}/edit`)).page();
    expect(edit.one("p", { id: "requireMfa-hint" }).text).toContain("52 of 52 people have none yet");
  });
});
