import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { backToNow, letMinutesPass } from "./support/clock.ts";
import { alertOf, consentPage, loginPage, readDetail, seesHeading, signInAt, stateOf } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { SCRIPTING } from "./support/variants.ts";

/** A challenge expires after one hour. */
const TOO_LONG_MINUTES = 61;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });
const partner = await installation.openClientApp({ name: "Partner Portal" });

describe.each(SCRIPTING)("$scripting", ({ javaScript }) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    user = await installation.createUser();
  });
  afterEach(async () => {
    backToNow();
    await anna.close();
  });

  const restart = (browserUser: BrowserUser) =>
    browserUser.page.getByRole("button", { name: browserUser.t("login.error.challengeRestart"), exact: true });

  describe("a sign-in page that was open for too long", () => {
    it("says so when it is sent, keeps the user name, and starts the same request again with one button", async () => {
      await anna.page.goto(`${clientApp.url}/sign-in`);
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
      await anna.page.waitForURL(`${clientApp.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ aud: clientApp.clientId, sub: user.id });
    });

    it("continues at once when the user has signed in in another tab", async () => {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      letMinutesPass(TOO_LONG_MINUTES - 10);
      const second: BrowserUser = { ...anna, page: await anna.context.newPage() };
      await signInAt(second, `${clientApp.url}/sign-in`, user);
      await second.page.waitForURL(`${clientApp.url}/`);
      letMinutesPass(10);
      await anna.page.reload();
      await anna.page.waitForURL(`${clientApp.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
    });
  });

  it("a consent page that was open for too long starts the same request again", async () => {
    await seedSession(installation, anna, user);
    await anna.page.goto(`${partner.url}/sign-in`);
    await consentPage(anna).allow.waitFor();
    letMinutesPass(TOO_LONG_MINUTES);
    await consentPage(anna).allow.click();
    await consentPage(anna).allow.waitFor();
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${partner.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ aud: partner.clientId, sub: user.id });
  });

  // Without JavaScript the application is on this machine, with JavaScript on the web.
  it("a used page shows the result and links the application, without a second sign-in", async () => {
    const start = javaScript ? "https://desk.example/start" : "http://127.0.0.1:9/start";
    const home = await installation.openClientApp({ firstParty: true, initiateLoginUri: start });
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
    await anna.page.goto(`${clientApp.url}/sign-in`);
    const used = anna.page.url();
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${clientApp.url}/`);
    await anna.page.goto(used);
    const onward = anna.page.getByRole("main").getByRole("link");
    expect(await onward.getAttribute("href")).toBe(installation.server.context.config.appUrl);
  });

  describe("a challenge of another browser", () => {
    it("offers a restart and shows nothing of the request it belongs to", async () => {
      const mallory = await installation.open({ javaScript });
      await mallory.page.goto(`${clientApp.url}/sign-in?login_hint=mallory`);
      await anna.page.goto(mallory.page.url());
      await mallory.close();

      expect(anna.status()).toBe(400);
      await alertOf(anna.page).getByText(anna.t("login.error.challengeNoCookie")).waitFor();
      const shown = await anna.page.locator("body").textContent();
      expect(shown).not.toContain("Broker Desk");
      expect(shown).not.toContain(new URL(clientApp.url).host);
      expect(await loginPage(anna).username.inputValue()).toBe("");
      expect(await loginPage(anna).username.isDisabled()).toBe(true);

      await restart(anna).click();
      await loginPage(anna).signIn(user);
      await anna.page.waitForURL(`${clientApp.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
    });

    it("on a consent page shows neither application nor scopes", async () => {
      const mallory = await installation.open({ javaScript });
      await seedSession(installation, mallory, await installation.createUser());
      await mallory.page.goto(`${partner.url}/sign-in`);
      await consentPage(mallory).allow.waitFor();
      await seedSession(installation, anna, user);
      await anna.page.goto(mallory.page.url());
      await mallory.close();

      await seesHeading(anna, anna.t("consent.error.challenge.heading"));
      expect(anna.status()).toBe(400);
      expect(await anna.page.locator("body").textContent()).not.toContain("Partner Portal");
      expect(await consentPage(anna).scopes.count()).toBe(0);
      expect(await consentPage(anna).allow.count()).toBe(0);
    });
  });

  // Proves requirement 28.
  it("without a challenge the form is disabled and the page links the suite", async () => {
    await anna.page.goto(`${installation.server.url}/login`);
    expect(anna.status()).toBe(400);
    expect(await alertOf(anna.page).textContent()).toContain("Login-Challenge is empty or invalid!");
    expect(await loginPage(anna).username.isDisabled()).toBe(true);
    expect(await loginPage(anna).password.isDisabled()).toBe(true);
    expect(await loginPage(anna).submit.isDisabled()).toBe(true);
    const back = anna.page.getByRole("link", { name: anna.t("login.error.challengeAction") });
    expect(await back.getAttribute("href")).toBe(installation.server.context.config.appUrl);
  });
});
