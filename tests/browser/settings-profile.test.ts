import { afterEach, describe, expect, it } from "vitest";
import type { BrowserUser } from "#tests/browser/support/installation.ts";
import { linkOf } from "#tests/support/mails.ts";
import { findViolations } from "./support/page-checks/accessibility.ts";
import { pageSetupOfFile, type Visit } from "./support/page-setup.ts";
import { seesHeading } from "./support/pages.ts";
import { goesTo, openSettingsPage } from "./support/settings-pages.ts";
import { profilePages } from "./support/states-profile.ts";

let visit: Visit;
let anna: BrowserUser;

const setup = await pageSetupOfFile();
afterEach(() => anna.close());

const pages = () => profilePages(anna);

/** Expects the banner of the overview. */
async function sees(status: "name-saved" | "phone-saved" | "phone-removed" | "email-sent" | "email-withdrawn") {
  const banner = anna.page.locator(`[data-code="${status}"]`);
  expect(await banner.innerText()).toContain(anna.t(`manage.banner.${status}`));
}

/** Opens the link of the newest mail to this address. */
async function opensLink(address: string) {
  const mail = (await setup.installation.server.mails()).filter(({ to }) => to === address).at(-1);
  if (!mail) throw new Error(`no mail to ${address}`);
  await anna.page.goto(linkOf(mail));
}

/**
 * Expects a page that does not scroll sideways, and that axe accepts. axe needs JavaScript: the checks of every page run
 * it where the scripts are missing.
 */
async function isUsable(javaScript: boolean) {
  if (javaScript) expect(await findViolations(anna.page, "all")).toEqual([]);
  expect(await anna.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
}

describe.each([
  { language: "de", javaScript: false, viewport: { width: 360, height: 740 } },
  { language: "en", javaScript: true, viewport: { width: 1280, height: 800 } },
] as const)("in $language, JavaScript $javaScript, a user", (variant) => {
  const isAccessible = () => isUsable(variant.javaScript);
  const openPage = async (path: string) => {
    visit = await openSettingsPage(setup, path, variant);
    anna = visit.anna;
  };

  it("changes name and phone, and sees an error at its field", async () => {
    await openPage("/manage/profile/name");
    await isAccessible();
    await pages().displayName.fill("Anna\u0007");
    await pages().save.click();
    const error = anna.page.locator("#displayName-error");
    await error.waitFor();
    expect(await error.innerText()).toContain(anna.t("manageProfile.error.nameInvalid"));
    await isAccessible();
    await pages().displayName.fill("Anna Neu");
    await pages().familyName.fill("Neu");
    await pages().save.click();
    await sees("name-saved");
    await isAccessible();

    await goesTo(visit, "/manage/profile/phone");
    await isAccessible();
    await pages().phone.fill("+49 30 1234");
    await pages().save.click();
    await sees("phone-saved");
    expect(await anna.page.locator('section[aria-labelledby="profile"]').innerText()).toContain("+49 30 1234");
    await goesTo(visit, "/manage/profile/phone");
    await pages().phone.fill("");
    await pages().save.click();
    await sees("phone-removed");
  });

  it("enters a new address, withdraws it, enters it again, confirms it, and undoes it", async () => {
    await openPage("/manage/profile/email");
    await isAccessible();
    const [old, next] = [`${visit.user.username}@office.example`, `${visit.user.username}.neu@office.example`];
    await pages().email.fill(next);
    await pages().send.click();
    await sees("email-sent");
    expect(await anna.page.locator("main").innerText()).toContain(next);
    await isAccessible();

    await goesTo(visit, "/manage/profile/email");
    await isAccessible();
    await pages().withdraw.click();
    await sees("email-withdrawn");
    await goesTo(visit, "/manage/profile/email");
    expect(await pages().withdraw.count()).toBe(0);
    await pages().email.fill(next);
    await pages().send.click();
    await sees("email-sent");
    await goesTo(visit, "/manage/profile/email");
    await pages().again.click();
    await sees("email-sent");

    await opensLink(next);
    await seesHeading(anna, anna.t("emailChange.confirm.heading"));
    await isAccessible();
    await pages().confirm.click();
    await seesHeading(anna, anna.t("emailChange.confirm.success.heading"));
    await isAccessible();

    await opensLink(old);
    await seesHeading(anna, anna.t("emailChange.undo.heading"));
    await isAccessible();
    await pages().undo.click();
    await seesHeading(anna, anna.t("emailChange.undo.success.heading"));
    await isAccessible();
    await goesTo(visit, "/manage");
    await anna.page.waitForURL(/\/manage\/error\/unauthorized$/);
  });
});
