import { afterEach, beforeEach, expect, test } from "vitest";
import { listWebauthnCredentials, renameWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import { createSettingsToken, SETTINGS_LINK_SECONDS } from "#app/domain/access/token.server.ts";
import { type BrowserUser, installationOfFile, startInstallation } from "#tests/browser/support/installation.ts";
import { giveKey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { findLayoutFaults } from "./support/page-checks/layout.ts";
import { findSettingsFaults } from "./support/page-checks/settings.ts";
import { accountPage, consentPage, seesHeading } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { openSettings } from "./support/settings.ts";

/** Compounds without a space or hyphen, longer than a line of a narrow window. */
const CLIENT = "Versicherungsvergleichsrechner Gewerbe";
const DISPLAY_NAME = "Haftpflichtversicherungsmaklerin Württemberg-Hohenzollern";
const USERNAME = "haftpflichtversicherungsmaklerin-wuerttemberg-hohenzollern";
const KEY = "Ersatzsicherheitsschlüsselaufbewahrungs1";

const SESSIONS = 25;
let user: TestUser;
let anna: BrowserUser;
let users = 0;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ name: CLIENT });
beforeEach(async () => {
  users += 1;
  user = await installation.server.users.create({ username: `${USERNAME}-${users}`, displayName: DISPLAY_NAME });
});
afterEach(() => anna?.close());

test("no page of the settings scrolls sideways or tears words with long names, and with many sessions", async () => {
  await hasManySessions();
  anna = await installation.open({ language: "de" });
  const { page } = anna;
  await seedSession(installation, anna, user);
  await page.goto(`${clientApp.url}/sign-in`);
  await consentPage(anna).allow.click();
  await page.waitForURL(`${clientApp.url}/`);
  await hasLongKeys();
  await openFromClient();
  expect(await page.getByRole("banner").innerText()).toContain(CLIENT);
  for (const path of ["", "/mfa", "/sessions", "/applications", "/activity", "/credentials/username"]) {
    await page.goto(`${installation.server.url}/manage${path}`);
    expect.soft(await findSettingsFaults(page), path).toEqual([]);
    expect.soft((await findLayoutFaults(page)).overflow, path).toEqual([]);
    if (path === "/sessions") expect(await page.locator(".row").count()).toBe(SESSIONS + 1);
    if (path === "/mfa") expect(await page.locator("main").innerText()).toContain(KEY);
  }
});

test("the sign-in pages show long names of the user and the application without scrolling sideways", async () => {
  anna = await installation.open({ language: "de" });
  const { page, t } = anna;
  await seedSession(installation, anna, user);
  await page.goto(`${clientApp.url}/sign-in?prompt=select_account`);
  await accountPage(anna).proceed.waitFor();
  expect.soft((await findLayoutFaults(page)).overflow, "logged in as").toEqual([]);
  await accountPage(anna).proceed.click();
  await consentPage(anna).allow.waitFor();
  expect.soft((await findLayoutFaults(page)).overflow, "consent").toEqual([]);
  await openSettings(installation, anna, user);
  await page.getByRole("button", { name: t("manage.signOut") }).click();
  await seesHeading(anna, t("logout.pending.heading"));
  expect.soft((await findLayoutFaults(page)).overflow, "sign-out").toEqual([]);
});

test("the header shows the names of the office and of the user in at most two lines", async () => {
  const office = await startInstallation({ env: { PRODUCT_NAME: "Versicherungsmakler Müller & Söhne GmbH" } });
  const berta = await office.server.users.create({ displayName: DISPLAY_NAME });
  anna = await office.open({ language: "de" });
  await openSettings(office, anna, berta);
  for (const width of [360, 640, 832, 1023, 1024, 1280]) {
    await anna.page.setViewportSize({ width, height: 740 });
    const names = anna.page.locator(".site-header :is(.brand b, .who-name)").filter({ visible: true });
    const tall = await names.evaluateAll((all) =>
      all.flatMap((name) => {
        const range = document.createRange();
        range.selectNodeContents(name);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size > 2 ? [`${lines.size} lines: ${name.textContent}`] : [];
      }),
    );
    expect.soft(tall, `${width} px`).toEqual([]);
  }
  expect.soft((await findLayoutFaults(anna.page)).overflow).toEqual([]);
  await office.close();
});

async function hasManySessions(): Promise<void> {
  const noBrowser = { context: { addCookies: async () => undefined } };
  for (let n = 0; n < SESSIONS; n += 1) await seedSession(installation, noBrowser, user);
}

async function hasLongKeys(): Promise<void> {
  const { store } = installation.server.context;
  await giveTotp(installation.server, user);
  await giveKey(installation.server, user);
  await giveKey(installation.server, user);
  await giveRecoveryCodes(installation.server, user);
  for (const { id } of await listWebauthnCredentials(store, user.id)) {
    await renameWebauthnCredential(store, { id, userId: user.id, name: KEY });
  }
}

/** Opens the settings with a link of the application, whose name the header then shows. */
async function openFromClient(): Promise<void> {
  const { context, url } = installation.server;
  const grant = { userId: user.id, generation: 1, clientId: clientApp.clientId, returnToUrl: `${clientApp.url}/` };
  const link = { ...grant, authTime: null, sessionUid: null, lifeSeconds: SETTINGS_LINK_SECONDS };
  const t = await createSettingsToken(context, link);
  await anna.page.goto(`${url}/manage?${new URLSearchParams({ t })}`);
  await anna.page.getByRole("button").first().click();
  await anna.page.waitForURL(/\/manage$/);
}
