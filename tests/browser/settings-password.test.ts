import { afterEach, describe, expect, it } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import type { BrowserUser } from "#tests/browser/support/installation.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { openVisit, pageSetupOfFile, type Visit } from "./support/page-setup.ts";
import { loginPage, scriptsHaveRun, seesHeading } from "./support/pages.ts";
import { countPosts, doubleField, type Refusal, seesRefusal } from "./support/refusals.ts";
import { actionOn } from "./support/settings.ts";
import {
  isSignedInElsewhere,
  openSettingsPage,
  opensSettings,
  seesSuccess,
  sendUnchecked,
  settingsPages,
} from "./support/settings-pages.ts";
import type { Texts } from "./support/texts.ts";
import { TWO_WAYS } from "./support/variants.ts";

const PASSWORD = "/manage/credentials/password";
let visit: Visit;
let anna: BrowserUser;

const setup = await pageSetupOfFile();
afterEach(() => anna.close());

const openPage = async (options?: Parameters<typeof openSettingsPage>[2]) => {
  visit = await openSettingsPage(setup, PASSWORD, options);
  anna = visit.anna;
};

const form = () => settingsPages(anna).password;

const change = () => form().change(visit.user.password, NEW_PASSWORD);

describe.each(TWO_WAYS)("in $language, JavaScript $javaScript, a user", (variant) => {
  // Proves requirement 62.
  it("changes her password; all other sessions end, a mail is sent, and the back button does not show the input", async () => {
    await openPage(variant);
    const other = await isSignedInElsewhere(visit);
    expect(await form().endOthers.isChecked()).toBe(true);
    await change();
    await seesSuccess(anna, "password-success");
    expect(await anna.page.locator("main").innerText()).toMatch(/\d\d:\d\d/);

    await other.page.goto(`${setup.own.url}/sign-in`);
    expect(await loginPage(other).submit.count()).toBe(1);
    await loginPage(other).signIn({ ...visit.user, password: NEW_PASSWORD });
    await other.page.waitForURL(`${setup.own.url}/`);
    await other.close();

    const mails = await setup.installation.server.mails();
    const mailsToUser = mails.filter(({ to }) => to === `${visit.user.username}@office.example`);
    expect(mailsToUser.map(({ subject }) => subject)).toContain("Your password was changed");

    await anna.page.goBack();
    await seesHeading(anna, anna.t("managePassword.heading"));
    for (const field of [form().current, form().next, form().repeat]) expect(await field.inputValue()).toBe("");
  });

  it("keeps her other sessions where she clears the box", async () => {
    await openPage(variant);
    const other = await isSignedInElsewhere(visit);
    await form().endOthers.uncheck();
    await change();
    await seesSuccess(anna, "password-success");
    await other.page.goto(`${setup.own.url}/sign-in`);
    await other.page.waitForURL(`${setup.own.url}/`);
    await other.close();
  });
});

const CURRENT = "current-password";
const NEXT = "new-password";
const REPEAT = "new-password-repeat";

type Typed = { current?: string; next?: string; repeat?: string };

/** Every refusal: the input that differs from a valid one, and the page's message. */
const REFUSALS: [typed: Typed, refusal: (t: Texts) => Refusal][] = [
  [
    { current: "" },
    (t) => ({
      code: "No password given",
      quote: t("managePassword.quote.currentMissing"),
      text: t("managePassword.error.currentMissing"),
      field: CURRENT,
    }),
  ],
  [
    { current: "Not-My-Password-1" },
    (t) => ({
      code: "Current password invalid",
      quote: t("managePassword.quote.currentInvalid"),
      text: t("managePassword.error.currentInvalid"),
      field: CURRENT,
    }),
  ],
  [
    { next: "" },
    (t) => ({
      code: "empty-password",
      quote: t("managePassword.quote.newMissing"),
      text: t("managePassword.error.newMissing"),
      field: NEXT,
    }),
  ],
  [
    { repeat: "" },
    (t) => ({
      code: "empty-password-repeat",
      quote: t("managePassword.quote.repeatMissing"),
      text: t("managePassword.error.repeatMissing"),
      field: REPEAT,
    }),
  ],
  [
    { repeat: "Other-Kettle-93-Lamp" },
    (t) => ({
      code: "passwords-not-equal",
      quote: t("managePassword.quote.notEqual"),
      text: t("managePassword.error.notEqual"),
      field: REPEAT,
    }),
  ],
  [
    { next: "short", repeat: "short" },
    (t) => ({
      code: "password-strength",
      quote: t("managePassword.quote.rules"),
      text: t("managePassword.error.rules"),
      field: NEXT,
    }),
  ],
  [
    { next: "Passwordpassword1", repeat: "Passwordpassword1" },
    (t) => ({
      code: "password-common",
      quote: t("managePassword.error.summary"),
      text: t("managePassword.error.common"),
      field: NEXT,
    }),
  ],
];

describe.each(TWO_WAYS)("in $language, JavaScript $javaScript", (variant) => {
  // Proves requirement 8.
  it("every refusal has its own text at its field, and the password fields are empty", async () => {
    await openPage(variant);
    for (const [typed, refusal] of REFUSALS) {
      await form().current.fill(typed.current ?? visit.user.password);
      await form().next.fill(typed.next ?? NEW_PASSWORD);
      await form().repeat.fill(typed.repeat ?? NEW_PASSWORD);
      await form().endOthers.uncheck();
      await sends(variant.javaScript);
      await seesRefusal(anna, refusal(anna.t), anna.t("managePassword.title"));
      expect(anna.status()).toBe(400);
      for (const field of [form().current, form().next, form().repeat]) expect(await field.inputValue()).toBe("");
      expect(await form().endOthers.isChecked()).toBe(false);
    }
  });

  it("a form that cannot be parsed shows the text of the specification", async () => {
    await openPage(variant);
    await form().next.fill(NEW_PASSWORD);
    await doubleField(anna, NEXT);
    await sends(variant.javaScript);
    const refusal = {
      code: "Could not parse request",
      quote: anna.t("managePassword.quote.parse"),
      text: anna.t("managePassword.error.parse"),
      field: null,
    };
    await seesRefusal(anna, refusal, anna.t("managePassword.title"));
  });
});

/** Submits the form; with JavaScript, bypasses the script's checks. */
async function sends(javaScript: boolean) {
  const response = anna.page.waitForResponse((response) => response.request().method() === "POST");
  if (javaScript) await sendUnchecked(anna, PASSWORD);
  else await form().save.click();
  await response;
  await anna.page.waitForLoadState("load");
}

describe.each(LANGUAGES)("while passwords are typed (%s)", (language) => {
  it("list and meter are updated, the button lists what is missing, and the fields are shown and hidden", async () => {
    visit = await openVisit(setup, { language });
    anna = visit.anna;
    // Opened by a client-side navigation, which must load the page's resources too.
    await opensSettings(visit);
    await scriptsHaveRun(anna);
    await anna.page
      .getByRole("link", { name: actionOn(anna, "change", anna.t("manage.credentials.password")) })
      .click();
    await seesHeading(anna, anna.t("managePassword.heading"));
    await anna.page.locator("button[aria-disabled=true]").waitFor();
    const { t, page } = anna;
    const { current, next, repeat, save, missing, rules, meter } = form();
    const posts = countPosts(anna, PASSWORD);
    const texts = [
      t("passwordRules.minLength", { minLength: 12 }),
      t("passwordRules.lower"),
      t("passwordRules.upper"),
      t("passwordRules.digit"),
      t("passwordRules.equal"),
    ];
    const rulesText = (met: readonly boolean[]) =>
      texts.map((text, place) => `${text} (${t(met[place] ? "passwordRules.met" : "passwordRules.notMet")})`);
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    expect(await meter.getAttribute("aria-valuetext")).toBe(t("passwordMeter.0"));
    await next.fill("Leuchtturm");
    expect(await rules.allTextContents()).toEqual(rulesText([false, true, true, false, false]));
    await save.focus();
    await page.keyboard.press("Enter");
    expect(await missing.allTextContents()).toEqual([t("field.currentPassword.label"), texts[0], texts[3], texts[4]]);
    await next.fill(NEW_PASSWORD);
    await repeat.fill(NEW_PASSWORD);
    expect(await rules.allTextContents()).toEqual(rulesText(texts.map(() => true)));
    expect(await meter.getAttribute("aria-valuenow")).toBe("5");
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    await repeat.press("Enter");
    expect(posts()).toBe(0);
    await current.fill(visit.user.password);
    expect(await save.getAttribute("aria-disabled")).toBeNull();

    // Each field is shown by a button of its own, and hidden again before it is sent.
    for (const name of ["currentPassword", "newPassword", "newPasswordRepeat"] as const) {
      const field = page.getByLabel(t(`field.${name}.label`), { exact: true });
      await page.getByRole("button", { name: t(`field.${name}.show`), exact: true }).click();
      expect(await field.getAttribute("type")).toBe("text");
    }
    // Never responds.
    await page.route(`**${PASSWORD}.data*`, () => {});
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await change();
    await sent;
    expect(await page.locator("main input[autocomplete$=password]").evaluateAll(typesOf)).toEqual(
      Array(3).fill("password"),
    );
    const busy = page.getByRole("button", { name: t("managePassword.saving"), exact: true });
    expect(await busy.getAttribute("aria-disabled")).toBe("true");
  });
});

const typesOf = (fields: Element[]) => fields.map((field) => field.getAttribute("type"));

describe("the page of another password", () => {
  it("is sent once, however often the button is clicked", async () => {
    await openPage();
    const posts = countPosts(anna, PASSWORD);
    await form().current.fill(visit.user.password);
    await form().next.fill(NEW_PASSWORD);
    await form().repeat.fill(NEW_PASSWORD);
    await form().save.dblclick();
    await seesSuccess(anna, "password-success");
    expect(posts()).toBe(1);
  });

  it("warns of Caps Lock at the field where it matters", async () => {
    await openPage();
    const hint = anna.page.getByText(anna.t("field.capsLock"));
    await form().next.focus();
    await form().next.evaluate((field) =>
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "A", bubbles: true, modifierCapsLock: true })),
    );
    expect(await hint.isVisible()).toBe(true);
    expect(await form().next.getAttribute("aria-describedby")).toContain(await hint.getAttribute("id"));
    await form().current.focus();
    expect(await hint.count()).toBe(0);
  });

  it("hides the tips permanently, and shows them again", async () => {
    await openPage();
    const tip = anna.page.getByText(anna.t("passwordTips.1"));
    await anna.page.getByRole("button", { name: anna.t("passwordTips.dismiss") }).click();
    expect(await tip.isVisible()).toBe(false);
    await anna.page.reload();
    const show = anna.page.getByRole("button", { name: anna.t("passwordTips.show") });
    await show.waitFor();
    expect(await tip.isVisible()).toBe(false);
    await show.click();
    expect(await tip.isVisible()).toBe(true);
    expect(await anna.page.locator(".tips [role=alert], .tips[role=alert]").count()).toBe(0);
  });

  it("without JavaScript shows rules and tips, without buttons that need a script", async () => {
    await openPage({ javaScript: false });
    expect(await anna.page.locator("main").getByRole("button").allTextContents()).toEqual([
      anna.t("managePassword.submit"),
    ]);
    expect(await form().save.isEnabled()).toBe(true);
    expect(await form().rules.count()).toBe(5);
    expect(await anna.page.locator("strength-meter, .save-blocked, .rules-summary").allTextContents()).toEqual([
      "",
      "",
    ]);
    expect(await anna.page.getByText(anna.t("passwordTips.4")).isVisible()).toBe(true);
  });
});
