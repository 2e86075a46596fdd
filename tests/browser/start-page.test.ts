import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { type BrowserUser, installationOfFile, startInstallation } from "#tests/browser/support/installation.ts";
import { findLookFaults } from "./support/page-checks/colours.ts";
import { findFocusFaults } from "./support/page-checks/focus.ts";
import { findLayoutFaults } from "./support/page-checks/layout.ts";
import { findSettingsFaults } from "./support/page-checks/settings.ts";
import { loginPage, logoutPage, scriptsHaveRun, seesHeading } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { openSettings } from "./support/settings.ts";
import { VARIANTS } from "./support/variants.ts";

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#1d4f91" d="M0 0h9v9H0z"/></svg>`;

let anna: BrowserUser;

const installation = await installationOfFile();
const { server } = installation;
const clientApp = await installation.openClientApp({ name: "Nordlicht Buchhaltung", firstParty: true });
const { clientId } = await server.clients.create({
  name: "Versicherungsvergleichsrechner Gewerbe",
  clientUri: "https://vergleichsrechner.nordlichtmakler-hamburg.example/",
});
const content = Buffer.from(LOGO);
await server.context.store.q.insert(server.context.store.t.clientLogos).values({
  ...{ clientId, mediaType: "image/svg+xml", contentBase64: content.toString("base64") },
  contentHash: createHash("sha256").update(content).digest("base64url"),
});
afterEach(() => anna.close());

describe.each(VARIANTS)("in $language, JavaScript $javaScript", (variant) => {
  test("a person signs in at the address, opens an application from there, and signs out", async () => {
    anna = await installation.open(variant);
    const { page, t } = anna;
    await page.goto(server.url);
    await page.getByRole("link", { name: t("login.submit") }).click();
    await loginPage(anna).signIn(await installation.createUser());
    await page.waitForURL(`${server.url}/`);
    await seesHeading(anna, t("start.heading"));
    await page.getByRole("link", { name: "Nordlicht Buchhaltung" }).click();
    await page.waitForURL(`${clientApp.url}/`);
    await page.goto(server.url);
    await page.getByRole("button", { name: t("manage.signOut") }).click();
    await logoutPage(anna).accept.click();
    await seesHeading(anna, t("logout.accepted.heading"));
    await page.goto(server.url);
    await seesHeading(anna, t("front.heading"));
  });

  test("the start page, the settings and back", async () => {
    anna = await installation.open(variant);
    const { page, t } = anna;
    await openSettings(installation, anna, await installation.createUser());
    const areas = page.getByRole("navigation", { name: t("manage.areas.label") });
    await areas.getByRole("link", { name: t("manage.areas.start") }).click();
    await seesHeading(anna, t("start.heading"));
    expect(await areas.locator("[aria-current=page]").innerText()).toBe(t("manage.areas.start"));
    await areas.getByRole("link", { name: t("manage.title") }).click();
    await page.waitForURL(`${server.url}/manage`);
    expect(await areas.getByRole("heading").innerText()).toBe(t("manage.title"));
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("main").waitFor();
    await page
      .locator(".up")
      .getByRole("link", { name: t("manage.areas.start") })
      .click();
    await seesHeading(anna, t("start.heading"));
  });
});

test("the logo of an application is shown, at the size of the letters", async () => {
  anna = await installation.open({ javaScript: false });
  await seedSession(installation, anna, await installation.createUser());
  await anna.page.goto(server.url);
  const logo = anna.page.locator(".tile img");
  expect(await logo.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 0)).toBe(true);
  expect(await logo.boundingBox()).toMatchObject({ width: 36, height: 36 });
});

test("the Tab key reaches header, navigation, applications and account in this order", async () => {
  anna = await installation.open({ javaScript: false });
  const { page, t } = anna;
  await seedSession(installation, anna, await installation.createUser());
  await page.goto(server.url);
  const reached: (string | null)[] = [];
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press("Tab");
    reached.push(
      await page.evaluate(
        () =>
          document.activeElement?.querySelector("b, svg + *")?.textContent ??
          document.activeElement?.textContent ??
          null,
      ),
    );
  }
  expect(reached).toEqual([
    t("common.skipToContent"),
    t("manage.signOut"),
    t("manage.areas.start"),
    t("manage.title"),
    "Nordlicht Buchhaltung",
    "Versicherungsvergleichsrechner Gewerbe",
    t("start.open"),
    t("manage.actions.view"),
  ]);
});

describe.each(["en", "de"] as const)("without applications, in %s", (language) => {
  test("the start page is well-formed at each width, in light and dark", async () => {
    const office = await startInstallation({
      env: { SUPPORT_CONTACT: "freischaltung@nordlichtmakler-hamburg.example" },
    });
    anna = await office.open({ language });
    const { page, t } = anna;
    await seedSession(office, anna, await office.createUser());
    await page.goto(office.server.url);
    await scriptsHaveRun(anna);
    expect(await page.locator(".alert .word").innerText()).toBe(t("start.none.word"));
    expect.soft(await findFocusFaults(page)).toEqual([]);
    const layout = await findLayoutFaults(page);
    expect.soft(Object.values({ ...layout, smallLetters: [] }).flat()).toEqual([]);
    expect.soft(await findSettingsFaults(page)).toEqual([]);
    const looks = await findLookFaults(page, "all");
    expect.soft(Object.values(looks).flat()).toEqual([]);
    await office.close();
  });
});
