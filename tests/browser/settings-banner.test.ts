import type { Locator } from "playwright";
import { afterEach, describe, expect, test } from "vitest";
import { type BrowserUser, type BrowserUserOptions, installationOfFile } from "#tests/browser/support/installation.ts";
import { scriptsHaveRun } from "./support/pages.ts";
import { seedSettings } from "./support/session.ts";

let browserUser: BrowserUser;

const installation = await installationOfFile();
afterEach(() => browserUser.close());

/** Opens the overview with a status, as after a change, with a fake clock in the page. */
async function comeBack(status: string, options: BrowserUserOptions = {}): Promise<Locator> {
  browserUser = await installation.open(options);
  await seedSettings(installation, browserUser, await installation.createUser());
  if (options.javaScript !== false) await browserUser.page.clock.install();
  const banner = await seesBanner(status);
  if (options.javaScript !== false) await scriptsHaveRun(browserUser);
  return banner;
}

async function seesBanner(status: string): Promise<Locator> {
  const { page } = browserUser;
  await page.goto(`${installation.server.url}/manage?${new URLSearchParams({ status })}`);
  return page.locator(`.alert[data-code="${status}"]`);
}

const STATUSES = [
  ["password-success", "Your password has been changed.", "Ihr Passwort wurde geändert."],
  ["username-success", "Your username has been changed.", "Ihr Benutzername wurde geändert."],
  ["oauth-connect-success", "The account has been connected.", "Das Konto wurde verbunden."],
  [
    "oauth-disconnect-success",
    "The account has been disconnected, and all other sessions have been signed out.",
    "Das Konto wurde getrennt. Alle anderen Sitzungen wurden beendet.",
  ],
  ["mfa-success", "Your second factor has been set up.", "Ihr zweiter Faktor wurde eingerichtet."],
] as const;

describe("a success banner", () => {
  test.each([
    { language: "en", word: "Done", texts: STATUSES.map(([status, en]) => [status, en] as const) },
    { language: "de", word: "Erledigt", texts: STATUSES.map(([status, , de]) => [status, de] as const) },
  ] as const)("is a live region and starts with a word, in $language", async ({ language, word, texts }) => {
    browserUser = await installation.open({ language });
    await seedSettings(installation, browserUser, await installation.createUser());
    for (const [status, text] of texts) {
      const banner = await seesBanner(status);
      expect.soft(await banner.getAttribute("role"), status).toBe("status");
      expect.soft(await banner.locator("p").allTextContents(), status).toEqual([word, text]);
    }
  });

  test("starts to fade after 6.6 seconds and is hidden after 7, not before", async () => {
    browserUser = await installation.open();
    const { page } = browserUser;
    await seedSettings(installation, browserUser, await installation.createUser());
    // The page's time goes on in steps of 10 ms until the banner is hydrated; 50 ms allow for the last steps.
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 1_000);
    const banner = await seesBanner("password-success");
    const isHydrated = async () => {
      await page.clock.runFor(10);
      return banner.getByRole("button").isVisible();
    };
    await expect.poll(isHydrated).toBe(true);
    await page.clock.runFor(6_550);
    expect(await banner.getAttribute("data-fading")).toBeNull();
    await page.clock.runFor(50);
    expect(await banner.getAttribute("data-fading")).toBe("");
    await page.clock.runFor(350);
    expect(await banner.count()).toBe(1);
    await page.clock.runFor(50);
    await banner.waitFor({ state: "detached" });
    // The page still shows the banner's information.
    expect(await page.locator("main").innerText()).toMatch(/Last changed (today|yesterday) at \d\d:\d\d/);
  });

  test("waits while the pointer is over it", async () => {
    const banner = await comeBack("password-success");
    const { page } = browserUser;
    await banner.hover();
    await page.clock.runFor(20_000);
    expect(await banner.count()).toBe(1);
    await page.mouse.move(0, 0);
    await page.clock.runFor(7_200);
    expect(await banner.count()).toBe(0);
  });

  test("waits while it has the focus; closing it moves the focus to the heading", async () => {
    const banner = await comeBack("mfa-success");
    const { page } = browserUser;
    const close = banner.getByRole("button", { name: browserUser.t("common.dismiss") });
    await close.focus();
    await page.clock.runFor(20_000);
    expect(await banner.count()).toBe(1);
    await page.keyboard.press("Enter");
    expect(await banner.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });

  test("is closed by Escape, also when it does not have the focus", async () => {
    const banner = await comeBack("mfa-success");
    const { page } = browserUser;
    await page.keyboard.press("Escape");
    expect(await banner.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("H1");
  });

  test("is not shown again after a reload or by the back button", async () => {
    const banner = await comeBack("password-success");
    const { page } = browserUser;
    expect(page.url()).toBe(`${installation.server.url}/manage`);
    await page.reload();
    expect(await banner.count()).toBe(0);
    await page.goto(`${installation.server.url}/manage/error/page_not_found`);
    await page.goBack();
    expect(await banner.count()).toBe(0);
  });

  test("stays where no motion is wanted, until it is closed", async () => {
    const banner = await comeBack("password-success", { reducedMotion: "reduce" });
    const { page } = browserUser;
    await page.clock.runFor(60_000);
    expect(await banner.count()).toBe(1);
    await banner.getByRole("button").click();
    expect(await banner.count()).toBe(0);
  });

  test("stays without JavaScript, and a link closes it", async () => {
    const banner = await comeBack("password-success", { javaScript: false });
    const { page } = browserUser;
    expect(await banner.count()).toBe(1);
    await banner.getByRole("link", { name: browserUser.t("common.dismiss") }).click();
    expect(page.url()).toBe(`${installation.server.url}/manage`);
    expect(await banner.count()).toBe(0);
  });

  test("is part of the page and covers nothing", async () => {
    const banner = await comeBack("password-success", { viewport: { width: 360, height: 740 } });
    const { page } = browserUser;
    const box = await banner.boundingBox();
    const heading = await page.locator("h1").boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(heading?.y ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});

describe("other banners", () => {
  test("an unknown status shows none, and runs nothing", async () => {
    await comeBack("<b>x</b>");
    const { page } = browserUser;
    expect(await page.locator(".alert").evaluateAll((all) => all.map((one) => one.getAttribute("data-code")))).toEqual([
      "account-security",
    ]);
    expect(await page.locator("main b", { hasText: /^x$/ }).count()).toBe(0);
  });

  test("an oauth-error shows the failure, and stays; the user's own cancellation is not an error", async () => {
    browserUser = await installation.open();
    const { page } = browserUser;
    await seedSettings(installation, browserUser, await installation.createUser());
    await page.clock.install();
    for (const [code, role, text] of [
      ["access_denied", "status", "You cancelled the connection at the provider."],
      ["account in use", "alert", "This account is already connected to another user."],
      ["<script>", "alert", "The account has not been connected. Please try again."],
    ] as const) {
      await page.goto(`${installation.server.url}/manage?${new URLSearchParams({ "oauth-error": code })}`);
      await scriptsHaveRun(browserUser);
      const alert = page.locator(`.alert[role="${role}"]`);
      expect.soft(await alert.locator("p").allTextContents(), code).toEqual(["Failed to connect to provider", text]);
      await page.clock.runFor(60_000);
      expect.soft(await alert.count(), code).toBe(1);
    }
  });

  test("account security: users without a second factor see a link to set one up", async () => {
    await comeBack("account-security");
    const { page, t } = browserUser;
    const banner = page.locator('[data-code="account-security"]');
    expect(await banner.count()).toBe(1);
    const link = banner.getByRole("link", { name: t("manage.bannerAction.account-security") });
    expect(await link.getAttribute("href")).toBe("/manage/mfa");
  });
});
