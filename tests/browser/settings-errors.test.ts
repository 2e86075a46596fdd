import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BrowserUser, type BrowserUserOptions, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { withoutAuditTrail } from "./support/broken.ts";
import { hasFocus, scriptsHaveRun, seesHeading, stateOf } from "./support/pages.ts";
import { openSettings } from "./support/settings.ts";
import { settingsPages } from "./support/settings-pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

const ACTIVITY = "/manage/activity?kind=sign-in";
const USERNAME = "/manage/credentials/username";
const SUPPORT = "it@office.example";
let user: TestUser;
let anna: BrowserUser;

const installation = await installationOfFile({ env: { SUPPORT_CONTACT: SUPPORT } });
beforeEach(async () => {
  user = await installation.createUser();
});
afterEach(() => anna.close());

async function open(options: BrowserUserOptions, path: string): Promise<void> {
  anna = await installation.open({ expected: [/status of 500/], ...options });
  await openSettings(installation, anna, user, path);
  if (options.javaScript !== false) await scriptsHaveRun(anna);
}

/** Expects the page of an unexpected error with header, navigation, whom to ask, and these texts, at both widths. */
async function seesFailure(expected: { changes: string; actions: readonly string[] }): Promise<void> {
  const { page, t } = anna;
  await seesHeading(anna, t("serverError.500.title"));
  expect(await page.title()).toBe(`${t("serverError.500.title")} | Gatehouse`);
  expect(await page.locator(".site-header").innerText()).toContain(user.displayName);
  await page
    .getByRole("navigation")
    .getByRole("link", { name: t("manage.access.sessions") })
    .waitFor();
  const main = page.getByRole("main");
  expect(await main.innerText()).toContain(SUPPORT);
  expect(await main.locator(".actions").getByRole("link").allTextContents()).toEqual(expected.actions);
  const said = [t("manageError.nothingChanged"), t("manageError.unknownChange")];
  const text = await main.innerText();
  expect(said.filter((sentence) => text.includes(sentence))).toEqual([expected.changes]);
  const { server_error } = await stateOf(page);
  const { reference } = Object(server_error);
  expect(text).toContain(reference);
  await expect
    .poll(() => installation.server.lines())
    .toContainEqual(expect.objectContaining({ requestId: reference, status: 500 }));
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
}

describe.each(TWO_WAYS)("in the settings ($language, JavaScript: $javaScript)", (variant) => {
  test("a page that fails keeps header and navigation, changed nothing, and offers itself again first", async () => {
    await open(variant, "/manage");
    const { page, t } = anna;
    await withoutAuditTrail(installation, async () => {
      await page.goto(installation.server.url + ACTIVITY);
    });
    expect(anna.status()).toBe(500);
    await seesFailure({
      changes: t("manageError.nothingChanged"),
      actions: [t("common.retry"), t("manageError.back")],
    });
    await page.getByRole("link", { name: t("common.retry") }).click();
    await seesHeading(anna, t("manageActivity.heading"));
    expect(page.url()).toBe(installation.server.url + ACTIVITY);
  });

  test("a form that fails keeps them, promises nothing about the change, and offers the form first", async () => {
    await open(variant, USERNAME);
    const { page, t } = anna;
    const { field, save } = settingsPages(anna).username;
    await field.fill("berta");
    await withoutAuditTrail(installation, async () => {
      await save.click();
      await seesHeading(anna, t("serverError.500.title"));
    });
    if (variant.javaScript) await hasFocus(page.locator("h1"));
    await seesFailure({
      changes: t("manageError.unknownChange"),
      actions: [t("manageError.reload"), t("manageError.back")],
    });
    await page.getByRole("link", { name: t("manageError.reload") }).click();
    await field.waitFor();
    expect(page.url()).toBe(installation.server.url + USERNAME);
  });
});

test("a link to a page that fails moves the focus to its heading, and requests its data once", async () => {
  await open({ language: "de" }, "/manage");
  const { page, t } = anna;
  const before = anna.requests.length;
  await withoutAuditTrail(installation, async () => {
    await page
      .getByRole("navigation")
      .getByRole("link", { name: t("manage.access.activity") })
      .click();
    await seesHeading(anna, t("serverError.500.title"));
  });
  await hasFocus(page.locator("h1"));
  const paths = anna.requests.slice(before).map((url) => new URL(url).pathname);
  expect(paths.filter((path) => path.endsWith(".data"))).toEqual(["/manage/activity.data"]);
  await seesFailure({ changes: t("manageError.nothingChanged"), actions: [t("common.retry"), t("manageError.back")] });
  await page.getByRole("link", { name: t("common.retry") }).click();
  await seesHeading(anna, t("manageActivity.heading"));
});
