import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LANGUAGES, type Language } from "#app/i18n/language.ts";
import { type BrowserUser, type Installation, startInstallation } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { withoutUsers } from "./support/broken.ts";
import { hasFocus, scriptsHaveRun, seesHeading, stateOf } from "./support/pages.ts";
import { openSettings } from "./support/settings.ts";
import { settingsPages } from "./support/settings-pages.ts";

const USERNAME = "/manage/credentials/username";

let installation: Installation;
let user: TestUser;
let anna: BrowserUser;

beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.close());
beforeEach(async () => {
  user = await installation.createUser();
});
afterEach(() => anna.close());

/** Opens the page of the user name, and then lets no request of the script reach the server. */
async function openWithoutServer(language: Language): Promise<void> {
  anna = await installation.open({ language, expected: [/ERR_FAILED|Failed to fetch/] });
  await openSettings(installation, anna, user, USERNAME);
  await scriptsHaveRun(anna);
  await anna.page.route("**/*.data*", (route) => route.abort());
}

/** Expects header, navigation, what may have changed and the retry first, without the reference of another request. */
async function seesNoResponse(): Promise<void> {
  const { page, t } = anna;
  await seesHeading(anna, t("serverError.unknown.title"));
  await hasFocus(page.locator("h1"));
  expect(await stateOf(page)).toEqual({ server_error: { code: 0, reference: null } });
  expect(await page.locator(".settings-header").innerText()).toContain(user.displayName);
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
    test("after a form, and offers the form again first", async () => {
      await openWithoutServer(language);
      const { page, t } = anna;
      const { field, save } = settingsPages(anna).username;
      await field.fill("berta");
      await save.click();
      await seesNoResponse();
      await page.unrouteAll();
      await page.getByRole("link", { name: t("common.retry") }).click();
      await seesHeading(anna, t("manageUsername.heading"));
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
  expect(await page.locator(".settings-header").innerText()).toContain(user.displayName);
  const entry = installation.server.lines().findLast(({ path }) => path === "/manage/activity.data");
  expect(entry).toMatchObject({ status: 500 });
  expect(await page.getByRole("main").innerText()).toContain(String(entry?.["requestId"]));
  await page.getByRole("link", { name: t("common.retry") }).click();
  await seesHeading(anna, t("manageActivity.heading"));
});
