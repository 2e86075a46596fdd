import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Desk, type Office, openOffice, type Person } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { backToNow, letMinutesPass } from "./support/clock.ts";
import { alertOf, consentPage, factOf, loginPage, seesHeading, signInAt, stateOf } from "./support/pages.ts";
import { SCRIPTING } from "./support/ways.ts";

/** A challenge expires after one hour. */
const TOO_LONG_MINUTES = 61;

let office: Office;
let desk: Desk;
let partner: Desk;

beforeAll(async () => {
  office = await openOffice();
  desk = await office.openDesk({ firstParty: true });
  partner = await office.openDesk({ name: "Partner Portal" });
});
afterAll(() => office.close());

describe.each(SCRIPTING)("$scripting", ({ javaScript }) => {
  let anna: Person;
  let user: TestUser;

  beforeEach(async () => {
    anna = await office.open({ javaScript });
    user = await office.createUser();
  });
  afterEach(async () => {
    backToNow();
    await anna.close();
  });

  const restart = (person: Person) =>
    person.page.getByRole("button", { name: person.t("login.error.challengeRestart"), exact: true });

  describe("a sign-in page that was open for too long", () => {
    it("says so when it is sent, keeps the user name, and starts the same request again with one button", async () => {
      await anna.page.goto(`${desk.url}/sign-in`);
      letMinutesPass(TOO_LONG_MINUTES);
      await loginPage(anna).signIn(user);
      await alertOf(anna.page).getByText(anna.t("login.error.challengeExpired")).waitFor();
      expect(anna.status()).toBe(400);
      expect(await loginPage(anna).username.inputValue()).toBe(user.username);
      expect(await loginPage(anna).username.isDisabled()).toBe(true);
      expect(await loginPage(anna).submit.isDisabled()).toBe(true);

      await restart(anna).click();
      await loginPage(anna).password.fill(user.password);
      expect(await loginPage(anna).username.inputValue()).toBe(user.username);
      await loginPage(anna).submit.click();
      await anna.page.waitForURL(`${desk.url}/`);
      expect(await factOf(anna.page, "claims")).toMatchObject({ aud: desk.clientId, sub: user.id });
    });

    it("goes on at once when the person has signed in elsewhere meanwhile", async () => {
      await anna.page.goto(`${desk.url}/sign-in`);
      letMinutesPass(TOO_LONG_MINUTES - 10);
      const second: Person = { ...anna, page: await anna.context.newPage() };
      await signInAt(second, `${desk.url}/sign-in`, user);
      await second.page.waitForURL(`${desk.url}/`);
      letMinutesPass(10);
      await anna.page.reload();
      await anna.page.waitForURL(`${desk.url}/`);
      expect(await factOf(anna.page, "claims")).toMatchObject({ sub: user.id });
    });
  });

  it("a consent page that was open for too long starts the same request again", async () => {
    await signInAt(anna, `${partner.url}/sign-in`, user);
    await consentPage(anna).allow.waitFor();
    letMinutesPass(TOO_LONG_MINUTES);
    await consentPage(anna).allow.click();
    await consentPage(anna).allow.waitFor();
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${partner.url}/`);
    expect(await factOf(anna.page, "claims")).toMatchObject({ aud: partner.clientId, sub: user.id });
  });

  it.each([
    ["on the web", "https://desk.example/start"],
    ["on this machine", "http://127.0.0.1:9/start"],
  ])("a used sign-in page tells the result and links the application %s, without doing it again", async (_, start) => {
    const home = await office.openDesk({ firstParty: true, initiateLoginUri: start });
    await anna.page.goto(`${home.url}/sign-in`);
    const used = anna.page.url();
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${home.url}/`);
    await anna.page.goto(used);
    await seesHeading(anna, anna.t("loginResult.success.heading"));
    expect(anna.status()).toBe(200);
    const result = { status: "success", code: null, to_app_url: start };
    expect(await stateOf(anna.page)).toMatchObject({ login_result: result });
    expect(await anna.page.getByRole("main").getByRole("link").getAttribute("href")).toBe(start);
  });

  it("a used sign-in page of a client without such an address links the suite", async () => {
    await anna.page.goto(`${desk.url}/sign-in`);
    const used = anna.page.url();
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${desk.url}/`);
    await anna.page.goto(used);
    const onward = anna.page.getByRole("main").getByRole("link");
    expect(await onward.getAttribute("href")).toBe(office.server.context.config.appUrl);
  });

  describe("a challenge of another browser", () => {
    it("offers a restart and shows nothing of the request it belongs to", async () => {
      const mallory = await office.open({ javaScript });
      await mallory.page.goto(`${desk.url}/sign-in?login_hint=mallory`);
      await anna.page.goto(mallory.page.url());
      await mallory.close();

      expect(anna.status()).toBe(400);
      await alertOf(anna.page).getByText(anna.t("login.error.challengeOtherBrowser")).waitFor();
      const shown = await anna.page.locator("body").textContent();
      expect(shown).not.toContain("Broker Desk");
      expect(shown).not.toContain(new URL(desk.url).host);
      expect(await loginPage(anna).username.inputValue()).toBe("");
      expect(await loginPage(anna).username.isDisabled()).toBe(true);

      await restart(anna).click();
      await loginPage(anna).signIn(user);
      await anna.page.waitForURL(`${desk.url}/`);
      expect(await factOf(anna.page, "claims")).toMatchObject({ sub: user.id });
    });

    it("on a consent page shows neither application nor scopes", async () => {
      const mallory = await office.open({ javaScript });
      await signInAt(mallory, `${partner.url}/sign-in`, await office.createUser());
      await consentPage(mallory).allow.waitFor();
      await signInAt(anna, `${desk.url}/sign-in`, user);
      await anna.page.waitForURL(`${desk.url}/`);
      await anna.page.goto(mallory.page.url());
      await mallory.close();

      await seesHeading(anna, anna.t("consent.error.challenge.heading"));
      expect(anna.status()).toBe(400);
      expect(await anna.page.locator("body").textContent()).not.toContain("Partner Portal");
      expect(await consentPage(anna).scopes.count()).toBe(0);
      expect(await consentPage(anna).allow.count()).toBe(0);
    });
  });

  it("without any challenge the form is switched off, with a way back to the suite", async () => {
    await anna.page.goto(`${office.server.url}/login`);
    expect(anna.status()).toBe(400);
    expect(await alertOf(anna.page).textContent()).toContain("Login-Challenge is empty or invalid!");
    expect(await loginPage(anna).username.isDisabled()).toBe(true);
    expect(await loginPage(anna).password.isDisabled()).toBe(true);
    expect(await loginPage(anna).submit.isDisabled()).toBe(true);
    const back = anna.page.getByRole("link", { name: anna.t("login.error.challengeAction") });
    expect(await back.getAttribute("href")).toBe(office.server.context.config.appUrl);
  });
});
