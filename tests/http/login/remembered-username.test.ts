import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { followRedirects, obtainTokens, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { Parameters } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { pressKeepName } from "./change-language.ts";
import { openForm } from "./open-form.ts";
import { useOtherAccount } from "./other-account.ts";

const DAYS = 30;
const COOKIE = "gatehouse_username";
const WRONG = "Not-This-One-27";
let browser: Browser;
let anna: TestUser;

const server = await serverOfFile({ env: { USERNAME_REMEMBER_DAYS: String(DAYS) } });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  browser = server.browser();
  anna = await server.users.create();
});

/** Ends the session of a browser as a sign-out does: only the session's cookies are removed. */
function signOut(from = browser): void {
  for (const { name } of from.jar.all()) if (name.startsWith("gatehouse_session")) from.jar.clear(name);
}

/** Signs in with this name, or with Anna's, and signs out again. */
async function signInAs(username = anna.username, user = anna, on = browser): Promise<void> {
  await signIn(on, party.request(), { ...user, username });
  signOut(on);
}

const openSignIn = (parameters: Parameters = {}, on = browser) => open(on, party.request(parameters).url);

/** Returns the shown user name, and if it is a remembered one, which has no field. */
function shown(page: HttpResponse): { username: string; isRemembered: boolean } {
  const { attributes } = page.page().one("input", { id: "username" });
  return { username: attributes.value ?? "", isRemembered: attributes.readonly !== undefined };
}

/** Changes Anna's user name in the settings. */
async function rename(username: string, on: Browser): Promise<void> {
  const settings = await createSettingsClient(server);
  await settings.openSettings(on, anna);
  const page = await open(on, "/manage/credentials/username");
  const path = "/manage/credentials/username";
  const renamed = await on.submit(page, page.page().form(path), { username });
  expect(renamed.location).toContain("status=username-success");
}

const EMPTY = { username: "", isRemembered: false };
const remembered = (username = anna.username) => ({ username, isRemembered: true });

/** Presses "Not you?". */
function pressNotYou(page: HttpResponse, on = browser): Promise<HttpResponse> {
  const { form: id, name = "", value = "" } = page.page().one("button", { name: "forget" }).attributes;
  const fields = page
    .page()
    .one("form", { id: id ?? "" })
    .parts.map(({ attributes }) => [attributes.name ?? "", attributes.value ?? ""]);
  return on.post("/login/native", { ...Object.fromEntries(fields), [name]: value });
}

describe("a browser in which a user has signed in", () => {
  test("shows the name at the next sign-in, with which the form signs in", async () => {
    await signInAs();
    const page = await openSignIn();
    expect([shown(page), page.status]).toEqual([remembered(), 200]);
    expect(page.page().one("input", { id: "username" }).attributes).toMatchObject({
      name: "username",
      autocomplete: "username",
    });
    const { password } = anna;
    const end = await browser.submit(page, page.page().form("/login/native"), { password });
    expect((await followRedirects(browser, end)).location).toContain("code=");
  });

  test("shows what was typed: the address of a user who signs in with the address, in the typed spelling, without invisible characters", async () => {
    const email = `Anna.${anna.username}@Example.com`;
    const user = await server.users.create({ email });
    const { t, q } = server.context.store;
    await q.update(t.users).set({ emailVerified: true }).where(eq(t.users.id, user.id)).returning();
    await signInAs(`\u2066 ${email}\u200b `, user);
    expect(shown(await openSignIn())).toEqual(remembered(email));
  });

  test("shows the name of the last user alone", async () => {
    const berta = await server.users.create();
    await signInAs();
    await signInAs(berta.username, berta);
    const page = await openSignIn();
    expect(shown(page)).toEqual(remembered(berta.username));
    expect(page.body).not.toContain(anna.username);
  });

  test("keeps the name after a sign-out", async () => {
    await signIn(browser, party.request(), anna);
    const question = await open(browser, "/oauth2/sessions/logout");
    await browser.submit(question, question.page().form("/logout/accept"));
    expect(shown(await openSignIn())).toEqual(remembered());
  });

  test("shows the name again after a wrong password", async () => {
    await signInAs();
    const refused = await typePassword(browser, await openSignIn(), { ...anna, password: WRONG });
    expect([refused.status, shown(refused)]).toEqual([401, remembered()]);
  });

  test("has it in the form for a forgotten password, but in no URL", async () => {
    await signInAs();
    const form = await pressKeepName(browser, await openSignIn(), "reset");
    expect(form.url).not.toContain(anna.username);
    expect(shown(form)).toEqual({ ...remembered(), isRemembered: false });
  });

  test("shows it for USERNAME_REMEMBER_DAYS from the last sign-in", async () => {
    await signInAs();
    const cookie = browser.jar.find(COOKIE)?.value ?? "";
    server.clock.advance(DAYS * DAY_SECONDS - 60);
    expect(shown(await openSignIn())).toEqual(remembered());
    server.clock.advance(61);
    browser.jar.take(new URL(server.url), [`${COOKIE}=${cookie}; Path=/`]);
    expect(shown(await openSignIn())).toEqual(EMPTY);
  });

  // Proves requirement 155.
  test("does not reveal if the user was blocked, renamed or removed meanwhile", async () => {
    await signInAs();
    const before = shown(await openSignIn());
    const newName = `${anna.username}-new`;
    for (const change of [
      () => rename(newName, server.browser()),
      () => blockUser(server.context, newName),
      () => removeUser(server.context, newName),
    ]) {
      await change();
      expect(shown(await openSignIn())).toEqual(before);
    }
    const refused = await typePassword(browser, await openSignIn(), anna);
    expect([refused.status, shown(refused)]).toEqual([401, before]);
  });
});

describe("the cookie", () => {
  // Proves requirement 155.
  test("is hidden from scripts and other sites, ends with USERNAME_REMEMBER_DAYS, and contains no readable name", async () => {
    const form = await openForm(browser, party.request().url);
    const { setCookies } = await form.post({ username: anna.username, password: anna.password });
    const [cookie = ""] = setCookies.filter((one) => one.startsWith(`${COOKIE}=`));
    expect(cookie).toContain(`; Max-Age=${DAYS * DAY_SECONDS}; Path=/; HttpOnly; SameSite=Lax`);
    const value = decodeURIComponent(browser.jar.find(COOKIE)?.value ?? "");
    const decoded = value.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
    for (const text of [value, ...decoded]) {
      expect(text).not.toContain(anna.username);
      expect(text).not.toContain(anna.id);
    }
  });

  // Proves requirement 155.
  test("is neither set by a wrong password nor by an unknown name", async () => {
    for (const username of [anna.username, "nobody-knows-me"]) {
      const refused = await typePassword(browser, await openSignIn(), { username, password: WRONG });
      expect([refused.status, browser.jar.find(COOKIE)]).toEqual([401, null]);
    }
    expect(shown(await openSignIn())).toEqual(EMPTY);
  });

  // Proves requirement 155.
  test("is set after the second step, not after the password", async () => {
    const app = await giveTotp(server, anna);
    const step = await typePassword(browser, await openSignIn(), anna);
    expect(browser.jar.find(COOKIE)).toBeNull();
    const form = step.page().form("/mfa/verify");
    await followRedirects(browser, await browser.submit(step, form, { code: await app.code() }));
    signOut();
    expect(shown(await openSignIn())).toEqual(remembered());
  });

  // Proves requirement 155.
  test("shows nothing in another browser, even if it is copied", async () => {
    await signInAs();
    const thief = server.browser();
    await thief.get("/login");
    const { value = "" } = browser.jar.find(COOKIE) ?? {};
    thief.jar.take(new URL(server.url), [`${COOKIE}=${value}; Path=/`]);
    expect(shown(await openSignIn({}, thief))).toEqual(EMPTY);
  });

  // Proves requirement 155.
  test("shows nothing if it was not sealed for this purpose: forged, damaged, or a value of the database", async () => {
    await signInAs();
    const { value = "" } = browser.jar.find(COOKIE) ?? {};
    const content = JSON.stringify({ username: "<b>You won</b>", userId: anna.id, browserHash: "", at: 0 });
    const values = [
      anna.username,
      content,
      `${value.slice(0, -3)}AAA`,
      value.split(".").slice(0, 3).join("."),
      `eyJhbGciOiJub25lIn0..${Buffer.from(content).toString("base64url")}.e30.AA`,
      await server.context.secrets.seal("mail", content),
      "x".repeat(4_000),
    ];
    for (const forged of values) {
      browser.jar.take(new URL(server.url), [`${COOKIE}=${encodeURIComponent(forged)}; Path=/`]);
      const page = await openSignIn();
      expect([forged, page.status, shown(page)]).toEqual([forged, 200, EMPTY]);
    }
  });
});

describe("Not you?", () => {
  test("forgets the name in this browser and shows an empty field", async () => {
    await signInAs();
    const other = server.browser();
    await signInAs(anna.username, anna, other);
    const form = await followRedirects(browser, await pressNotYou(await openSignIn()));
    expect([form.status, shown(form), browser.jar.find(COOKIE)]).toEqual([200, EMPTY, null]);
    const berta = await server.users.create();
    expect((await typePassword(browser, form, berta)).location).toContain("code=");
    expect(shown(await openSignIn({}, other))).toEqual(remembered());
  });

  test("counts no attempt, and ignores a password in the form", async () => {
    await signInAs();
    const page = await openSignIn();
    const { fields } = page.page().form("/login/native");
    for (let count = 0; count < 12; count += 1) {
      const posted = { ...Object.fromEntries(fields), password: WRONG, forget: "1" };
      expect((await browser.post("/login/native", posted)).status).toBe(303);
    }
    expect((await typePassword(browser, await openSignIn(), anna)).location).toContain("code=");
  });

  // Proves requirement 155.
  test("needs the form's token, so that no other page forgets a name", async () => {
    await signInAs();
    const { login_challenge } = Object.fromEntries((await openSignIn()).page().form("/login/native").fields);
    const refused = await browser.post("/login/native", { login_challenge: login_challenge ?? "", forget: "1" });
    expect([refused.status, refused.setCookies]).toEqual([403, []]);
    expect(shown(await openSignIn())).toEqual(remembered());
  });
});

describe("the name is not shown", () => {
  test("if the application names a user", async () => {
    await signInAs();
    const page = await openSignIn({ login_hint: "bertha" });
    expect(shown(page)).toEqual({ username: "bertha", isRemembered: false });
  });

  test('after "Use another account"', async () => {
    await signIn(browser, party.request(), anna);
    const choice = await openSignIn({ prompt: "select_account" });
    expect(shown(await useOtherAccount(browser, choice))).toEqual(EMPTY);
  });

  test("to another user who is signed in and has to sign in again", async () => {
    await signInAs();
    const kept = browser.jar.find(COOKIE)?.value ?? "";
    await signIn(browser, party.request(), await server.users.create());
    browser.jar.take(new URL(server.url), [`${COOKIE}=${kept}; Path=/`]);
    expect(shown(await openSignIn({ prompt: "login" }))).toEqual(EMPTY);
    signOut();
    expect(shown(await openSignIn({ prompt: "login" }))).toEqual(remembered());
  });

  test("if the application's id_token_hint is that of another user", async () => {
    const berta = await server.users.create();
    const { idToken } = await obtainTokens(server.browser(), party, party.request(), berta);
    const own = await obtainTokens(browser, party, party.request(), anna);
    signOut();
    expect(shown(await openSignIn({ id_token_hint: String(idToken) }))).toEqual(EMPTY);
    expect(shown(await openSignIn({ id_token_hint: String(own.idToken) }))).toEqual(remembered());
  });

  test("after a change of the user name in this browser", async () => {
    await rename(`${anna.username}-new`, browser);
    signOut();
    expect(shown(await openSignIn())).toEqual(EMPTY);
  });
});

test("with USERNAME_REMEMBER_DAYS=0, no name is remembered, and names from before are not shown", async () => {
  await signInAs();
  const { config } = server.context;
  Object.assign(config, { usernameRememberDays: 0 });
  try {
    expect(shown(await openSignIn())).toEqual(EMPTY);
    const other = server.browser();
    await signInAs(anna.username, anna, other);
    expect(other.jar.find(COOKIE)).toBeNull();
  } finally {
    Object.assign(config, { usernameRememberDays: DAYS });
  }
});
