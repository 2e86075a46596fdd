import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { giveTotp, testApp } from "#tests/support/factors.ts";
import { cancelFirstDialog, goToSecondFactor, plugIn, readSecret, stepPage } from "./support/factors.ts";
import { openVisit, pageSetupOfFile, signInToClient, type Visit } from "./support/page-setup.ts";
import { alertOf, seesHeading } from "./support/pages.ts";
import { goesTo, keyPage, opensSettings, settingsPages } from "./support/settings-pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

const FIDO2 = "/manage/mfa/register-fido2";
let visit: Visit;

const setup = await pageSetupOfFile();
afterEach(() => visit.anna.close());

const keysOfAnna = () => listWebauthnCredentials(setup.installation.server.context.store, visit.user.id);

const expectAlert = async (text: string) => {
  await expect.poll(() => alertOf(visit.anna.page).textContent()).toContain(text);
};

/** Waits for the sentence about a cancelled or timed-out dialog, which is no error. */
const expectCancelled = async () => {
  const { status, retry } = settingsPages(visit.anna).key;
  await expect.poll(() => status.textContent()).toBe(visit.anna.t("webauthn.error.notAllowed"));
  await retry.waitFor();
  expect(await alertOf(visit.anna.page).count()).toBe(0);
};

/** Waits for the overview with the success banner. */
const arrives = async () => {
  await visit.anna.page.waitForURL(/\/manage(\?|$)/);
  await expect.poll(() => settingsPages(visit.anna).banner.textContent()).toContain("has been set up");
};

describe("a security key in the settings", () => {
  beforeEach(async () => {
    visit = await openVisit(setup, {});
  });

  it("is registered when the page is loaded, and then opens the account", async () => {
    await plugIn(visit.anna);
    await opensSettings(visit, "/manage/mfa");
    await settingsPages(visit.anna).key.add.click();
    await arrives();
    expect(await keysOfAnna()).toHaveLength(1);
    await goToSecondFactor(visit.anna, `${visit.own.url}/sign-in?prompt=login`, visit.user);
    await visit.anna.page.waitForURL(`${visit.own.url}/`);
  });

  it("that is already registered is reported", async () => {
    await plugIn(visit.anna);
    await opensSettings(visit, FIDO2);
    await arrives();
    await goesTo(visit, FIDO2);
    await expectAlert("This security key is already registered.");
    expect(await keysOfAnna()).toHaveLength(1);
  });

  it("can be retried after the browser's dialog was cancelled, gets a name after it was added, and can be cancelled", async () => {
    await visit.anna.close();
    visit = await openVisit(setup, { language: "de" });
    await cancelFirstDialog(visit.anna);
    const key = await plugIn(visit.anna, { isTouched: false });
    await opensSettings(visit, FIDO2);
    const page = settingsPages(visit.anna).key;
    await expectCancelled();
    await key.setTouched(true);
    await page.retry.click();
    await page.name.waitFor();
    // In the language of the page, and stored before the user gives another name.
    expect(await page.name.inputValue()).toBe("Sicherheitsschlüssel");
    expect(await keysOfAnna()).toMatchObject([{ name: "Sicherheitsschlüssel" }]);
    await page.name.fill("Schlüsselbund");
    await page.saveName.click();
    await visit.anna.page.waitForURL(/\/manage\/mfa(\?|$)/);
    expect(await keysOfAnna()).toMatchObject([{ name: "Schlüsselbund" }]);
    await goesTo(visit, FIDO2);
    await page.abort.click();
    await visit.anna.page.waitForURL(/\/manage$/);
  });

  it("on a page whose settings have ended leads to a reload", async () => {
    await cancelFirstDialog(visit.anna);
    const key = await plugIn(visit.anna, { isTouched: false });
    await opensSettings(visit, FIDO2);
    await expectCancelled();
    const { t, q } = setup.installation.server.context.store;
    await q.delete(t.manageChains);
    await q.delete(t.manageSessions);
    await key.setTouched(true);
    await settingsPages(visit.anna).key.retry.click();
    await expectAlert("This page was open for too long.");
    expect(await alertOf(visit.anna.page).getByRole("link").getAttribute("href")).toBe(FIDO2);
    expect(await keysOfAnna()).toEqual([]);
  });

  // Proves requirement 53.
  it("that was removed is no longer accepted", async () => {
    await plugIn(visit.anna);
    await opensSettings(visit, FIDO2);
    await arrives();
    await goesTo(visit, await keyPage(setup.installation, visit.user));
    await settingsPages(visit.anna).key.remove.click();
    await settingsPages(visit.anna).key.reallyRemove.click();
    await visit.anna.page.waitForURL(/\/manage\/mfa(\?|$)/);
    expect(await keysOfAnna()).toEqual([]);
    // From now on the account requires the app; the key is still plugged in.
    await goesTo(visit, "/manage/mfa/register-totp");
    const app = testApp(setup.installation.server.clock, await readSecret(visit.anna));
    await settingsPages(visit.anna).totp.code.fill(await app.code());
    await settingsPages(visit.anna).totp.confirm.click();
    await arrives();
    await goToSecondFactor(visit.anna, `${visit.own.url}/sign-in?prompt=login`, visit.user);
    await stepPage(visit.anna).code.waitFor();
    expect(await stepPage(visit.anna).choose.key.count()).toBe(0);
  });
});

describe.each(TWO_WAYS)("in $language, with JavaScript: $javaScript", ({ language, javaScript }) => {
  beforeEach(async () => {
    visit = await openVisit(setup, { language, javaScript, viewport: { width: 360, height: 740 } });
  });

  it("an app is set up, new recovery codes are created, and the app is removed", async () => {
    const { anna, installation } = visit;
    const pages = settingsPages(anna);
    // The overview leads straight to the set-up.
    await opensSettings(visit);
    await pages.totp.setUp.click();
    await seesHeading(anna, anna.t("manageTotp.heading"));
    const app = testApp(installation.server.clock, await readSecret(anna));
    await pages.totp.code.fill(await app.code());
    await pages.totp.confirm.click();
    await expect.poll(() => pages.banner.textContent()).toContain(anna.t("manage.banner.mfa-success"));
    await goesTo(visit, "/manage/mfa/recovery-codes");
    await pages.codes.make.click();
    await pages.codes.saved.waitFor();
    expect(await pages.codes.all.count()).toBe(10);
    await pages.codes.saved.click();
    await expect.poll(() => pages.banner.textContent()).toContain(anna.t("manage.banner.codes-stored"));
    await pages.totp.remove.click();
    await seesHeading(anna, anna.t("manageTotp.remove.heading"));
    await pages.totp.reallyRemove.click();
    await expect.poll(() => pages.banner.textContent()).toContain(anna.t("manage.banner.totp-removed"));
    // The next sign-in requires the password only. In another browser, because this one may still load parts of the page.
    const other = await installation.open({ language, javaScript });
    await signInToClient({ ...visit, anna: other });
    await other.close();
  });
});

it("without JavaScript the page of a key explains why it does not work, and offers the app", async () => {
  visit = await openVisit(setup, { javaScript: false });
  await opensSettings(visit, FIDO2);
  await visit.anna.page.getByText(visit.anna.t("common.noScriptHint")).waitFor();
  await settingsPages(visit.anna).totp.setUpInstead.click();
  await seesHeading(visit.anna, visit.anna.t("manageTotp.heading"));
});

it("without JavaScript an app is set up with a pasted code that contains invisible characters", async () => {
  visit = await openVisit(setup, { javaScript: false });
  await opensSettings(visit, "/manage/mfa/register-totp");
  const code = await testApp(setup.installation.server.clock, await readSecret(visit.anna)).code();
  await settingsPages(visit.anna).totp.code.fill(`\u200b${code.slice(0, 3)}\u00a0\u2060${code.slice(3)}\ufeff`);
  await settingsPages(visit.anna).totp.confirm.click();
  await arrives();
});

it.each([
  { device: "a phone", viewport: { width: 360, height: 740 }, place: "above" },
  { device: "a computer", viewport: { width: 1280, height: 800 }, place: "below" },
])("on $device without JavaScript, one link to the authenticator app is $place the QR code", async (variant) => {
  visit = await openVisit(setup, { javaScript: false, viewport: variant.viewport });
  await opensSettings(visit, "/manage/mfa/register-totp");
  const { page, t } = visit.anna;
  const link = await page.getByRole("link", { name: t("manageTotp.secret.openApp") }).boundingBox();
  const code = await page.getByRole("img", { name: t("manageTotp.scan.alt") }).boundingBox();
  expect((link?.y ?? 0) < (code?.y ?? 0)).toBe(variant.place === "above");
});

it("on a wide screen, the key of a new app stands at the height of the QR code", async () => {
  visit = await openVisit(setup, { viewport: { width: 1280, height: 800 } });
  await opensSettings(visit, "/manage/mfa/register-totp");
  const [qrCode, key] = await Promise.all(
    [".qr", ".secret-key"].map((part) => visit.anna.page.locator(part).boundingBox()),
  );
  expect(key?.y).toBeGreaterThan(0);
  expect(key?.y).toBe(qrCode?.y);
});

it("without JavaScript, recovery codes are printed by the browser's menu: in two columns, without the rest of the page", async () => {
  visit = await openVisit(setup, { javaScript: false, viewport: { width: 360, height: 740 } });
  const { anna, installation, user } = visit;
  await opensSettings(visit);
  await giveTotp(installation.server, user);
  await goesTo(visit, "/manage/mfa/recovery-codes");
  const { make, saved, all } = settingsPages(anna).codes;
  await make.click();
  await saved.waitFor();
  await anna.page.getByText(anna.t("recovery.printHint")).waitFor();
  expect(await anna.page.getByRole("button", { name: anna.t("recovery.print") }).count()).toBe(0);
  await anna.page.waitForLoadState();
  const boxes = await Promise.all((await all.all()).map((code) => code.boundingBox()));
  expect(new Set(boxes.map((box) => box?.x)).size).toBe(2);
  await anna.page.emulateMedia({ media: "print" });
  expect(await all.first().isVisible()).toBe(true);
  for (const part of [anna.page.getByText(anna.t("recovery.printHint")), saved, anna.page.getByRole("navigation")]) {
    expect(await part.filter({ visible: true }).count()).toBe(0);
  }
});
