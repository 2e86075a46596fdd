import { afterEach, describe, expect, it } from "vitest";
import type { BrowserUser } from "#tests/browser/support/installation.ts";
import { openVisit, pageSetupOfFile } from "./support/page-setup.ts";
import { scriptsHaveRun, seesHeading } from "./support/pages.ts";
import { seesRefusal } from "./support/refusals.ts";
import { actionOn, openUnprovenSettings } from "./support/settings.ts";
import { settingsPages } from "./support/settings-pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

let anna: BrowserUser;

const setup = await pageSetupOfFile();
afterEach(() => anna.close());

describe.each(TWO_WAYS)("in $language, JavaScript $javaScript, a user whose sign-in was a while ago", (variant) => {
  it("enters her password on the page that she opened, and Back leads to the overview", async () => {
    const visit = await openVisit(setup, { expected: [/status of 400/], ...variant });
    anna = visit.anna;
    const { page, t } = anna;
    await openUnprovenSettings(setup.installation, anna, visit.user, "/manage");
    if (variant.javaScript) await scriptsHaveRun(anna);
    await page.getByRole("link", { name: actionOn(anna, "change", t("manage.credentials.username")) }).click();
    await seesHeading(anna, t("manageUsername.heading"));
    const password = page.getByLabel(t("manageConfirm.password"), { exact: true });
    expect(await page.locator("input[type=password]").count()).toBe(1);
    expect(await page.locator("input[autocomplete=username]").inputValue()).toBe(visit.user.username);

    await password.fill("Not-My-Password-1");
    await password.press("Enter");
    const [quote, text] = [t("manageConfirm.quote.wrong"), t("manageConfirm.error.wrong")];
    const refusal = { code: "Current password invalid", quote, text, field: "password" };
    await seesRefusal(anna, refusal, t("manageConfirm.title"));
    expect(await password.inputValue()).toBe("");

    await password.fill(visit.user.password);
    await page.getByRole("button", { name: t("common.continue"), exact: true }).click();
    await settingsPages(anna).username.field.waitFor();
    expect(new URL(page.url()).pathname).toBe("/manage/credentials/username");
    await seesHeading(anna, t("manageUsername.heading"));

    if (!variant.javaScript) return;
    await page.goBack();
    await seesHeading(anna, t("manage.heading"));
  });
});
