import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Office, openOffice, type Person } from "#tests/browser/support/installation.ts";
import { loginPage, stateOf } from "./support/pages.ts";
import { openSettings, settingsAreLive } from "./support/settings.ts";
import { WAYS } from "./support/ways.ts";

let office: Office;
let person: Person;

beforeAll(async () => {
  office = await openOffice();
});
afterAll(() => office.close());
afterEach(() => person.close());

describe.each(WAYS)("in $language, JavaScript $javaScript", (way) => {
  test("the browser's own door leads to the overview, which speaks the browser's language and names the account", async () => {
    person = await office.open(way);
    const { page, t } = person;
    const user = await office.createUser();
    await openSettings(office, person, user);
    await page.goto(`${office.server.url}/manage?lng=${way.language === "de" ? "en" : "de"}`);
    expect(await page.title()).toBe(`${t("manage.title")} | Gatehouse`);
    expect(await page.locator("html").getAttribute("lang")).toBe(way.language);
    expect(await page.getByRole("banner").innerText()).toContain(user.displayName);
    expect((await person.context.cookies()).map(({ name }) => name)).not.toContain("i18next");
    for (const path of [
      "credentials/password",
      "credentials/username",
      "mfa",
      "sessions",
      "applications",
      "activity",
    ]) {
      expect(await page.locator(`main a[href="/manage/${path}"]`).count()).toBeGreaterThan(0);
    }
  });
});

test("a password manager's address leads, over the sign-in, to the page of a new password", async () => {
  person = await office.open();
  const { page, t } = person;
  const user = await office.createUser();
  await page.goto(`${office.server.url}/.well-known/change-password`);
  await loginPage(person).signIn(user);
  await page.waitForURL(`${office.server.url}/manage/credentials/password`);
  expect(await page.title()).toBe(`${t("managePassword.title")} | Gatehouse`);
});

describe("a change to another page", () => {
  test("loads no document; title, state and focus are the new page's, and its title is read out", async () => {
    person = await office.open();
    const { page, t } = person;
    await openSettings(office, person, await office.createUser());
    await settingsAreLive(person);
    await page.evaluate(() => {
      document.documentElement.dataset["mark"] = "same document";
    });
    await page.getByRole("link", { name: t("manage.credentials.usernameAction") }).click();
    await page.waitForURL(/\/manage\/credentials\/username$/);
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    expect(await page.locator("html").getAttribute("data-mark")).toBe("same document");
    expect(await page.title()).not.toBe(`${t("manage.title")} | Gatehouse`);
    expect(await page.locator("[aria-live=polite]").first().textContent()).toBe(await page.title());
    expect(await stateOf(page)).not.toHaveProperty("status");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: t("manage.heading") }).waitFor();
    expect(await page.title()).toBe(`${t("manage.title")} | Gatehouse`);
    expect(await page.locator("html").getAttribute("data-mark")).toBe("same document");
  });

  test("shows that data is on its way", async () => {
    person = await office.open({ language: "de" });
    const { page, t } = person;
    await openSettings(office, person, await office.createUser());
    await settingsAreLive(person);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\.data/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("link", { name: t("manage.credentials.usernameAction") }).click();
    await page
      .getByRole("status")
      .filter({ hasText: t("manage.loading") })
      .waitFor();
    release();
    await page.waitForURL(/username$/);
    await page.getByText(t("manage.loading")).waitFor({ state: "detached" });
  });

  test("after the settings have closed leads to the page that says so", async () => {
    person = await office.open({ expected: [/status of 401/] });
    const { page, t, context } = person;
    await openSettings(office, person, await office.createUser());
    await settingsAreLive(person);
    await page.getByRole("link", { name: t("manage.credentials.usernameAction") }).click();
    await page.waitForURL(/username$/);
    await context.clearCookies({ name: "gatehouse_settings" });
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: t("manageError.unauthorized") }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/manage/error/unauthorized");
  });
});

describe("where the scripts do not come whole", () => {
  test.each([
    ["its texts", "settings-texts."],
    ["its libraries", "libraries-"],
    ["every script", ""],
  ])("a page without %s stays as it came, and its form works", async (_what, file) => {
    person = await office.open({ language: "de", expected: [/^Failed to load resource: net::ERR_FAILED/] });
    const { page, t } = person;
    await person.context.route(`${office.server.url}/assets/${file}*.js`, (route) => route.abort());
    const user = await office.createUser();
    await openSettings(office, person, user, "/manage/credentials/username");
    await page.getByRole("textbox").fill(`${user.username}.neu`);
    await page.getByRole("button", { name: t("manageUsername.submit") }).click();
    await page.getByText(t("manage.banner.username-success")).waitFor();
    expect(await page.locator("main").innerText()).toContain(`${user.username}.neu`);
  });
});

test("the initials in the header stay round beside a long name in a narrow window", async () => {
  person = await office.open({ viewport: { width: 360, height: 740 } });
  const displayName = "Dr. Anna-Katharina Freifrau von Württemberg-Hohenzollern";
  const user = await office.server.users.create({ displayName });
  await openSettings(office, person, user);
  const box = await person.page.locator(".settings-header .initials").boundingBox();
  expect(box?.width).toBe(box?.height);
});
