import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { openLostPage } from "#tests/http/factor-reset/steps.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { NEW_PASSWORD, obtainLink, openLink } from "#tests/http/password-reset/steps.ts";
import { createRegistrar, HINTS } from "#tests/http/register/steps.ts";
import { readStep } from "#tests/http/second-factor/steps.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { type SwitchedServer, startSwitchedServer } from "./database-switch.ts";

let switched: SwitchedServer;
let server: TestServer;
let party: RelyingParty;
let anna: TestUser;
let browser: Browser;

beforeAll(async () => {
  switched = await startSwitchedServer();
  server = switched.server;
  party = await server.parties.create({ firstParty: true });
});
afterAll(() => switched?.close());

beforeEach(async () => {
  browser = server.browser();
  anna = await server.users.create();
});

type Sent = { on: HttpResponse; action: string; values?: FormValues; button?: string };

/** Submits a form while the database is away; returns the page. */
async function sendWhileAway({ on, action, values = {}, button }: Sent): Promise<HttpResponse> {
  const page = await switched.whileAway(() => browser.submit(on, on.page().form(action), values, button));
  expect([page.status, page.headers["retry-after"], page.location]).toEqual([503, "5", null]);
  return page;
}

/** Sends a form while the database is away and expects it again, with these fields. */
async function expectForm(sent: Sent, fields: Record<string, string> = {}): Promise<HttpResponse> {
  const page = await sendWhileAway(sent);
  expect([stateOf(page).error, page.page().one("div", { role: "alert" }).attributes["data-code"]]).toEqual([
    "overloaded",
    "overloaded",
  ]);
  expect(page.page().text).toContain("try again in a few seconds");
  const shown = Object.fromEntries(page.page().form(sent.action).fields);
  expect(shown).toMatchObject({ ...Object.fromEntries(sent.on.page().form(sent.action).fields), ...fields });
  return page;
}

/** Returns the target of "Try again", the first action of an error page. */
function retryLinkOn(page: HttpResponse): string {
  const [first] = page
    .page()
    .all("a")
    .filter(({ attributes }) => attributes.class?.includes("button"));
  expect(first?.text).toBe("Try again");
  return first?.attributes.href ?? "";
}

/** Requests a URL while the database is away, then again by the link of the error page. */
async function repeatByLink(url: string): Promise<HttpResponse> {
  const page = await switched.whileAway(() => browser.get(url));
  expect([page.status, page.headers["retry-after"]]).toEqual([503, "5"]);
  return open(browser, retryLinkOn(page));
}

/** Sends a form while the database is away and expects a link to its page, which has the form; returns it. */
async function expectLink(sent: Sent): Promise<HttpResponse> {
  const page = await sendWhileAway(sent);
  const again = await open(browser, retryLinkOn(page));
  expect(
    again
      .page()
      .form(sent.action)
      .fields.map(([name]) => name),
  ).toEqual(
    sent.on
      .page()
      .form(sent.action)
      .fields.map(([name]) => name),
  );
  return again;
}

const PASSWORDS = { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD };

test("the form that starts an expired sign-in again is shown again, with the typed name, and works when the database is back", async () => {
  const form = await openForm(browser, party.request().url);
  server.clock.advance(2 * 60 * 60);
  const expired = await typePassword(browser, form.page, { ...anna, password: "Not-This-One-27" });
  const page = await expectForm({ on: expired, action: "/login" }, { username: anna.username });
  const again = await browser.follow(await browser.submit(page, page.page().form("/login")));
  expect(again.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
});

test("the form for a forgotten password is shown again, with the typed name, and works when the database is back", async () => {
  const { challenge } = await openForm(browser, party.request().url);
  const form = await browser.get(`/password-reset/request-form?${new URLSearchParams({ login_challenge: challenge })}`);
  const action = "/password-reset/request";
  const page = await expectForm({ on: form, action, values: { username: anna.username } }, { username: anna.username });
  expect((await browser.submit(page, page.page().form(action))).location).toContain("status=success");
});

test("outside a sign-in, too, no mail is promised that cannot be sent, whatever the name", async () => {
  const form = await browser.get("/password-reset/request-form");
  for (const username of [anna.username, "nobody-knows-me"]) {
    await expectForm({ on: form, action: "/password-reset/request", values: { username } }, { username });
  }
});

test("the choice of a first factor is shown again, and works when the database is back", async () => {
  const form = await open(browser, party.request({ acr_values: ACR_MFA }).url);
  const choice = await typePassword(browser, form, anna);
  const page = await expectForm({ on: choice, action: "/mfa/setup", button: "method" });
  const setUp = await browser.follow(await browser.submit(page, page.page().form("/mfa/setup"), {}, "method"));
  expect(
    setUp
      .page()
      .form("/mfa/setup")
      .fields.map(([name]) => name),
  ).toContain("code");
});

test("the name of a new security key is shown again in its form", async () => {
  const form = await open(browser, party.request({ acr_values: ACR_MFA }).url);
  const step = readStep(browser, await typePassword(browser, form, anna));
  const named = { method: "fido2", name: "Blue key" };
  const page = await switched.whileAway(() => step.post("/mfa/setup", named));
  expect([page.status, stateOf(page).error]).toEqual([503, "overloaded"]);
  expect(Object.fromEntries(page.page().form("/mfa/setup").fields)).toMatchObject(named);
});

test("the first code of an app: its page, with the secret, is loaded again by a link", async () => {
  const form = await open(browser, party.request({ acr_values: ACR_MFA }).url);
  const choice = await typePassword(browser, form, anna);
  const sent = await browser.submit(choice, choice.page().form("/mfa/setup"), {}, "method");
  const setUp = await browser.follow(sent);
  await expectLink({ on: setUp, action: "/mfa/setup", values: { code: "123456" } });
});

test("the form for a lost factor is shown again, and works when the database is back", async () => {
  const email = `${anna.username}@office.example`;
  const user = await server.users.create({ email });
  await giveTotp(server, user);
  const page = await expectForm({ on: await openLostPage(browser, party, user), action: "/mfa/lost" });
  expect((await browser.submit(page, page.page().form("/mfa/lost"))).location).toContain("status=success");
});

test("the account of a session, a registration, and a consent: their pages are loaded again by a link", async () => {
  await signIn(browser, party.request(), anna);
  const prompt = await open(browser, party.request({ prompt: "select_account" }).url);
  await expectLink({ on: prompt, action: "/login/proceed" });
  const consent = await open(browser, (await server.parties.create()).request().url);
  await expectLink({ on: consent, action: "/consent/accept" });
  await expectLink({ on: consent, action: "/consent/reject" });
  browser = server.browser();
  const registrar = await createRegistrar(server);
  await expectLink({ on: await open(browser, registrar.request(HINTS).url), action: "/register" });
});

test("a consent that is started again: its page is loaded again by a link", async () => {
  const request = (await server.parties.create()).request();
  const consent = await typePassword(browser, await open(browser, request.url), anna);
  server.clock.advance(2 * 60 * 60);
  for (const { name } of browser.jar.all()) if (name.startsWith("gatehouse_session")) browser.jar.clear(name);
  const expired = await browser.get(consent.url);
  await expectLink({ on: expired, action: "/consent" });
});

test("a new password is never repeated: the form for it is loaded again by a link, and works", async () => {
  const email = `${anna.username}@office.example`;
  const { username } = await server.users.create({ email });
  const form = await openLink(browser, await obtainLink(server, { username, email }));
  const action = "/password-reset/reset";
  const again = await expectLink({ on: form, action, values: PASSWORDS });
  expect((await browser.submit(again, again.page().form(action), PASSWORDS)).location).toContain("status=success");
});

test("the requests of the application before and after the form are repeated by a link", async () => {
  const request = party.request();
  const form = await repeatByLink(request.url);
  const accepted = await browser.submit(form, form.page().form("/login/native"), {
    username: anna.username,
    password: anna.password,
  });
  const end = await repeatByLink(accepted.location ?? "");
  expect(redirectParameters(end)).toMatchObject({ code: expect.any(String), state: request.state });
});

test("a form of the settings: its page is loaded again by a link", async () => {
  await (await createSettingsClient(server)).openSettings(browser, anna);
  const action = "/manage/credentials/username";
  await expectLink({ on: await open(browser, action), action, values: { username: `${anna.username}-new` } });
});
