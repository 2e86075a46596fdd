import { describe, expect, test } from "vitest";
import { listGroupsOfUser } from "#app/db/repositories/group-members.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { INVITATION_LIMIT } from "#app/domain/user/invitations.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { choose, NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import type { Browser, FormValues } from "#tests/support/browser-jar.ts";
import { linkOf } from "#tests/support/mails.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
const party = await server.parties.create({ firstParty: true });
const settingsClient = await createSettingsClient(server);
const { browser: admin, user: administrator } = await signInWithRole(server);

const LIST = "/manage/admin/people";
const INVITE = `${LIST}/invite`;
const DONE = `${LIST}?done=invited`;

let count = 0;

/** Values of the form for a new person whose names no other test uses. */
function newPerson(changes: FormValues = {}) {
  count += 1;
  const family = `Berger${String.fromCharCode(96 + count)}`;
  return { given_name: "Anna", family_name: family, email: `anna.${family}@office.example`, ...changes };
}

/** Loads the page, fills in its form and sends it. */
async function invite(browser: Browser, values: FormValues) {
  const page = await browser.get(INVITE);
  expect(page.status).toBe(200);
  return browser.submit(page, page.page().form(INVITE), values);
}

/** Returns the fields of the form as the page sends them. */
async function fieldsOf(browser: Browser): Promise<Record<string, string>> {
  return Object.fromEntries((await browser.get(INVITE)).page().form(INVITE).fields);
}

async function peopleAt(address: string) {
  const users = await context.store.q.select().from(context.store.t.users);
  return users.filter(({ email }) => email === address);
}

/** Sends the form with these ticked groups. */
async function inviteTo(group: readonly string[], person: FormValues) {
  return admin.post(INVITE, { ...(await fieldsOf(admin)), ...person, group });
}

describe("an invitation to many groups", () => {
  // Proves requirement 226.
  test("adds a person to 100 groups, and says that 120 are too many, in place of a refused form", async () => {
    const groups: { id: string }[] = [];
    for (let number = 0; number < 120; number += 1) groups.push(await server.groups.create());
    const ids = groups.map(({ id }) => id);
    const person = newPerson();
    const refused = await inviteTo(ids, person);
    expect(refused.status).toBe(400);
    expect(refused.page().text).toContain("too many groups");
    expect(
      refused
        .page()
        .form(INVITE)
        .fields.filter(([name]) => name === "group"),
    ).toHaveLength(120);
    expect(await peopleAt(person.email)).toEqual([]);
    expect(pathOf(await inviteTo(ids.slice(0, 100), person))).toBe(DONE);
    const [user] = await peopleAt(person.email);
    expect(await listGroupsOfUser(context.store, user?.id ?? "")).toHaveLength(100);
    expect(
      (
        await inviteTo(
          Array.from({ length: 700 }, (_, number) => `g${number}`),
          newPerson(),
        )
      ).status,
    ).toBe(400);
  });
});

describe("an invitation by an administrator", () => {
  // Proves requirement 204.
  test("adds a person, who chooses a password by the mailed link and signs in; the trail names both", async () => {
    const office = await server.groups.create({ name: "Office Lübeck" });
    const team = await server.groups.create({ name: "Damages" });
    const person = newPerson({ given_name: "Jörg", office: office.id, group: team.id, last_day: "2099-12-31" });
    const sent = await admin.post(INVITE, { ...(await fieldsOf(admin)), ...person });
    expect(pathOf(sent)).toBe(DONE);
    const list = await admin.follow(sent);
    expect(list.page().one("div", { "data-code": "invited" }).text).toContain("on its way");
    const [user] = await peopleAt(person.email);
    if (!user) throw new Error("the person was not added");
    expect(user).toMatchObject({
      ...{ username: `joerg.${person.family_name.toLowerCase()}`, displayName: `Jörg ${person.family_name}` },
      ...{ groupId: office.id, lastDay: "2099-12-31", passwordHash: null, emailVerified: false, status: "active" },
    });
    expect((await listGroupsOfUser(context.store, user.id)).map(({ name }) => name)).toContain("Damages");
    const events = await context.store.q.select().from(context.store.t.auditEvents);
    expect(events.filter(({ userId }) => userId === user.id).map(({ type, actorId }) => [type, actorId])).toEqual([
      ["user.added", administrator.id],
      ["user.invited", administrator.id],
    ]);
    const history = (await admin.get(`${LIST}/${user.id}`)).body;
    expect(history).toContain("Invited by an administrator");
    expect(history).not.toContain("Other event");
    const mail = (await server.mails()).find(({ to }) => to === person.email);
    const browser = server.browser();
    await choose(browser, await openLink(browser, linkOf({ text: mail?.text ?? "" })));
    await signIn(browser, party.request(), { ...user, password: NEW_PASSWORD });
    expect(await findSignedInUser(party, browser)).toBe(user.id);
  });

  test("numbers a formed user name that is taken or reserved", async () => {
    const person = newPerson({ family_name: "van der Müß-Łoß" });
    const formed = "anna.van-der-muess-loss";
    await server.users.create({ username: formed });
    await server.users.create({ username: `${formed}2` });
    await removeUser(context, `${formed}2`);
    expect(pathOf(await invite(admin, person))).toBe(DONE);
    expect((await peopleAt(person.email)).map(({ username }) => username)).toEqual([`${formed}3`]);
  });

  test("is refused with a typed user name that is taken, reserved or invalid", async () => {
    await server.users.create({ username: "taken.name" });
    await server.users.create({ username: "gone.name" });
    await removeUser(context, "gone.name");
    const person = newPerson();
    for (const username of ["Taken.Name", "gone.name"]) {
      const refused = await invite(admin, { ...person, username });
      expect(refused.status).toBe(400);
      expect(refused.page().one("p", { id: "username-error" }).text).toContain("exists already");
    }
    const invalid = await invite(admin, { ...person, username: "no name" });
    expect(invalid.page().one("p", { id: "username-error" }).text).toContain("of one script");
    const twoScripts = await invite(admin, { ...person, given_name: "Анна" });
    expect(twoScripts.page().one("p", { id: "username-error" }).text).toContain("of one script");
    expect(pathOf(await invite(admin, { ...person, username: "own.Name" }))).toBe(DONE);
    expect(await findUserByUsername(context.store, "own.name")).toMatchObject({ username: "own.Name" });
  });

  test("is refused with a sentence at each field, and keeps what was typed", async () => {
    const group = await server.groups.create({ name: "Kept group" });
    const refused = await admin.post(INVITE, {
      ...(await fieldsOf(admin)),
      ...{ given_name: " ", family_name: "x".repeat(100), email: "m.hohenstein@nordlicht-makler" },
      ...{ last_day: "tomorrow", group: group.id },
    });
    expect(refused.status).toBe(400);
    const page = refused.page();
    expect(page.title).toContain("Error:");
    for (const id of ["given_name", "family_name", "email", "last_day"]) page.one("p", { id: `${id}-error` });
    expect(refused.body).toContain('value="m.hohenstein@nordlicht-makler"');
    expect(page.one("input", { id: `group-${group.id}` }).attributes).toHaveProperty("checked");
    const past = await invite(admin, newPerson({ last_day: "2020-01-01" }));
    expect(past.page().one("p", { id: "last_day-error" }).text).toContain("not past");
    const fields = await fieldsOf(admin);
    const gone = await admin.post(INVITE, { ...fields, ...newPerson(), office: "0".repeat(32) });
    expect(gone.page().one("p", { id: "office-error" }).text).toContain("from the list");
    expect((await admin.post(INVITE, { ...fields, ...newPerson(), group: "0" })).status).toBe(400);
  });

  test("of a form that is sent twice, also at once, adds one person", async () => {
    const person = newPerson();
    const fields = { ...(await fieldsOf(admin)), ...person };
    const sent = await Promise.all([admin.post(INVITE, fields), admin.post(INVITE, fields)]);
    expect(sent.map(({ status }) => status).toSorted()).toEqual([303, 400]);
    const again = await admin.post(INVITE, fields);
    expect(again.page().one("div", { "data-code": "user is invalid" }).text).toContain("already invited");
    expect(await peopleAt(person.email)).toHaveLength(1);
  });

  test("is refused for other fields, and with the token of another user or none", async () => {
    const { browser: other } = await signInWithRole(server);
    const foreign = await fieldsOf(other);
    const own = { ...(await fieldsOf(admin)), ...newPerson() };
    for (const field of ["role", "id", "password", "status", "emailVerified"]) {
      expect([field, (await admin.post(INVITE, { ...own, [field]: "value-of-another-field" })).status]).toEqual([
        field,
        400,
      ]);
    }
    expect((await admin.post(INVITE, { ...own, _xsrf: foreign["_xsrf"] ?? "" })).status).toBe(403);
    expect((await admin.post(INVITE, { ...own, _xsrf: "" })).status).toBe(403);
    expect(await peopleAt(own.email)).toEqual([]);
  });

  test("needs a proof of identity of the last ten minutes", async () => {
    const { browser } = await signInWithRole(server);
    const fields = await fieldsOf(browser);
    server.clock.advance(11 * MINUTE_SECONDS);
    await browser.follow(await browser.get(`/manage/open?to=${LIST}`));
    expect(pathOf(await browser.get(INVITE))).toContain("/manage/confirm");
    const person = newPerson();
    const sent = await browser.post(INVITE, { ...fields, ...person });
    expect(pathOf(sent)).toContain("/manage/confirm");
    expect(await peopleAt(person.email)).toEqual([]);
    // The page with the form is empty again: a person who expects to continue there would not send it a second time.
    expect((await browser.follow(sent)).page().text).toContain("Nothing has been changed yet");
  });
});

describe("an invitation by a help desk", () => {
  // Proves requirement 203.
  test("of one office leads to this office, whatever the form says", async () => {
    const office = await server.groups.create();
    const other = await server.groups.create();
    const { browser } = await signInWithRole(server, { role: "help-desk", office });
    const page = await browser.get(INVITE);
    expect(page.page().all("select")).toEqual([]);
    expect(page.body).not.toContain(`${LIST}/import`);
    const person = newPerson();
    const fields = { ...Object.fromEntries(page.page().form(INVITE).fields), ...person };
    for (const changes of [{ office: other.id }, { office: "" }, { group: other.id }, { role: "administrator" }]) {
      expect((await browser.post(INVITE, { ...fields, ...changes })).status).toBe(400);
    }
    expect(pathOf(await browser.post(INVITE, fields))).toBe(DONE);
    expect(await peopleAt(person.email)).toMatchObject([{ groupId: office.id }]);
  });

  test("of all offices chooses an office with people, and no further group", async () => {
    const office = await server.groups.create();
    await server.users.create({ groupName: office.name });
    const team = await server.groups.create();
    const { browser } = await signInWithRole(server, { role: "help-desk" });
    const fields = await fieldsOf(browser);
    const person = newPerson();
    for (const changes of [{ office: team.id }, { office: "" }, { office: office.id, group: team.id }]) {
      expect((await browser.post(INVITE, { ...fields, ...person, ...changes })).status).toBe(400);
    }
    expect(pathOf(await browser.post(INVITE, { ...fields, ...person, office: office.id }))).toBe(DONE);
    expect(await peopleAt(person.email)).toMatchObject([{ groupId: office.id }]);
  });

  // Proves requirement 203.
  test("is limited by the hour, and adds nobody beyond", async () => {
    const office = await server.groups.create();
    const { browser, user } = await signInWithRole(server, { role: "help-desk", office });
    const key = `${INVITATION_LIMIT.name}:${user.id}`;
    const expiresAt = new Date(context.clock.now().getTime() + 60_000);
    await context.store.q
      .insert(context.store.t.rateLimits)
      .values({ key, points: INVITATION_LIMIT.points, expiresAt });
    const person = newPerson();
    const refused = await invite(browser, person);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect(refused.page().text).toContain("very many invitations");
    expect(await peopleAt(person.email)).toEqual([]);
  });

  test("is an unknown page without a role", async () => {
    const stranger = server.browser();
    await settingsClient.openSettings(stranger, await server.users.create());
    expect((await stranger.get(INVITE)).status).toBe(404);
    expect((await stranger.post(INVITE, newPerson())).status).toBe(404);
  });
});
