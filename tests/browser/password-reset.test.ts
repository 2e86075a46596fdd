import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { type BrowserUser, type Installation, installationOfFile } from "#tests/browser/support/installation.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { linkOf } from "#tests/support/mails.ts";
import type { TestUser } from "#tests/support/server.ts";
import { alertOf, loginPage, readDetail, seesHeading, signInAt, stateOf } from "./support/pages.ts";
import { linkFor, resetPages } from "./support/password-reset.ts";
import { TWO_WAYS } from "./support/variants.ts";

let anna: BrowserUser;
let user: TestUser & { email: string };
let count = 0;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

const openLink = async (options: Parameters<Installation["open"]>[0] = {}) => {
  count += 1;
  const email = `forgetful-${count}@office.example`;
  anna = await installation.open(options);
  user = { ...(await installation.server.users.create({ email, locale: options.language ?? "en" })), email };
};
afterEach(() => anna.close());

const opensLink = async () => {
  await anna.page.goto(await linkFor(installation.server, user));
  await resetPages(anna).save.waitFor();
};

/** Returns the link in the mail to Anna, in her language. */
const linkInMail = async () => {
  const subject = anna.t("mail.passwordReset.subject");
  const find = async () => {
    const mails = await installation.server.mails();
    return linkOf(mails.find((mail) => mail.to === user.email && mail.subject.includes(subject)) ?? { text: "" });
  };
  // The mail is queued after the response.
  return vi.waitFor(find, { timeout: 10_000 });
};

const seesSuccess = () => seesHeading(anna, anna.t("passwordReset.status.success.heading"));
const seesDeadLink = () => seesHeading(anna, anna.t("passwordReset.status.errorToken.heading"));

const signsInWith = async (password: string) => {
  await signInAt(anna, `${clientApp.url}/sign-in`, { ...user, password });
  await anna.page.waitForURL(`${clientApp.url}/`);
  expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id, amr: ["pwd"] });
};

describe.each(TWO_WAYS)("in $language, JavaScript: $javaScript", (variant) => {
  beforeEach(() => openLink(variant));

  it("gets a link by mail, chooses a new password and signs in with it", async () => {
    const pages = resetPages(anna);
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await pages.forgotPassword.click();
    await seesHeading(anna, anna.t("passwordReset.request.heading"));
    await pages.requestLink(user.username);
    await seesHeading(anna, anna.t("passwordReset.requestStatus.success.heading"));
    await anna.page.goto(await linkInMail());
    await seesHeading(anna, anna.t("passwordReset.form.heading"));
    // The URL contains no reset token any more, but still the challenge of the sign-in.
    const { pathname, searchParams } = new URL(anna.page.url());
    expect([pathname, [...searchParams.keys()]]).toEqual(["/password-reset/reset-form", ["login_challenge"]]);
    await anna.page.getByText(anna.t("passwordReset.form.forAccount", { username: user.username })).waitFor();
    await pages.choose(NEW_PASSWORD);
    await seesSuccess();
    expect(await pages.toApp.getAttribute("href")).toBe("http://localhost:9/app");
    await signInAt(anna, `${clientApp.url}/sign-in`, user);
    await alertOf(anna.page).waitFor();
    await signsInWith(NEW_PASSWORD);
  });

  it("keeps a typed name on the way there and back, and Enter still sends the form in which it is pressed", async () => {
    const pages = resetPages(anna);
    const urls: string[] = [];
    anna.page.on("request", (request) => urls.push(request.url()));
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).username.fill("typed.name");
    await pages.forgotPassword.click();
    await seesHeading(anna, anna.t("passwordReset.request.heading"));
    expect(await pages.username.inputValue()).toBe("typed.name");
    await pages.username.fill(user.username);
    await pages.back.click();
    await loginPage(anna).password.waitFor();
    expect(await loginPage(anna).username.inputValue()).toBe(user.username);
    await pages.forgotPassword.click();
    await pages.username.press("Enter");
    await seesHeading(anna, anna.t("passwordReset.requestStatus.success.heading"));
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).username.fill(user.username);
    await loginPage(anna).password.fill(user.password);
    await loginPage(anna).username.press("Enter");
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(urls.filter((url) => url.includes("typed.name") || url.includes(user.username))).toEqual([]);
  });

  it("a used link shows that it was used, and leads to a new one", async () => {
    const link = await linkFor(installation.server, user);
    await anna.page.goto(link);
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
    await anna.page.goto(link);
    await seesDeadLink();
    expect(anna.status()).toBe(400);
    expect(await alertOf(anna.page).getAttribute("data-code")).toBe("error-token");
    await resetPages(anna).newLink.click();
    await seesHeading(anna, anna.t("passwordReset.request.heading"));
    await resetPages(anna).requestLink(user.username);
    await anna.page.goto(await linkInMail());
    await resetPages(anna).choose(`${NEW_PASSWORD}2`);
    await seesSuccess();
  });

  it("an empty user name is reported at its field", async () => {
    await anna.page.goto(`${installation.server.url}/password-reset/request-form`);
    await resetPages(anna).requestLink(" ");
    const text = anna.t("passwordReset.request.error.emptyUsername");
    await alertOf(anna.page).getByRole("link", { name: text, exact: true }).waitFor();
    expect(await alertOf(anna.page).getAttribute("data-code")).toBe("empty-username");
    await resetPages(anna).requestLink(user.username);
    await seesHeading(anna, anna.t("passwordReset.requestStatus.success.heading"));
  });

  it("a common password, and one with her own name, are refused in words of their own; the link stays good", async () => {
    await opensLink();
    for (const [typed, key] of [
      ["Passwordpassword1", "passwordReset.form.error.password-common"],
      [`Xq7-${user.username}-Wvk`, "passwordReset.form.error.password-name"],
    ] as const) {
      await resetPages(anna).choose(typed);
      await alertOf(anna.page).getByText(anna.t(key)).waitFor();
      expect.soft(await stateOf(anna.page), key).toMatchObject({ error: "password-common" });
      expect.soft(await resetPages(anna).password.getAttribute("aria-invalid"), key).toBe("true");
    }
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
  });
});

describe.each(LANGUAGES)("without JavaScript (%s)", (language) => {
  beforeEach(() => openLink({ language, javaScript: false }));

  it("rules and tips are shown before any input, without controls that need a script; each error lists what is missing", async () => {
    await opensLink();
    const pages = resetPages(anna);
    expect(await pages.rules.count()).toBe(5);
    expect(await pages.tips.heading.isVisible()).toBe(true);
    expect(await anna.page.getByRole("button").allTextContents()).toEqual([anna.t("passwordReset.form.submit")]);
    expect(await pages.save.isEnabled()).toBe(true);
    expect(await pages.meter.isVisible()).toBe(false);
    expect(await anna.page.getByText(anna.t("passwordRules.blocked")).isVisible()).toBe(false);

    for (const { code, typed, field, met } of [
      { code: "empty-password", typed: ["", ""], field: "password", met: 0 },
      { code: "empty-password-repeat", typed: [NEW_PASSWORD, ""], field: "repeat", met: 4 },
      { code: "passwords-not-equal", typed: [NEW_PASSWORD, `${NEW_PASSWORD}x`], field: "repeat", met: 4 },
      { code: "password-strength", typed: ["Leuchtturm", "Leuchtturm"], field: "password", met: 3 },
    ] as const) {
      await pages.type({ password: typed[0], repeat: typed[1] });
      await pages.save.click();
      const quote = anna.t(`passwordReset.form.quote.${code}`);
      await alertOf(anna.page).getByRole("link", { name: quote, exact: true }).waitFor();
      await anna.page.getByText(anna.t(`passwordReset.form.error.${code}`)).waitFor();
      expect.soft(await alertOf(anna.page).getAttribute("data-code"), code).toBe(code);
      expect.soft(anna.status(), code).toBe(400);
      expect.soft(await pages[field].getAttribute("aria-invalid"), code).toBe("true");
      expect.soft([await pages.password.inputValue(), await pages.repeat.inputValue()], code).toEqual(["", ""]);
      const states = (await pages.rules.allTextContents()).map((rule) => /[^(]*(?=\)$)/.exec(rule)?.[0]);
      expect.soft(states, code).toHaveLength(5);
      expect
        .soft(
          states.filter((state) => state === anna.t("passwordRules.met")),
          code,
        )
        .toHaveLength(met);
      expect
        .soft(
          states.filter((state) => state === anna.t("passwordRules.notMet")),
          code,
        )
        .toHaveLength(5 - met);
    }
    await pages.choose(NEW_PASSWORD);
    await seesSuccess();
  });
});

describe("with JavaScript", () => {
  beforeEach(() => openLink({ expected: [/^Failed to load resource: net::ERR_FAILED/] }));

  it("the whole flow works when no script loads", async () => {
    await anna.context.route("**/assets/*.js", (route) => route.abort());
    await opensLink();
    await resetPages(anna).choose("short");
    await alertOf(anna.page).getByText("Password not strong enough").waitFor();
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
    await signsInWith(NEW_PASSWORD);
  });

  it("a user name that was typed at the sign-in is prefilled", async () => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).signIn({ ...user, password: "Not-This-One-27" });
    await alertOf(anna.page).waitFor();
    await resetPages(anna).forgotPassword.click();
    expect(await resetPages(anna).username.inputValue()).toBe(user.username);
  });
});
