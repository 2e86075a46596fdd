import { describe, expect, test } from "vitest";
import { countFactors } from "#app/db/repositories/factors.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import { pathOf } from "#tests/http/settings/steps.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;

/** Creates a person with an address and an authenticator app. */
async function createPerson(groupName: string | null = null) {
  const email = `${context.random.token().slice(0, 8).toLowerCase()}@office.example`;
  const user = await server.users.create({ email, groupName });
  return { user, email, app: await giveTotp(server, user) };
}

function givePath({ id }: Pick<TestUser, "id">, kind: "new-device" | "new-password" = "new-device") {
  return `/manage/admin/people/${id}/help/${kind}`;
}

/** Opens the form and creates help in it. */
async function give(browser: Browser, user: TestUser, kind?: "new-device" | "new-password", values: FormValues = {}) {
  const form = await browser.get(givePath(user, kind));
  const fields = { _xsrf: String(stateOf(form).xsrf_token), hours: "1", proved: "yes" };
  return browser.post(givePath(user, kind), { ...fields, ...values });
}

/** Returns what the page shows once. */
function shown(response: HttpResponse) {
  const list = /<ol class="codes words"[^>]*>(.*?)<\/ol>/s.exec(response.body)?.[1] ?? "";
  const words = [...list.matchAll(/<li>([^<]+)<\/li>/g)].map(([, word]) => word ?? "");
  const url = /https?:[^<"]*help_token=[\w-]+/.exec(response.body)?.[0] ?? "";
  return { words, url };
}

/** Types the words into the form of a new browser. */
async function typeWords(words: readonly string[], username: string, browser = server.browser("de")) {
  const page = await browser.get("/help");
  return {
    browser,
    response: await browser.submit(page, page.page().form("/help"), { username, words: words.join(" ") }),
  };
}

/** Returns the page without what differs from request to request. */
function textOf({ body }: HttpResponse, username: string): string {
  return body
    .replaceAll(username, "")
    .replace(/(nonce|value|content|data-state)="[^"]*"/g, "")
    .replace(/[0-9a-f-]{32,36}/g, "");
}

async function factorsOf({ id }: TestUser) {
  return (await countFactors(context.store, id)).totp;
}

async function passwordOf({ id }: TestUser) {
  return (await findUser(context.store, id))?.passwordHash;
}

describe("help for a new device", () => {
  // Proves requirement 209.
  test("is given by a help desk, typed as words, and removes the factors with the password", async () => {
    const { browser } = await signInWithRole(server, { role: "help-desk" });
    const { user, email } = await createPerson();
    const page = await give(browser, user, "new-device", { hours: "8" });
    expect(page.status).toBe(200);
    expect(page.headers["cache-control"]).toContain("no-store");
    const { words, url } = shown(page);
    expect(words).toHaveLength(6);
    expect(page.body).toContain("data:image/png;base64,");
    expect(new URL(url).pathname).toBe("/help");
    const mail = (await server.mails()).find(({ to }) => to === email);
    expect(mail?.text).toContain("/login/not-me");
    // A single word can be one of the mail, by chance.
    for (const secret of [words.join(" "), url]) expect(mail?.text).not.toContain(secret);

    const typed = await typeWords(words, user.username);
    expect(pathOf(typed.response)).toBe("/help/new-device");
    const form = await typed.browser.get("/help/new-device");
    const wrong = await typed.browser.submit(form, form.page().form("/help/new-device"), { password: "wrong" });
    expect([wrong.status, stateOf(wrong).error, await factorsOf(user)]).toEqual([401, "credentials", 1]);
    const done = await typed.browser.submit(wrong, wrong.page().form("/help/new-device"), { password: user.password });
    expect([pathOf(done), done.headers["clear-site-data"], await factorsOf(user)]).toEqual([
      "/help/status?status=success&done=new-device",
      '"cache"',
      0,
    ]);
    expect((await typed.browser.follow(done)).status).toBe(200);
    expect(pathOf(await typed.browser.get("/help/new-device"))).toBe("/help");
    expect((await typeWords(words, user.username)).response.status).toBe(401);
  });

  test("is opened by its link, whose token leaves the URL", async () => {
    const { browser } = await signInWithRole(server);
    const { user } = await createPerson();
    const { url } = shown(await give(browser, user));
    const person = server.browser();
    const page = await openLink(person, url);
    expect(page.url).toBe(`${server.url}/help/new-device`);
    expect(page.body).not.toContain(new URL(url).searchParams.get("help_token"));
    expect(page.body).toContain(user.username);
    expect(await factorsOf(user)).toBe(1);
    expect(pathOf(await server.browser().get("/help?help_token=wrong"))).toBe("/help/status?status=error-token");
    expect((await server.browser().get("/help/status?status=error-token")).status).toBe(400);
  });
});

describe("help for a new password", () => {
  // Proves requirement 209.
  test("asks for the second factor, and keeps it", async () => {
    const { browser } = await signInWithRole(server);
    const { user, app } = await createPerson();
    const before = await passwordOf(user);
    const { browser: person, response } = await typeWords(
      shown(await give(browser, user, "new-password")).words,
      user.username,
    );
    expect(pathOf(response)).toBe("/help/new-password");
    const form = await person.get("/help/new-password");
    const values = { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD };
    const refused = await person.submit(form, form.page().form("/help/new-password"), { ...values, code: "" });
    expect([refused.status, stateOf(refused).error]).toEqual([400, "invalid verification code"]);
    const weak = { password: "short", password_repeat: "short", code: await app.code() };
    const tooWeak = await person.submit(refused, refused.page().form("/help/new-password"), weak);
    expect(stateOf(tooWeak).error).toBe("password-strength");
    expect(await passwordOf(user)).toBe(before);
    const done = await person.submit(form, form.page().form("/help/new-password"), {
      ...values,
      code: await app.code(),
    });
    expect(pathOf(done)).toBe("/help/status?status=success&done=new-password");
    expect([await factorsOf(user), (await passwordOf(user)) === before]).toEqual([1, false]);
  });

  // Proves requirement 209.
  test("does not open the form for a new device, and the reverse", async () => {
    const { browser } = await signInWithRole(server);
    const { user } = await createPerson();
    const { browser: person } = await typeWords(shown(await give(browser, user, "new-password")).words, user.username);
    const xsrf = stateOf(await person.get("/help")).xsrf_token;
    const response = await person.post("/help/new-device", { _xsrf: String(xsrf), password: user.password });
    expect([pathOf(response), await factorsOf(user)]).toEqual(["/help/status?status=error-token", 1]);
    expect(pathOf(await person.get("/help/new-device"))).toBe("/help/status?status=error-token");
  });
});

describe("help", () => {
  // Proves requirement 210.
  test("is used once by two forms at once", async () => {
    const { browser } = await signInWithRole(server);
    const { user } = await createPerson();
    const { url, words } = shown(await give(browser, user));
    const first = server.browser();
    const form = await openLink(first, url);
    const { browser: second } = await typeWords(words, user.username);
    const other = await second.get("/help/new-device");
    const values = { password: user.password };
    const responses = await Promise.all([
      first.submit(form, form.page().form("/help/new-device"), values),
      second.submit(other, other.page().form("/help/new-device"), values),
    ]);
    const targets = responses.map(pathOf).sort();
    expect(targets).toEqual(["/help/status?status=error-token", "/help/status?status=success&done=new-device"]);
  });

  // Proves requirement 210.
  test("is withdrawn by another administrator, and names both in the trail", async () => {
    const helpDesk = await signInWithRole(server, { role: "help-desk" });
    const administrator = await signInWithRole(server);
    const { user } = await createPerson();
    const page = await give(helpDesk.browser, user);
    const { words } = shown(page);
    const form = await give(administrator.browser, user);
    expect((await typeWords(words, user.username)).response.status).toBe(401);
    const action = `/manage/admin/people/${user.id}/help/withdraw`;
    const done = await administrator.browser.submit(form, form.page().form(action));
    expect(pathOf(done)).toBe(`/manage/admin/people/${user.id}?done=help-withdrawn`);
    expect((await typeWords(shown(form).words, user.username)).response.status).toBe(401);
    const { auditEvents } = context.store.t;
    const events = (await context.store.q.select().from(auditEvents).orderBy(auditEvents.sequence)).filter(
      ({ userId }) => userId === user.id,
    );
    const actors = events.filter(({ type }) => type.startsWith("help.")).map(({ type, actorId }) => [type, actorId]);
    expect(actors.filter(([type]) => type !== "help.refused")).toEqual([
      ["help.given", helpDesk.user.id],
      ["help.withdrawn", administrator.user.id],
      ["help.given", administrator.user.id],
      ["help.withdrawn", administrator.user.id],
    ]);
  });

  // Proves requirement 211.
  test("of the other kind is refused on the page and in the form", async () => {
    const { browser } = await signInWithRole(server);
    const { user } = await createPerson();
    const open = await browser.get(givePath(user, "new-password"));
    await give(browser, user);
    const page = await browser.get(givePath(user, "new-password"));
    expect(page.body).not.toContain('name="proved"');
    const fields = { _xsrf: String(stateOf(open).xsrf_token), hours: "1", proved: "yes" };
    const refused = await browser.post(givePath(user, "new-password"), fields);
    expect([refused.status, shown(refused).words]).toEqual([200, []]);
  });

  // Proves requirement 212.
  test("is a page only for those who may help this person", async () => {
    const nord = await server.groups.create();
    const helpDesk = await signInWithRole(server, { role: "help-desk", office: nord });
    const own = await createPerson(nord.name);
    const other = await createPerson();
    const superior = await createPerson(nord.name);
    await context.store.tx((store) =>
      grantRole({ ...context, store }, superior.user, { role: "administrator", office: null }),
    );
    const status = async ({ id }: { id: string }) => (await helpDesk.browser.get(givePath({ id }))).status;
    expect(await status(own.user)).toBe(200);
    const unknown = await helpDesk.browser.get(givePath({ id: "unknown" }));
    for (const { id } of [other.user, superior.user, helpDesk.user]) {
      const page = await helpDesk.browser.get(givePath({ id }));
      expect([page.status, page.body.includes("proved")]).toEqual([unknown.status, false]);
    }
    const form = await helpDesk.browser.get(givePath(own.user));
    const xsrf = String(stateOf(form).xsrf_token);
    for (const { id } of [other.user, superior.user, helpDesk.user, { id: "unknown" }]) {
      const fields = { _xsrf: xsrf, hours: "1", proved: "yes" };
      expect((await helpDesk.browser.post(givePath({ id }), fields)).status).toBe(404);
      const withdraw = `/manage/admin/people/${id}/help/withdraw`;
      expect((await helpDesk.browser.post(withdraw, { _xsrf: xsrf })).status).toBe(404);
    }
    expect((await server.browser().get(givePath(own.user))).status).not.toBe(200);
  });

  // Proves requirement 212.
  test("needs a fresh proof of identity, the own form, the confirmation, and no unknown field", async () => {
    const { browser } = await signInWithRole(server);
    const { user } = await createPerson();
    const form = await browser.get(givePath(user));
    const fields = { _xsrf: String(stateOf(form).xsrf_token), hours: "1", proved: "yes" };
    const post = async (changed: FormValues) => browser.post(givePath(user), { ...fields, ...changed });
    expect((await post({ _xsrf: "wrong" })).status).toBe(403);
    expect((await post({ proved: "" })).status).toBe(400);
    expect((await post({ hours: "48" })).status).toBe(400);
    expect((await post({ userId: user.id })).status).toBe(400);
    expect((await post({ kind: "new-password" })).status).toBe(400);
    // The settings close after ten idle minutes.
    server.clock.advance(6 * MINUTE_SECONDS);
    expect((await browser.get(givePath(user))).status).toBe(200);
    server.clock.advance(6 * MINUTE_SECONDS);
    expect((await browser.get(givePath(user))).location).toContain("/manage/confirm");
    expect((await post({})).location).toContain("/manage/confirm");
    const { helpLinks } = context.store.t;
    const links = await context.store.q.select().from(helpLinks);
    expect(links.filter(({ userId }) => userId === user.id)).toEqual([]);
  });
});

describe("the page for the words", () => {
  // Proves requirement 213.
  test("responds in the same way to unknown users, wrong words, and users without help", async () => {
    const { browser } = await signInWithRole(server);
    const { user } = await createPerson();
    const helped = await createPerson();
    await give(browser, helped.user);
    const words = ["Anker", "Birne", "Fenster", "Kamille", "Laterne", "Schubkarre"];
    const pages: unknown[][] = [];
    for (const username of ["unknown", user.username, helped.user.username]) {
      const { response } = await typeWords(words, username);
      pages.push([response.status, stateOf(response).error, textOf(response, username)]);
      expect(response.headers["set-cookie"]).toBeUndefined();
    }
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1);
    expect(pages[0]?.slice(0, 2)).toEqual([401, "credentials"]);
  });

  // Proves requirement 213.
  test("is throttled after ten attempts with a name, with the time to wait", async () => {
    for (let count = 0; count < 10; count += 1) await typeWords(["a"], "throttled");
    const { response } = await typeWords(["a"], "throttled");
    expect([response.status, stateOf(response).error]).toEqual([429, "throttled"]);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  });

  test("refuses foreign forms and unknown fields, and keeps the name when the language changes", async () => {
    const browser = server.browser("de");
    const page = await browser.get("/help");
    expect(page.body).toContain("Sechs Wörter");
    const fields = { _xsrf: String(stateOf(page).xsrf_token), username: "anna", words: "a" };
    expect((await browser.post("/help", { ...fields, _xsrf: "wrong" })).status).toBe(403);
    expect((await browser.post("/help", { ...fields, kind: "new-device" })).status).toBe(400);
    expect(stateOf(await browser.post("/help", { ...fields, username: " " })).error).toBe("empty-username");
    const english = await browser.post("/help?lng=en", fields);
    expect([english.status, english.body.includes('value="anna"')]).toEqual([200, true]);
  });

  test("does not exist with ADMIN_PAGES=off, and is linked only without it", async () => {
    const browser = server.browser();
    const reset = "/password-reset/request-form";
    expect((await browser.get(reset)).body).toContain('href="/help"');
    Object.assign(context.config, { adminPages: false });
    for (const path of ["/help", "/help/new-device", "/help/new-password", "/help/status"]) {
      expect((await browser.get(path)).status).toBe(404);
    }
    expect((await browser.get(reset)).body).not.toContain('href="/help"');
    Object.assign(context.config, { adminPages: true });
  });
});
