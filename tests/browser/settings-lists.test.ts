import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { EVENTS_PER_PAGE } from "#app/domain/audit-trail/activity.server.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { accountPage, consentPage, loginPage } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { openSettings } from "./support/settings.ts";

let user: TestUser;
let browserUsers: BrowserUser[];

const installation = await installationOfFile();
const own = await installation.openClientApp({ name: "Archive", firstParty: true });
const clientApp = await installation.openClientApp({ name: "Broker Desk" });

beforeEach(async () => {
  browserUsers = [];
  user = await installation.createUser();
});
afterEach(async () => {
  for (const browserUser of browserUsers) await browserUser.close();
});

async function openBrowser(javaScript: boolean): Promise<BrowserUser> {
  const browserUser = await installation.open({ javaScript });
  browserUsers.push(browserUser);
  return browserUser;
}

/** Signs the same user in, in another browser. */
async function isSignedIn(): Promise<BrowserUser> {
  const other = await openBrowser(false);
  await seedSession(installation, other, user);
  return other;
}

/** Returns whether the application's request shows the sign-in form. */
async function hasToSignIn({ page, t }: BrowserUser): Promise<boolean> {
  await page.goto(`${own.url}/sign-in`);
  return page.getByRole("button", { name: t("login.submit"), exact: true }).isVisible();
}

describe.each([true, false])("with JavaScript: %s", (javaScript) => {
  // Proves requirement 63.
  test("a user sees the sessions, and ends one", async () => {
    const other = await isSignedIn();
    await other.page.goto(`${own.url}/sign-in`);
    const anna = await openBrowser(javaScript);
    const { page, t } = anna;
    await page.goto(`${installation.server.url}/manage/open?to=/manage/sessions`);
    await loginPage(anna).signIn(user);
    await page.waitForURL(`${installation.server.url}/manage/sessions`);
    const rows = page.locator(".row");
    expect(await rows.count()).toBe(2);
    expect(await rows.nth(0).textContent()).toContain("Linux");
    expect(await rows.nth(1).textContent()).toContain("Archive");
    expect(await rows.nth(0).getByRole("button").count()).toBe(0);
    await rows.nth(1).getByRole("button").click();
    await page.getByText(t("manage.banner.session-ended")).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.getByText(t("manageSessions.noOthers")).isVisible()).toBe(true);
    expect(await hasToSignIn(other)).toBe(true);
    expect(await hasToSignIn(anna)).toBe(false);
  });

  // Proves requirement 63.
  test("a user ends all other sessions", async () => {
    const others = [await isSignedIn(), await isSignedIn()];
    const anna = await openBrowser(javaScript);
    await openSettings(installation, anna, user, "/manage/sessions");
    const { page, t } = anna;
    await page.getByRole("button", { name: t("manageSessions.endAll") }).click();
    await page.getByText(t("manage.banner.sessions-ended")).waitFor();
    expect(await page.locator(".row").count()).toBe(1);
    for (const other of others) expect(await hasToSignIn(other)).toBe(true);
  });

  // Proves requirement 99.
  test("a user sees the consent of an application, and withdraws it", async () => {
    const anna = await openBrowser(javaScript);
    const { page, t } = anna;
    await seedSession(installation, anna, user);
    await page.goto(`${clientApp.url}/sign-in`);
    await consentPage(anna).allow.click();
    await page.waitForURL(`${clientApp.url}/`);
    await page.goto(`${installation.server.url}/manage/open?to=/manage/applications`);
    const row = page.locator(".row");
    expect(await row.textContent()).toContain("Broker Desk");
    expect(await row.getByRole("listitem").allTextContents()).toContain(t("scope.profile.label"));
    await row.getByRole("button").click();
    await page.getByText(t("manage.banner.consent-withdrawn")).waitFor();
    expect(await page.getByText(t("manageApplications.none")).isVisible()).toBe(true);
    await page.goto(`${clientApp.url}/sign-in`);
    const account = accountPage(anna).proceed;
    if (await account.isVisible()) await account.click();
    await consentPage(anna).allow.waitFor();
  });

  test("a user reads the recent events, page by page", async () => {
    const event = { type: "password.refused", outcome: "refused", reason: "wrong password" } as const;
    const where = { userId: user.id, address: "192.0.2.7", userAgent: "", requestId: "r" };
    for (let n = 0; n < EVENTS_PER_PAGE; n += 1) await recordEvent(installation.server.context, { ...event, ...where });
    const anna = await openBrowser(javaScript);
    const { page, t } = anna;
    await openSettings(installation, anna, user, "/manage/activity");
    const rows = page.locator(".row");
    expect(await rows.count()).toBe(EVENTS_PER_PAGE);
    expect(await rows.first().textContent()).toContain(t("manageActivity.event.settingsOpened"));
    expect(await rows.last().textContent()).toContain("192.0.2.7");
    await page.getByRole("link", { name: t("manageActivity.older") }).click();
    await page.getByRole("link", { name: t("manageActivity.newest") }).waitFor();
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await rows.count()).toBeLessThan(EVENTS_PER_PAGE);
    expect(await page.getByRole("link", { name: t("manageActivity.older") }).count()).toBe(0);
    await page.getByRole("link", { name: t("manageActivity.newest") }).click();
    await page.waitForURL(/\/manage\/activity$/);
  });
});

test("the lists require open settings", async () => {
  const anna = await openBrowser(false);
  for (const path of ["/manage/sessions", "/manage/applications", "/manage/activity"]) {
    await anna.page.goto(installation.server.url + path);
    expect(new URL(anna.page.url()).pathname).toBe("/manage/error/unauthorized");
  }
  expect(await loginPage(anna).submit.count()).toBe(0);
});
