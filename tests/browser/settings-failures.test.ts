import { afterEach, describe, expect, test } from "vitest";
import { LANGUAGES, type Language } from "#app/i18n/language.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { alertOf, scriptsHaveRun, stateOf } from "./support/pages.ts";
import { countPosts } from "./support/refusals.ts";
import { openSettings } from "./support/settings.ts";
import { settingsPages } from "./support/settings-pages.ts";

const USERNAME = "/manage/credentials/username";
let anna: BrowserUser;

const installation = await installationOfFile();
afterEach(() => anna.close());

async function openUsernamePage(language: Language = "de"): Promise<void> {
  anna = await installation.open({ language, expected: [/status of 4\d\d/] });
  await openSettings(installation, anna, await installation.createUser(), USERNAME);
  await scriptsHaveRun(anna);
}

async function saveUsername(name: string): Promise<void> {
  const { field, save } = settingsPages(anna).username;
  await field.fill(name);
  await save.click();
}

test("a form refused by an error page shows the reference of that request and its own title, and no retry", async () => {
  await openUsernamePage();
  const { page, t } = anna;
  const opened = await page.title();
  await page.locator("main form").evaluate((form) => {
    form.append(Object.assign(document.createElement("input"), { name: "unknown", value: "1" }));
  });
  const refused = page.waitForResponse((response) => response.request().method() === "POST");
  await saveUsername("berta");
  await refused;
  await page.getByRole("heading", { name: t("serverError.400.title") }).waitFor();
  await expect.poll(() => page.title()).not.toBe(opened);
  expect(await page.title()).toContain(t("serverError.400.title"));
  const entry = installation.server
    .lines()
    .findLast(({ method, path }) => method === "POST" && String(path).startsWith(USERNAME));
  expect(await stateOf(page)).toEqual({ server_error: { code: 400, reference: entry?.["requestId"] } });
  expect(await page.locator("main").innerText()).toContain(String(entry?.["requestId"]));
  expect(await page.getByRole("link", { name: t("common.retry") }).count()).toBe(0);
  // The frame stays; the first action is the form again.
  await page
    .getByRole("navigation")
    .getByRole("link", { name: t("manage.access.sessions") })
    .waitFor();
  await page.getByRole("link", { name: t("manageError.reload") }).click();
  await settingsPages(anna).username.field.waitFor();
});

test("without JavaScript, the link of a refused form loads its page, and sends the form no second time", async () => {
  anna = await installation.open({ language: "de", javaScript: false, expected: [/status of 413/] });
  await openSettings(installation, anna, await installation.createUser(), USERNAME);
  const { page, t } = anna;
  const posts = countPosts(anna, USERNAME);
  // Refused by the middleware, which shows the page of another URL.
  await settingsPages(anna).username.field.evaluate((field) => field.removeAttribute("maxlength"));
  await saveUsername("x".repeat(200_000));
  await page.getByRole("heading", { name: t("serverError.413.title") }).waitFor();
  await page.getByRole("link", { name: t("manageError.reload") }).click();
  await settingsPages(anna).username.field.waitFor();
  expect([posts(), new URL(page.url()).pathname]).toEqual([1, USERNAME]);
});

describe.each(LANGUAGES)("a form that the server refuses before its page (%s)", (language) => {
  /** Expects the reason, the reference of the refused request and the actions, within header and navigation. */
  async function seesReason({ code, text }: { code: number; text: string }): Promise<void> {
    const { page, t } = anna;
    await page.getByRole("heading", { name: text }).waitFor();
    await expect.poll(() => page.title()).toContain(text);
    const entry = installation.server
      .lines()
      .findLast(({ method, path }) => method === "POST" && String(path).startsWith(USERNAME));
    expect(entry).toMatchObject({ status: code });
    expect(await stateOf(page)).toEqual({ server_error: { code, reference: entry?.["requestId"] } });
    const main = page.getByRole("main");
    expect(await main.innerText()).toContain(String(entry?.["requestId"]));
    expect(await main.innerText()).not.toContain(t("manageError.unknownChange"));
    expect(await main.locator(".actions").getByRole("link").allTextContents()).toEqual([
      t("manageError.reload"),
      t("manageError.back"),
    ]);
    await page
      .getByRole("navigation")
      .getByRole("link", { name: t("manage.access.sessions") })
      .waitFor();
    // The connection, whose request was not read, serves the next page.
    await page.getByRole("link", { name: t("manageError.reload") }).click();
    await settingsPages(anna).username.field.waitFor();
  }

  test("names the reason and the reference if it is too large", async () => {
    await openUsernamePage(language);
    const { field } = settingsPages(anna).username;
    await field.evaluate((input) => input.removeAttribute("maxlength"));
    await saveUsername("x".repeat(200_000));
    await seesReason({ code: 413, text: anna.t("serverError.413.title") });
  });

  test("names the reason and the reference, and that nothing was changed, if another website sent it", async () => {
    await openUsernamePage(language);
    const { page, t } = anna;
    // Not continue(), which keeps the browser's own Origin.
    await page.route("**/*.data*", async (route) => {
      const headers = { ...route.request().headers(), origin: "https://other.example" };
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    await saveUsername("berta");
    await page.getByText(t("manageError.nothingChanged")).waitFor();
    await page.unrouteAll();
    await seesReason({ code: 403, text: t("serverError.origin.title") });
  });
});

test("a second click while a form is being sent does not send it again", async () => {
  await openUsernamePage();
  const posts = countPosts(anna, USERNAME);
  let respond = () => {};
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await anna.page.route("**/*.data*", async (route) => {
    await held;
    await route.continue();
  });
  await saveUsername("anna <b>");
  await expect.poll(posts).toBe(1);
  // Not click(), which waits until the button is enabled.
  await anna.page.locator("main form [type=submit][aria-disabled]").dispatchEvent("click");
  respond();
  await alertOf(anna.page).waitFor();
  expect(posts()).toBe(1);
});

test("a second click in the moment of the request does not send a form again", async () => {
  await openUsernamePage();
  const posts = countPosts(anna, USERNAME);
  const { field, save } = settingsPages(anna).username;
  await field.fill("anna <b>");
  await save.evaluate((button: HTMLButtonElement) => {
    const { fetch } = window;
    window.fetch = (...request) => {
      window.fetch = fetch;
      const response = fetch(...request);
      button.click();
      return response;
    };
    button.click();
  });
  await alertOf(anna.page).waitFor();
  expect(posts()).toBe(1);
  // The form can be sent again after its response.
  await saveUsername("anna <i>");
  await expect.poll(posts).toBe(2);
});

test("after an expired form, the user can sign out without loading the page again", async () => {
  await openUsernamePage();
  const { page } = anna;
  const token = page.locator(".sign-out [name=_xsrf]");
  const issued = await token.inputValue();
  await page.locator("main [name=_xsrf]").evaluate((field) => field.setAttribute("value", "expired"));
  await saveUsername("berta");
  await alertOf(page).waitFor();
  await expect.poll(() => token.inputValue()).not.toBe(issued);
});
