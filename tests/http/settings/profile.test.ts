import { describe, expect, test } from "vitest";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import { EMAIL_CHANGE_LIMITS } from "#app/domain/profile/request-email.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { NEW_PASSWORD, openLink, redirectTarget, SUCCESS } from "#tests/http/password-reset/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { linkOf } from "#tests/support/mails.ts";
import { sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { fill, refusalIn, statusAndTarget, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const NAME = "/manage/profile/name";
const PHONE = "/manage/profile/phone";
const EMAIL = "/manage/profile/email";
const CONFIRM = "/email-change/confirm";
const UNDO = "/email-change/undo";

const server = await serverOfFile({ env: { PROFILE_CHANGES: "email,phone,name" } });
const settingsClient = await createSettingsClient(server);
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "profile", "email", "phone"] });

const at = eachTest(async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  return { anna, visitor };
});

const oldAddress = () => `${at.anna.username}@office.example`;
const newAddress = () => `${at.anna.username}.new@office.example`;

/** Returns the newest mail to this address. */
async function newestMail(address: string) {
  const mail = (await server.mails()).filter(({ to }) => to === address).at(-1);
  if (!mail) throw new Error(`no mail to ${address}`);
  return mail;
}

async function linkTo(address: string): Promise<string> {
  return linkOf(await newestMail(address));
}

/** Submits the form of an opened link. */
function submit(browser: Browser, page: HttpResponse, path: string): Promise<HttpResponse> {
  return browser.submit(page, page.page().form(path));
}

/** Opens a link and submits its form. */
async function follow(link: string, path: string, browser = server.browser()): Promise<string> {
  return redirectTarget(await submit(browser, await openLink(browser, link), path));
}

const sendRequest = (email = newAddress()) => at.visitor.send(EMAIL, { email }, "request");

describe("the settings", () => {
  test("show name, e-mail address and phone with a link to change each", async () => {
    const overview = (await at.visitor.open("/manage")).page();
    for (const [path, label, value] of [
      [NAME, "Change: Name", at.anna.displayName],
      [EMAIL, "Change: E\u2011mail address", oldAddress()],
      [PHONE, "Change: Phone", "Not specified"],
    ] as const) {
      expect(overview.one("a", { href: path }).attributes["aria-label"]).toBe(label);
      expect(overview.one("main").text.replaceAll(/[\s\u200b]/g, "")).toContain(value.replaceAll(" ", ""));
    }
  });

  test("store name and phone; applications get them at the next call of userinfo", async () => {
    const { accessToken } = await seedTokens(
      server,
      server.browser(),
      party,
      party.request({ scope: "openid profile email phone" }),
      at.anna,
    );
    const claims = async () =>
      (await sendApiRequest(`${server.url}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).json();
    const { updated_at: before } = await claims();
    server.clock.advance(5);
    const names = { displayName: "Anna B. Neu", givenName: "Anna", familyName: "Neu" };
    expect(statusAndTarget(await at.visitor.send(NAME, names))).toEqual([303, "/manage?status=name-saved"]);
    expect(statusAndTarget(await at.visitor.send(PHONE, { phone: "+49 30 1234" }))).toEqual([
      303,
      "/manage?status=phone-saved",
    ]);
    expect(await at.visitor.stored()).toMatchObject({ ...names, phone: "+49 30 1234" });
    expect(await claims()).toMatchObject({ name: "Anna B. Neu", phone_number: "+49 30 1234", email: oldAddress() });
    await sendRequest();
    await follow(await linkTo(newAddress()), CONFIRM);
    expect(await claims()).toMatchObject({ email: newAddress(), email_verified: true });
    expect(Number((await claims()).updated_at)).toBeGreaterThan(Number(before));
    expect(statusAndTarget(await at.visitor.send(PHONE, { phone: "" }))).toEqual([303, "/manage?status=phone-removed"]);
    expect((await at.visitor.stored()).phone).toBeNull();
  });

  test("show an error at each wrong field, and keep what was typed", async () => {
    const refused = await at.visitor.send(NAME, {
      displayName: "Anna\u0007",
      givenName: "x".repeat(201),
      familyName: "Berg",
    });
    expect(refusalIn(refused)).toMatchObject({
      status: 400,
      error: "name is invalid",
      title: expect.stringMatching(/^Error: /),
    });
    const page = refused.page();
    for (const field of ["displayName", "givenName"]) {
      const { attributes } = page.one("input", { id: field });
      expect(attributes["aria-invalid"]).toBe("true");
      expect(page.one("p", { id: `${field}-error` }).text).toContain("at most 200 readable characters");
    }
    expect(page.one("input", { id: "familyName" }).attributes).toMatchObject({ value: "Berg" });
    expect(page.one("input", { id: "familyName" }).attributes).not.toHaveProperty("aria-invalid");
    for (const [email, error] of [
      ["", "email is empty"],
      ["anna@", "email is invalid"],
    ] as const) {
      const response = await sendRequest(email);
      expect(refusalIn(response)).toMatchObject({ status: 400, error });
      expect(response.page().one("input", { id: "email" }).attributes).toMatchObject({ "aria-invalid": "true" });
    }
  });

  // Proves requirement 190.
  test.each([
    [NAME, { displayName: "Thief" }],
    [PHONE, { phone: "1" }],
    [EMAIL, { email: "thief@other.example" }],
  ])("refuse a form of %s with other fields, an expired form, and a browser without a session", async (path, typed) => {
    const before = await at.visitor.stored();
    const _xsrf = String(stateOf(await at.visitor.open(path)).xsrf_token);
    for (const extra of ["permissions", "email_verified", "emailVerified", "groupName", "status", "__proto__"]) {
      const response = await at.visitor.browser.post(path, { _xsrf, ...typed, [extra]: "admin" });
      expect([extra, response.status]).toEqual([extra, 400]);
    }
    const stale = await at.visitor.browser.post(path, { _xsrf: "stale", ...typed });
    expect(refusalIn(stale)).toMatchObject({ status: 403, error: "xsrf" });
    expect(statusAndTarget(await server.browser().post(path, { _xsrf, ...typed }))).toEqual([
      303,
      `/manage/error/unauthorized?${new URLSearchParams({ to: path, unsaved: "yes" })}`,
    ]);
    expect(await at.visitor.stored()).toEqual(before);
  });

  // Proves requirement 190.
  test.each([NAME, PHONE, EMAIL])("ask for the password before %s, and come back", async (path) => {
    const page = await at.visitor.open(path);
    for (const _ of [1, 2]) {
      server.clock.advance(5 * 60 + 1);
      await at.visitor.open("/manage");
    }
    const confirm = `/manage/confirm?${new URLSearchParams({ to: path })}`;
    const typed = { displayName: "Anna", phone: "1", email: newAddress() };
    const fields =
      page
        .page()
        .forms()
        .find(({ action }) => action === path)
        ?.fields.map(([name]) => name) ?? [];
    const values = Object.fromEntries(Object.entries(typed).filter(([name]) => fields.includes(name)));
    expect(statusAndTarget(await fill(at.visitor.browser, page, path, values))).toEqual([
      303,
      `${confirm}&unsaved=yes`,
    ]);
    const asked = await at.visitor.browser.follow(await at.visitor.open(path));
    expect(asked.page().text).not.toContain("Nothing has been changed yet");
    const back = await fill(at.visitor.browser, asked, confirm, { password: at.anna.password });
    expect(statusAndTarget(back)).toEqual([303, path]);
    expect((await at.visitor.open(path)).status).toBe(200);
    expect((await server.mails()).filter(({ to }) => to === newAddress())).toEqual([]);
  });
});

describe("a new e-mail address", () => {
  // Proves requirement 191.
  test("is pending until its link is confirmed, in any browser, by a button", async () => {
    expect(statusAndTarget(await sendRequest())).toEqual([303, "/manage?status=email-sent"]);
    for (const path of ["/manage", EMAIL]) {
      const { text } = (await at.visitor.open(path)).page();
      expect(text).toContain("Confirmation sent, valid until 3 March 2026 at");
      expect(text.replaceAll("@ ", "@")).toContain(newAddress());
    }
    const link = await linkTo(newAddress());
    const scanner = server.browser();
    await scanner.send("HEAD", link, null);
    const page = await openLink(scanner, link);
    expect([page.status, page.url]).toEqual([200, `${server.url}${CONFIRM}`]);
    expect(page.page().one("main").text).toContain(newAddress());
    expect(page.page().one("main").text).toContain(at.anna.username);
    expect(await at.visitor.stored()).toMatchObject({ email: oldAddress() });
    expect(await follow(link, CONFIRM)).toBe(`${CONFIRM}?status=success`);
    expect(await at.visitor.stored()).toMatchObject({ email: newAddress(), emailVerified: true });
    expect(await follow(link, CONFIRM).catch(String)).toContain("form");
    expect(redirectTarget(await server.browser().get(link))).toBe(`${CONFIRM}?status=error-token`);
    // A user who is signed in stays signed in.
    const overview = (await at.visitor.open("/manage")).page().text;
    expect(overview).toContain("Personal details");
    expect(overview).not.toContain("Confirmation sent");
  });

  test("is confirmed once by two browsers at the same moment", async () => {
    await sendRequest();
    const link = await linkTo(newAddress());
    const browsers = [server.browser(), server.browser()];
    const pages = await Promise.all(
      browsers.map(async (browser) => ({ browser, page: await openLink(browser, link) })),
    );
    const sent = pages.map(async ({ browser, page }) => redirectTarget(await submit(browser, page, CONFIRM)));
    expect((await Promise.all(sent)).toSorted()).toEqual([
      `${CONFIRM}?status=error-token`,
      `${CONFIRM}?status=success`,
    ]);
  });

  // Proves requirement 191.
  test("is not confirmed by a form of another browser, or without the form", async () => {
    await sendRequest();
    const link = await linkTo(newAddress());
    const page = await openLink(server.browser(), link);
    const fields = Object.fromEntries(page.page().form(CONFIRM).fields);
    expect(refusalIn(await server.browser().post(CONFIRM, fields))).toMatchObject({ status: 403, error: "xsrf" });
    expect((await server.browser().post(CONFIRM, { ...fields, email: "thief@other.example" })).status).toBe(400);
    expect(redirectTarget(await server.browser().get(CONFIRM))).toBe(`${CONFIRM}?status=no-link`);
    expect(await at.visitor.stored()).toMatchObject({ email: oldAddress() });
  });

  test("can be sent again and withdrawn", async () => {
    await sendRequest();
    const first = await linkTo(newAddress());
    expect(statusAndTarget(await at.visitor.send(EMAIL, {}, "again"))).toEqual([303, "/manage?status=email-sent"]);
    const second = await linkTo(newAddress());
    expect(second).not.toBe(first);
    expect(redirectTarget(await server.browser().get(first))).toBe(`${CONFIRM}?status=error-token`);
    const page = await at.visitor.open(EMAIL);
    const withdrawn = await fill(at.visitor.browser, page, EMAIL, {}, "withdraw");
    expect(statusAndTarget(withdrawn)).toEqual([303, "/manage?status=email-withdrawn"]);
    expect(redirectTarget(await server.browser().get(second))).toBe(`${CONFIRM}?status=error-token`);
    expect(statusAndTarget(await fill(at.visitor.browser, page, EMAIL, {}, "again"))).toEqual([303, EMAIL]);
    expect((await at.visitor.open(EMAIL)).page().text).not.toContain(newAddress());
  });

  // Proves requirement 192.
  test("of another user gets the same pages as a free one, and a mail without a link", async () => {
    const ben = await server.users.create();
    const pagesAfter = async (email: string) => {
      const sent = await sendRequest(email);
      const pages = [await at.visitor.browser.follow(sent), await at.visitor.open(EMAIL)];
      return [statusAndTarget(sent), ...pages.map((page) => page.page().one("main").text.replaceAll(email, "ADDRESS"))];
    };
    const taken = `${ben.username}@office.example`;
    const free = await pagesAfter(newAddress());
    expect(await pagesAfter(taken)).toEqual(free);
    const { text, subject } = await newestMail(taken);
    expect(subject).toBe("E-mail address not available");
    expect(text).toContain("already belongs to another account");
    expect(text).not.toContain("token=");
    expect(await at.visitor.stored()).toMatchObject({ email: oldAddress() });
  });

  test("that another user got in the meantime is not stored", async () => {
    await sendRequest();
    const ben = await server.users.create();
    const now = server.clock.now();
    await updateUserProfile(server.context.store, ben.id, { email: newAddress(), emailVerified: true }, now);
    expect(await follow(await linkTo(newAddress()), CONFIRM)).toBe(`${CONFIRM}?status=taken`);
    expect(await at.visitor.stored()).toMatchObject({ email: oldAddress() });
    const page = await server.browser().get(`${CONFIRM}?status=taken`);
    expect([page.status, page.page().one("h1").text]).toEqual([400, "This address is not available"]);
  });

  test("is mailed five times an hour, and then responds with Retry-After", async () => {
    for (let n = 0; n < EMAIL_CHANGE_LIMITS.user.points; n += 1) expect((await sendRequest()).status).toBe(303);
    const response = await sendRequest();
    expect(refusalIn(response)).toMatchObject({ status: 429, error: "throttled" });
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  });
});

describe("the old e-mail address", () => {
  // Proves requirement 193.
  test("gets a notice whose link restores it, ends all access, and leads to a new password", async () => {
    await sendRequest();
    await follow(await linkTo(newAddress()), CONFIRM);
    const notice = await newestMail(oldAddress());
    expect(notice.subject).toBe("Your e-mail address was changed");
    const link = linkOf(notice);
    const page = await openLink(server.browser(), link);
    expect([page.status, page.url]).toEqual([200, `${server.url}${UNDO}`]);
    expect(await at.visitor.stored()).toMatchObject({ email: newAddress() });
    expect(await follow(link, UNDO)).toBe(`${UNDO}?status=success`);
    expect(await at.visitor.stored()).toMatchObject({ email: oldAddress(), emailVerified: false });
    expect(statusAndTarget(await at.visitor.open("/manage"))).toEqual([303, "/manage/error/unauthorized"]);
    const browser = server.browser();
    const form = await openLink(browser, await linkTo(oldAddress()));
    const typed = { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD };
    const reset = await browser.submit(form, form.page().form("/password-reset/reset"), typed);
    expect(redirectTarget(reset)).toBe(SUCCESS);
    expect(redirectTarget(await server.browser().get(link))).toBe(`${UNDO}?status=error-token`);
  });

  test("is not restored by a form of another browser, an unknown link, or the address of the form alone", async () => {
    await sendRequest();
    await follow(await linkTo(newAddress()), CONFIRM);
    const page = await openLink(server.browser(), await linkTo(oldAddress()));
    const fields = Object.fromEntries(page.page().form(UNDO).fields);
    expect(refusalIn(await server.browser().post(UNDO, fields))).toMatchObject({ status: 403, error: "xsrf" });
    const unknown = `${UNDO}?undo_token=${"a".repeat(43)}`;
    expect(redirectTarget(await server.browser().get(unknown))).toBe(`${UNDO}?status=error-token`);
    expect(redirectTarget(await server.browser().get(UNDO))).toBe(`${UNDO}?status=no-link`);
    expect(await at.visitor.stored()).toMatchObject({ email: newAddress() });
  });
});

test("the recent activity names each step, in both languages", async () => {
  await sendRequest();
  await at.visitor.send(EMAIL, {}, "withdraw");
  await at.visitor.send(PHONE, { phone: "1" });
  await sendRequest();
  await follow(await linkTo(newAddress()), CONFIRM);
  const activityIn = async (language: string) => {
    const browser = server.browser(language);
    await settingsClient.openSettings(browser, at.anna);
    return (await browser.get("/manage/activity")).page().text;
  };
  const activity = await activityIn("de");
  for (const text of [
    "Neue E-Mail-Adresse angegeben",
    "Neue E-Mail-Adresse zurückgezogen",
    "Persönliche Daten geändert",
    "E-Mail-Adresse geändert",
  ])
    expect(activity).toContain(text);
  expect(await activityIn("en")).toContain("New e-mail address entered");
});
