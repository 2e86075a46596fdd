import { afterEach, describe, expect, it } from "vitest";
import type { BrowserUser } from "#tests/browser/support/installation.ts";
import { pageSetupOfFile, type Visit } from "./support/page-setup.ts";
import { loginPage, seesHeading } from "./support/pages.ts";
import { countPosts, doubleField, type Refusal, seesRefusal } from "./support/refusals.ts";
import { isSignedInElsewhere, openSettingsPage, seesSuccess, settingsPages } from "./support/settings-pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

const USERNAME = "/manage/credentials/username";
let visit: Visit;
let anna: BrowserUser;

const setup = await pageSetupOfFile();
afterEach(() => anna.close());

const openPage = async (options?: Parameters<typeof openSettingsPage>[2]) => {
  visit = await openSettingsPage(setup, USERNAME, options);
  anna = visit.anna;
};

const form = () => settingsPages(anna).username;

const wants = async (name: string) => {
  await form().field.fill(name);
  await form().save.click();
};

/** Submits a user name and waits for the response. */
const sends = async (name: string) => {
  const response = anna.page.waitForResponse((response) => response.request().method() === "POST");
  await wants(name);
  await response;
  await anna.page.waitForLoadState("load");
};

describe.each(TWO_WAYS)("in $language, JavaScript $javaScript, a user", (variant) => {
  it("changes her user name; all other sessions end, a mail is sent, and she signs in with it", async () => {
    await openPage(variant);
    const other = await isSignedInElsewhere(visit);
    const name = `${visit.user.username}.neu`;
    await wants(name);
    await seesSuccess(anna, "username-success");
    expect(await anna.page.locator("main").innerText()).toContain(name);

    await other.page.goto(`${setup.own.url}/sign-in`);
    await loginPage(other).signIn({ ...visit.user, username: name });
    await other.page.waitForURL(`${setup.own.url}/`);
    await other.close();

    const mails = await setup.installation.server.mails();
    const mailsToUser = mails.filter(({ to }) => to === `${visit.user.username}@office.example`);
    expect(mailsToUser.map(({ subject }) => subject)).toContain("Your username was changed");

    await anna.page.goBack();
    await seesHeading(anna, anna.t("manageUsername.heading"));
    expect(await anna.page.locator("main p").allInnerTexts()).toContain(
      anna.t("manageUsername.current", { username: name }),
    );
  });

  it("sees a text for each refusal, the input stays; and one for a form that cannot be parsed", async () => {
    await openPage(variant);
    const { t } = anna;
    const other = await setup.installation.createUser();
    const taken = other.username.toUpperCase();
    const refusals: [typed: string, refusal: Omit<Refusal, "field">][] = [
      [
        "",
        { code: "username is empty", quote: t("manageUsername.quote.empty"), text: t("manageUsername.error.empty") },
      ],
      [
        "anna <b>berg",
        {
          code: "username is invalid",
          quote: t("manageUsername.quote.invalid"),
          text: t("manageUsername.error.invalid"),
        },
      ],
      [
        taken,
        {
          code: "username not available",
          quote: t("manageUsername.quote.taken"),
          text: t("manageUsername.error.taken"),
        },
      ],
    ];
    for (const [typed, refusal] of refusals) {
      await sends(typed);
      await seesRefusal(anna, { ...refusal, field: "username" }, t("manageUsername.title"));
      expect(await form().field.inputValue()).toBe(typed);
      expect(anna.status()).toBe(400);
    }

    // A form that cannot be parsed has the text of the specification.
    await doubleField(anna, "username");
    await sends("anna.neu");
    const refusal = {
      code: "Could not parse request",
      quote: t("managePassword.quote.parse"),
      text: t("manageUsername.error.parse"),
      field: null,
    };
    await seesRefusal(anna, refusal, t("manageUsername.title"));
  });
});

it("a form is sent once, however often the button is clicked", async () => {
  await openPage();
  const posts = countPosts(anna, USERNAME);
  await form().field.fill(`${visit.user.username}.zwei`);
  await form().save.dblclick();
  await seesSuccess(anna, "username-success");
  expect(posts()).toBe(1);
});
