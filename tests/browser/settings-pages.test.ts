import { afterEach, describe, expect, test } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { hasFocus, loginPage, scriptsHaveRun, stateOf } from "./support/pages.ts";
import { actionOn, openSettings } from "./support/settings.ts";
import { TWO_WAYS } from "./support/variants.ts";

let browserUser: BrowserUser;

const installation = await installationOfFile();
afterEach(() => browserUser.close());

describe.each(TWO_WAYS)("in $language, JavaScript $javaScript", (variant) => {
  test("/manage/open leads to the overview, in the browser's language and with the account's name", async () => {
    browserUser = await installation.open(variant);
    const { page, t } = browserUser;
    const user = await installation.createUser();
    await page.goto(`${installation.server.url}/manage/open`);
    await loginPage(browserUser).signIn(user);
    await page.waitForURL(`${installation.server.url}/manage`);
    await page.goto(`${installation.server.url}/manage?lng=${variant.language === "de" ? "en" : "de"}`);
    expect(await page.title()).toBe(`${t("manage.title")} | Gatehouse`);
    expect(await page.locator("html").getAttribute("lang")).toBe(variant.language);
    expect(await page.getByRole("banner").innerText()).toContain(user.displayName);
    expect((await browserUser.context.cookies()).map(({ name }) => name)).not.toContain("i18next");
    for (const path of [
      "credentials/password",
      "credentials/username",
      "mfa",
      "sessions",
      "applications",
      "activity",
      "language",
    ]) {
      expect(await page.locator(`main a[href="/manage/${path}"]`).count()).toBeGreaterThan(0);
    }
  });
});

test("the well-known URL of password managers leads, via the sign-in, to the password page", async () => {
  browserUser = await installation.open();
  const { page, t } = browserUser;
  const user = await installation.createUser();
  await page.goto(`${installation.server.url}/.well-known/change-password`);
  await loginPage(browserUser).signIn(user);
  await page.waitForURL(`${installation.server.url}/manage/credentials/password`);
  expect(await page.title()).toBe(`${t("managePassword.title")} | Gatehouse`);
});

describe("a change to another page", () => {
  test("loads no document; title, state and focus are the new page's, and its title is read out", async () => {
    browserUser = await installation.open();
    const { page, t } = browserUser;
    await openSettings(installation, browserUser, await installation.createUser());
    await scriptsHaveRun(browserUser);
    await page.evaluate(() => {
      document.documentElement.dataset["mark"] = "same document";
    });
    await page.getByRole("link", { name: actionOn(browserUser, "change", t("manage.credentials.username")) }).click();
    await page.waitForURL(/\/manage\/credentials\/username$/);
    await hasFocus(page.getByLabel(t("manageUsername.label"), { exact: true }));
    expect(await page.locator("html").getAttribute("data-mark")).toBe("same document");
    expect(await page.title()).toBe(`${t("manageUsername.title")} | Gatehouse`);
    expect(await page.locator("[aria-live=polite]").first().textContent()).toBe(await page.title());
    expect(await stateOf(page)).not.toHaveProperty("status");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: t("manage.heading") }).waitFor();
    expect(await page.title()).toBe(`${t("manage.title")} | Gatehouse`);
    expect(await page.locator("html").getAttribute("data-mark")).toBe("same document");
  });

  test("focuses the heading of a page without a form, which has no ring", async () => {
    browserUser = await installation.open();
    const { page, t } = browserUser;
    await openSettings(installation, browserUser, await installation.createUser());
    await scriptsHaveRun(browserUser);
    await page.getByRole("link", { name: actionOn(browserUser, "view", t("manage.access.sessions")) }).press("Enter");
    const heading = page.getByRole("heading", { level: 1, name: t("manageSessions.heading") });
    await hasFocus(heading);
    expect(await heading.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("none");
  });

  test("shows that data is loading", async () => {
    browserUser = await installation.open({ language: "de" });
    const { page, t } = browserUser;
    await openSettings(installation, browserUser, await installation.createUser());
    await scriptsHaveRun(browserUser);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\.data/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("link", { name: actionOn(browserUser, "change", t("manage.credentials.username")) }).click();
    await page
      .getByRole("status")
      .filter({ hasText: t("manage.loading") })
      .waitFor();
    release();
    await page.waitForURL(/username$/);
    await page.getByText(t("manage.loading")).waitFor({ state: "detached" });
  });

  test("after the settings have ended leads to the error page", async () => {
    browserUser = await installation.open({ expected: [/status of 401/] });
    const { page, t, context } = browserUser;
    await openSettings(installation, browserUser, await installation.createUser());
    await scriptsHaveRun(browserUser);
    await page.getByRole("link", { name: actionOn(browserUser, "change", t("manage.credentials.username")) }).click();
    await page.waitForURL(/username$/);
    await context.clearCookies({ name: "gatehouse_settings" });
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: t("manageError.unauthorized") }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/manage/error/unauthorized");
  });

  test("a form that is sent after the settings have ended is reported as lost, and leads back to its page", async () => {
    browserUser = await installation.open({ expected: [/status of 401/] });
    const { page, t, context } = browserUser;
    await openSettings(installation, browserUser, await installation.createUser(), "/manage/credentials/username");
    await scriptsHaveRun(browserUser);
    await context.clearCookies({ name: "gatehouse_settings" });
    await page.locator('input[name="username"]').fill("anna.late");
    await page.locator('main form button[type="submit"]').click();
    await page.getByText(t("manageErrorHelp.unsaved")).waitFor();
    await page.getByRole("link", { name: t("manageError.openAgain") }).click();
    await page.waitForURL(/\/manage\/credentials\/username$/);
  });
});

describe("where the scripts load incompletely", () => {
  test.each([
    ["its texts", "settings-texts."],
    ["its libraries", "libraries-"],
    ["every script", ""],
  ])("a page without %s stays as it came, and its form works", async (_what, file) => {
    browserUser = await installation.open({ language: "de", expected: [/^Failed to load resource: net::ERR_FAILED/] });
    const { page, t } = browserUser;
    await browserUser.context.route(`${installation.server.url}/assets/${file}*.js`, (route) => route.abort());
    const user = await installation.createUser();
    await openSettings(installation, browserUser, user, "/manage/credentials/username");
    await page.getByRole("textbox").fill(`${user.username}.neu`);
    await page.getByRole("button", { name: t("manageUsername.submit") }).click();
    await page.getByText(t("manage.banner.username-success")).waitFor();
    expect(await page.locator("main").innerText()).toContain(`${user.username}.neu`);
  });
});

test("the initials in the header stay round beside a long name in a narrow window", async () => {
  browserUser = await installation.open({ viewport: { width: 360, height: 740 } });
  const displayName = "Dr. Anna-Katharina Freifrau von Württemberg-Hohenzollern";
  const user = await installation.server.users.create({ displayName });
  await openSettings(installation, browserUser, user);
  const box = await browserUser.page.locator(".site-header .initials").boundingBox();
  expect(box?.width).toBe(box?.height);
});
