import { describe, expect, test, vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { CODES, FIDO2, fill, PASSWORD, refusalIn, statusAndTarget, TOTP, TWO_STEP, USERNAME, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const OUT = "/manage/error/unauthorized";
const LOST = `${OUT}?${new URLSearchParams({ to: USERNAME, unsaved: "yes" })}`;
const WRONG = { password: "Wrong-Window-27-Oak" };

// Two simultaneous submissions are both checked before one of them is accepted.
const server = await serverOfFile({ passwordChecks: "every" });
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  return { anna, visitor };
});

const right = () => ({ password: at.anna.password });

const confirmOf = (path: string) => `/manage/confirm?${new URLSearchParams({ to: path })}`;

/** Lets ten minutes pass since the sign-in, in open settings. */
async function growOld(): Promise<void> {
  for (const _ of [1, 2]) {
    server.clock.advance(5 * 60 + 1);
    await at.visitor.open(TWO_STEP);
  }
}

/** Opens a page of settings whose proof of identity is too old. */
async function openOld(path: string): Promise<HttpResponse> {
  await growOld();
  const redirect = await at.visitor.open(path);
  expect(statusAndTarget(redirect)).toEqual([303, confirmOf(path)]);
  return at.visitor.browser.follow(redirect);
}

/** Submits the password on the page that asks for it. */
const confirm = (page: HttpResponse, path: string, values: Record<string, string>) =>
  fill(at.visitor.browser, page, confirmOf(path), values);

/** Returns the events of the user that are about the proof of identity. */
async function eventsOf(): Promise<string[]> {
  const { t, q } = server.context.store;
  const events = await q.select().from(t.auditEvents).orderBy(t.auditEvents.sequence);
  const own = events.filter(({ userId, type }) => userId === at.anna.id && type.startsWith("reauthentication."));
  return own.map(({ type }) => type);
}

function hasPasswordField(page: HttpResponse): boolean {
  return page.page().all("input", { type: "password" }).length > 0;
}

describe.each([USERNAME, TOTP, FIDO2, CODES])("with an old proof of identity, %s", (path) => {
  test("is a page with the same heading and navigation and one password field, which leads to it", async () => {
    const currentIn = (page: HttpResponse) =>
      page
        .page()
        .all("a")
        .filter(({ attributes }) => "aria-current" in attributes)
        .map(({ attributes }) => [attributes.href, attributes["aria-current"]]);
    const fresh = await at.visitor.open(path);
    const old = await openOld(path);
    expect([old.status, old.headers["cache-control"]]).toEqual([200, expect.stringContaining("no-store")]);
    expect(old.page().one("h1").text).toBe(fresh.page().one("h1").text);
    expect(currentIn(old)).toEqual(currentIn(fresh));
    const fields = old.page().all("input", { type: "password" });
    expect(fields.map(({ attributes }) => [attributes.name, attributes.autocomplete])).toEqual([
      ["password", "current-password"],
    ]);
    expect(old.page().one("input", { autocomplete: "username" }).attributes.value).toBe(at.anna.username);
    expect(statusAndTarget(await confirm(old, path, right()))).toEqual([303, path]);
    const shown = await at.visitor.open(path);
    expect([shown.status, shown.page().one("h1").text]).toEqual([200, fresh.page().one("h1").text]);
  });
});

describe("the right password", () => {
  // Proves requirement 154.
  test("replaces the settings cookie, and no other: the earlier one is invalid at once", async () => {
    const page = await openOld(USERNAME);
    const earlier = { cookie: at.visitor.browser.jar.header(new URL(server.url)) ?? "" };
    const response = await confirm(page, USERNAME, right());
    expect(response.setCookies).toEqual([
      expect.stringMatching(/^gatehouse_settings=[\w-]{43}; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect((await at.visitor.open(USERNAME)).status).toBe(200);
    expect(statusAndTarget(await server.browser().get(TWO_STEP, { headers: earlier }))).toEqual([303, OUT]);
    expect(await eventsOf()).toEqual(["reauthentication.succeeded"]);
  });

  test("is a proof for ten minutes, in this browser alone", async () => {
    const other = await visit(server, settingsClient, at.anna);
    const page = await openOld(USERNAME);
    await confirm(page, USERNAME, right());
    expect(statusAndTarget(await other.open(USERNAME))[1]).toBe(OUT);
    server.clock.advance(10 * 60 - 1);
    expect((await at.visitor.open(USERNAME)).status).toBe(200);
    server.clock.advance(2);
    expect(statusAndTarget(await at.visitor.open(USERNAME))).toEqual([303, confirmOf(USERNAME)]);
  });

  test("keeps the application that the settings were opened from", async () => {
    const before = stateOf(await at.visitor.open("/manage")).return_to_url;
    await confirm(await openOld(USERNAME), USERNAME, right());
    expect(stateOf(await at.visitor.open("/manage")).return_to_url).toBe(before);
  });

  test("that is submitted twice at once, or again, leads to the page and is recorded once", async () => {
    const page = await openOld(USERNAME);
    const responses = await Promise.all([1, 2].map(() => confirm(page, USERNAME, right())));
    expect(responses.map(statusAndTarget)).toEqual([
      [303, USERNAME],
      [303, USERNAME],
    ]);
    expect((await at.visitor.open(USERNAME)).status).toBe(200);
    expect(statusAndTarget(await confirm(page, USERNAME, WRONG))).toEqual([303, USERNAME]);
    expect(statusAndTarget(await at.visitor.open(confirmOf(USERNAME)))).toEqual([303, USERNAME]);
    expect(await eventsOf()).toEqual(["reauthentication.succeeded"]);
  });

  // Proves requirement 154.
  test.each([
    "//evil.example",
    "https://evil.example/manage",
    "/manage/../login",
    "/manage/confirm",
    "/manage/open",
    "",
  ])("leads only to pages of the settings: %j", async (to) => {
    await growOld();
    const page = await at.visitor.open(confirmOf(to));
    expect(statusAndTarget(await confirm(page, "/manage", right()))).toEqual([303, "/manage"]);
    await growOld();
    const _xsrf = String(stateOf(await at.visitor.open("/manage")).xsrf_token);
    const posted = await at.visitor.browser.post(confirmOf(to), { _xsrf, ...right() });
    expect(statusAndTarget(posted)).toEqual([303, "/manage"]);
  });

  test("proves nothing after the password was changed, or all sessions were ended, in another browser", async () => {
    const page = await openOld(USERNAME);
    await setUserPassword(server.context, at.anna.username, "Another-Window-28-Elm");
    expect(statusAndTarget(await confirm(page, USERNAME, right()))).toEqual([303, LOST]);
    at.anna = { ...at.anna, password: "Another-Window-28-Elm" };
    at.visitor = await visit(server, settingsClient, at.anna);
    const next = await openOld(USERNAME);
    await endSessionsOfUser(server.context, at.anna.username);
    expect(statusAndTarget(await confirm(next, USERNAME, right()))).toEqual([303, LOST]);
    expect(await eventsOf()).toEqual([]);
  });
});

describe("a refused password", () => {
  test.each([
    [WRONG, "Current password invalid", "The password is not correct"],
    [{ password: "" }, "No password given", "No password given"],
  ])("%j gets one message, and the next step at the field, in the same frame", async (values, error, words) => {
    const page = await openOld(USERNAME);
    const response = await confirm(page, USERNAME, values);
    expect(refusalIn(response)).toMatchObject({ status: 400, error, title: expect.stringMatching(/^Error: /) });
    expect(refusalIn(response).words).toContain(words);
    expect(response.page().one("h1").text).toBe("Change username");
    expect(response.page().one("input", { type: "password" }).attributes).toMatchObject({ "aria-invalid": "true" });
    expect(response.body).not.toContain(WRONG.password);
    expect(response.setCookies).toEqual([]);
    expect(statusAndTarget(await at.visitor.open(USERNAME))).toEqual([303, confirmOf(USERNAME)]);
    expect(await eventsOf()).toEqual(values === WRONG ? ["reauthentication.refused"] : []);
    expect(statusAndTarget(await confirm(response, USERNAME, right()))).toEqual([303, USERNAME]);
  });

  test("is listed in the activity, as is the right one", async () => {
    const page = await openOld(USERNAME);
    await confirm(page, USERNAME, WRONG);
    await confirm(page, USERNAME, right());
    const { text } = (await at.visitor.open("/manage/activity")).page();
    expect(text).toContain("Confirmation before a change refused: the password was wrong");
    expect(text).toContain("Confirmed with the password before a change");
  });

  test("is throttled after ten, with the waiting time, even if it is right", async () => {
    const page = await openOld(USERNAME);
    for (let n = 0; n < 10; n += 1) expect((await confirm(page, USERNAME, WRONG)).status).toBe(400);
    const response = await confirm(page, USERNAME, right());
    expect(refusalIn(response)).toMatchObject({ status: 429, error: "throttled" });
    expect([response.headers["retry-after"], response.setCookies]).toEqual(["900", []]);
    expect(refusalIn(response).words).toContain("15 minutes");
  });

  test("gets Retry-After when the hash queue is full", async () => {
    const page = await openOld(USERNAME);
    vi.spyOn(server.context.hasher, "verify").mockRejectedValueOnce(new DomainError("overloaded"));
    const response = await confirm(page, USERNAME, right());
    expect(refusalIn(response)).toMatchObject({ status: 503, error: "overloaded" });
    expect(response.headers["retry-after"]).toBe("5");
  });
});

// Proves requirement 154.
test("the right password in a form of another browser, another site, or with an unknown field proves nothing", async () => {
  const page = await openOld(USERNAME);
  const other = await visit(server, settingsClient, at.anna);
  const foreign = String(stateOf(await other.open(TWO_STEP)).xsrf_token);
  for (const _xsrf of ["", "stale", foreign]) {
    const response = await at.visitor.browser.post(confirmOf(USERNAME), { ...right(), _xsrf });
    expect(refusalIn(response)).toMatchObject({ status: 403, error: "xsrf" });
  }
  const own = { ...right(), _xsrf: String(stateOf(page).xsrf_token) };
  const headers = { origin: "https://evil.example" };
  expect((await at.visitor.browser.post(confirmOf(USERNAME), own, { headers })).status).toBe(403);
  expect((await at.visitor.browser.post(confirmOf(USERNAME), { ...own, to: "/manage" })).status).toBe(400);
  expect(statusAndTarget(await server.browser().post(confirmOf(USERNAME), own))).toEqual([303, LOST]);
  expect(statusAndTarget(await at.visitor.open(USERNAME))).toEqual([303, confirmOf(USERNAME)]);
  expect(await eventsOf()).toEqual([]);
});

// Proves requirement 154.
test("a user with a second factor signs in again: the password alone is neither asked for nor checked", async () => {
  await giveTotp(server, at.anna);
  const page = await openOld(PASSWORD);
  expect([page.page().one("h1").text, hasPasswordField(page)]).toEqual(["Change password", false]);
  expect(page.page().one("a", { href: `/manage/open?${new URLSearchParams({ to: PASSWORD })}` }).text).toBe(
    "Sign in again",
  );
  const verify = vi.spyOn(server.context.hasher, "verify");
  const _xsrf = String(stateOf(page).xsrf_token);
  for (const values of [right(), WRONG]) {
    const response = await at.visitor.browser.post(confirmOf(PASSWORD), { _xsrf, ...values });
    expect([statusAndTarget(response), response.setCookies]).toEqual([[303, confirmOf(PASSWORD)], []]);
  }
  expect(verify).not.toHaveBeenCalled();
  expect(hasPasswordField(await at.visitor.browser.follow(await at.visitor.open(PASSWORD)))).toBe(false);
});

test("the password page confirms with its own form, which proves nothing for other pages", async () => {
  await growOld();
  const page = await at.visitor.open(PASSWORD);
  expect([page.status, page.page().all("input", { autocomplete: "current-password" }).length]).toEqual([200, 1]);
  const next = { newPassword: "Another-Window-28-Elm", newPasswordRepeat: "Another-Window-28-Elm" };
  const refused = await fill(at.visitor.browser, page, PASSWORD, { ...WRONG, ...next });
  expect(refusalIn(refused)).toMatchObject({ status: 400, error: "Current password invalid" });
  const changed = await fill(at.visitor.browser, refused, PASSWORD, { ...right(), ...next });
  expect(statusAndTarget(changed)).toEqual([303, "/manage?status=password-success"]);
  expect(statusAndTarget(await at.visitor.open(USERNAME))).toEqual([303, confirmOf(USERNAME)]);
  expect(await eventsOf()).toEqual([]);
});

// Proves requirement 54.
test("the password page of a user with a second factor accepts no form with an old proof", async () => {
  await growOld();
  const page = await at.visitor.open(PASSWORD);
  await giveTotp(server, at.anna);
  const next = { newPassword: "Another-Window-28-Elm", newPasswordRepeat: "Another-Window-28-Elm" };
  const verify = vi.spyOn(server.context.hasher, "verify");
  const response = await fill(at.visitor.browser, page, PASSWORD, { ...right(), ...next });
  expect(statusAndTarget(response)).toEqual([303, `${confirmOf(PASSWORD)}&unsaved=yes`]);
  expect(verify).not.toHaveBeenCalled();
});
