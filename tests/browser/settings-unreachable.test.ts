import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LANGUAGES, type Language } from "#app/i18n/language.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { holdDatabase } from "#tests/http/middleware/database-lock.ts";
import { giveKey } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { withoutUsers } from "./support/broken.ts";
import { alertOf, hasFocus, scriptsHaveRun, seesHeading, stateOf } from "./support/pages.ts";
import { openSettings } from "./support/settings.ts";
import { keyPage, seesSuccess, settingsPages } from "./support/settings-pages.ts";

const NEW_PASSWORD = "Kupfer-Laterne-am-Fenster-27";
const USERNAME = "/manage/credentials/username";
let user: TestUser;
let anna: BrowserUser;

const installation = await installationOfFile();
beforeEach(async () => {
  user = await installation.createUser();
});
afterEach(() => anna.close());

/** Opens the page of the user name, and then lets no request of the script reach the server. */
async function openWithoutServer(language: Language, path = USERNAME): Promise<void> {
  anna = await installation.open({ language, expected: [/ERR_FAILED|Failed to fetch/] });
  await openSettings(installation, anna, user, path);
  await scriptsHaveRun(anna);
  await anna.page.route("**/*.data*", (route) => route.abort());
}

/** Expects header, navigation, what may have changed and the retry first, without the reference of another request. */
async function seesNoResponse(): Promise<void> {
  const { page, t } = anna;
  await seesHeading(anna, t("serverError.unknown.title"));
  await hasFocus(page.locator("h1"));
  expect(await stateOf(page)).toEqual({ server_error: { code: 0, reference: null } });
  expect(await page.locator(".site-header").innerText()).toContain(user.displayName);
  const main = page.getByRole("main");
  const text = await main.innerText();
  expect(text).toContain(t("serverError.unknown.description"));
  expect(text).toContain(t("manageError.unknownChange"));
  expect(text).not.toContain(t("common.supportUnknown"));
  expect(await main.locator(".actions").getByRole("link").allTextContents()).toEqual([
    t("common.retry"),
    t("manageError.back"),
  ]);
}

describe.each(LANGUAGES)(
  "a page of the settings that reaches no server keeps header and navigation (%s)",
  (language) => {
    test("after a form without typed fields, and offers its page again first", async () => {
      await openWithoutServer(language, "/manage/language");
      const { page, t } = anna;
      await page.getByRole("button", { name: t("manageLanguage.submit") }).click();
      await seesNoResponse();
      await page.unrouteAll();
      await page.getByRole("link", { name: t("common.retry") }).click();
      await seesHeading(anna, t("manageLanguage.heading"));
    });

    test("after a link, and its navigation works when the server is back", async () => {
      await openWithoutServer(language);
      const { page, t } = anna;
      const navigation = page.getByRole("navigation");
      await navigation.getByRole("link", { name: t("manage.access.activity") }).click();
      await seesNoResponse();
      expect(new URL(page.url()).pathname).toBe("/manage/activity");
      await page.unrouteAll();
      await navigation.getByRole("link", { name: t("manage.access.sessions") }).click();
      await seesHeading(anna, t("manageSessions.heading"));
    });
  },
);

test("a page whose header cannot be loaded either keeps header and navigation, with the reference of its request", async () => {
  anna = await installation.open({ language: "de", expected: [/status of 500/] });
  await openSettings(installation, anna, user, USERNAME);
  await scriptsHaveRun(anna);
  const { page, t } = anna;
  await withoutUsers(installation, async () => {
    await page
      .getByRole("navigation")
      .getByRole("link", { name: t("manage.access.activity") })
      .click();
    await seesHeading(anna, t("serverError.500.title"));
  });
  expect(await page.locator(".site-header").innerText()).toContain(user.displayName);
  const entry = installation.server.lines().findLast(({ path }) => path === "/manage/activity.data");
  expect(entry).toMatchObject({ status: 500 });
  expect(await page.getByRole("main").innerText()).toContain(String(entry?.["requestId"]));
  await page.getByRole("link", { name: t("common.retry") }).click();
  await seesHeading(anna, t("manageActivity.heading"));
});

describe.each(LANGUAGES)(
  "a form with typed fields stays with what was typed, under an alert, and can be sent again (%s)",
  (language) => {
    /** Expects the alert above the form, in header and navigation, and its reference if there is one. */
    async function seesAlert({ code, reference }: { code: number; reference: string | null }): Promise<void> {
      const { page, t } = anna;
      const alert = alertOf(page);
      await alert.waitFor();
      await hasFocus(alert);
      const texts = code === 0 ? "serverError.unknown" : "serverError.overload";
      const text = await alert.innerText();
      expect(text).toContain(t(`${texts}.description`));
      expect(text).toContain(t("manageError.unknownChange"));
      expect((await page.getByRole("main").innerText()).includes(t("common.supportUnknown"))).toBe(reference !== null);
      if (reference !== null) expect(await page.locator("main .facts").innerText()).toContain(reference);
      expect(await stateOf(page)).toMatchObject({ server_error: { code, reference } });
      expect(await page.title()).toMatch(new RegExp(`^${t("common.errorTitlePrefix")} `));
      expect(await page.locator(".site-header").innerText()).toContain(user.displayName);
    }

    test("if it reaches no server", async () => {
      await openWithoutServer(language);
      const { page } = anna;
      const { field, save } = settingsPages(anna).username;
      const name = `berta.${randomUUID().slice(0, 8)}`;
      await field.fill(name);
      await save.click();
      await seesAlert({ code: 0, reference: null });
      expect(await field.inputValue()).toBe(name);
      await page.unrouteAll();
      await save.click();
      await seesSuccess(anna, "username-success");
    });

    test("if another process locks the database, and after an earlier refusal", async () => {
      anna = await installation.open({ language, expected: [/status of (400|503)/] });
      await openSettings(installation, anna, user, USERNAME);
      await scriptsHaveRun(anna);
      const { page, t } = anna;
      const { field, save } = settingsPages(anna).username;
      await field.fill("anna <b>");
      await save.click();
      await page.getByRole("link", { name: t("manageUsername.quote.invalid") }).waitFor();
      const name = `berta.${randomUUID().slice(0, 8)}`;
      await field.fill(name);
      const letGo = await holdDatabase(installation.server.context.config.database);
      try {
        const refused = page.waitForResponse((response) => response.status() === 503);
        await save.click();
        await refused;
        await page.getByRole("alert").getByText(t("serverError.overload.description")).waitFor();
      } finally {
        await letGo();
      }
      const entry = installation.server.lines().findLast(({ path }) => path === `${USERNAME}.data`);
      expect(entry).toMatchObject({ status: 503 });
      await seesAlert({ code: 503, reference: String(entry?.["requestId"]) });
      expect(await field.inputValue()).toBe(name);
      expect(await page.locator("[aria-invalid]").count()).toBe(0);
      await save.click();
      await seesSuccess(anna, "username-success");
    }, 60_000);
  },
);

test.each([
  ["name of a security key", (id: string) => keyPage(installation, { id }), "#key-name", "Schlüssel am Bund"],
  ["code of an authenticator app", () => "/manage/mfa/register-totp", "[name=code]", "12345"],
] as const)("the typed %s stays when the form reaches no server", async (_name, pathOf, field, typed) => {
  await giveKey(installation.server, user);
  await openWithoutServer("de", await pathOf(user.id));
  const { page } = anna;
  await page.locator(field).fill(typed);
  await page.locator("main form [type=submit]").click();
  await alertOf(page).waitFor();
  expect(await page.locator(field).inputValue()).toBe(typed);
});

test("the passwords of a form that reaches no server stay, so that it can be sent again", async () => {
  await openWithoutServer("de", "/manage/credentials/password");
  const { page } = anna;
  const { password } = settingsPages(anna);
  await password.change(user.password, NEW_PASSWORD);
  await alertOf(page).waitFor();
  await page.unrouteAll();
  await password.save.click();
  await seesSuccess(anna, "password-success");
});
