import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { backToNow, letMinutesPass } from "./support/clock.ts";
import { accountPage, loginPage, readDetail, seesHeading, signInAt, stateOf } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { SCRIPTING, VARIANTS } from "./support/variants.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });
const careful = await installation.openClientApp({ firstParty: true, confirmAccount: true });

describe.each(SCRIPTING)("a signed-in user, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    user = await installation.createUser();
    await seedSession(installation, anna, user);
  });
  afterEach(async () => {
    backToNow();
    await anna.close();
  });

  const requestSignIn = async (parameters = "") => {
    await anna.page.goto(`${clientApp.url}/sign-in?${parameters}`);
  };
  const arrivesAs = async (expected: TestUser) => {
    await anna.page.waitForURL(`${clientApp.url}/`);
    const claims = await readDetail(anna.page, "claims");
    expect(claims).toMatchObject({ sub: expected.id });
    return Number(claims.auth_time);
  };

  describe("with prompt=select_account", () => {
    it("sees her account and continues with one button", async () => {
      await requestSignIn("prompt=select_account");
      await seesHeading(anna, "You are logged in as");
      expect(await anna.page.getByRole("main").textContent()).toContain(user.displayName);
      expect(await stateOf(anna.page)).toMatchObject({ login_hint: { id: user.id, name: user.displayName } });
      await accountPage(anna).proceed.click();
      await arrivesAs(user);
    });

    it("can continue as another user", async () => {
      const boss = await installation.createUser();
      await requestSignIn("prompt=select_account");
      await accountPage(anna).otherAccount.click();
      expect(await loginPage(anna).username.inputValue()).toBe("");
      await loginPage(anna).signIn(boss);
      await arrivesAs(boss);
    });
  });

  it("is asked by a client that wants the account confirmed each time", async () => {
    await anna.page.goto(`${careful.url}/sign-in`);
    await seesHeading(anna, "You are logged in as");
    await accountPage(anna).proceed.click();
    await anna.page.waitForURL(`${careful.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("enters her password again for prompt=login, and the application gets the new auth_time", async () => {
    await requestSignIn();
    const before = await arrivesAs(user);
    letMinutesPass(2);
    await requestSignIn("prompt=login");
    await loginPage(anna).signIn(user);
    expect(await arrivesAs(user)).toBeGreaterThan(before);
  });

  it("enters her password again when the last authentication is older than max_age", async () => {
    await requestSignIn("max_age=600");
    const before = await arrivesAs(user);
    letMinutesPass(11);
    await requestSignIn("max_age=600");
    await loginPage(anna).signIn(user);
    expect(await arrivesAs(user)).toBeGreaterThan(before);
  });

  it("passes without a page for prompt=none", async () => {
    await requestSignIn("prompt=none");
    await arrivesAs(user);
  });

  describe("with response_mode=form_post", () => {
    it("arrives", async () => {
      await requestSignIn("response_mode=form_post");
      // The script submits this intermediate page; without JavaScript it has a button.
      if (!javaScript) await anna.page.getByRole("button").click();
      await arrivesAs(user);
    });
  });
});

describe.each(SCRIPTING)("a user who is not signed in, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
  });
  afterEach(() => anna.close());

  it("is sent back with an error for prompt=none", async () => {
    await anna.page.goto(`${clientApp.url}/sign-in?prompt=none`);
    expect(await readDetail(anna.page, "error")).toBe("login_required");
  });

  it("sees the user name of login_hint", async () => {
    const user = await installation.createUser();
    await anna.page.goto(`${clientApp.url}/sign-in?login_hint=${user.username}`);
    expect(await loginPage(anna).username.inputValue()).toBe(user.username);
    await loginPage(anna).password.fill(user.password);
    await loginPage(anna).submit.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("returns by form_post after the sign-in form, too", async () => {
    const user = await installation.createUser();
    await signInAt(anna, `${clientApp.url}/sign-in?response_mode=form_post`, user);
    if (!javaScript) await anna.page.getByRole("button").click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("gets the page in the language of ui_locales", async () => {
    await anna.page.goto(`${clientApp.url}/sign-in?ui_locales=de-AT`);
    await seesHeading(anna, "Anmelden");
    expect(await anna.page.locator("html").getAttribute("lang")).toBe("de");
  });
});

describe.each(VARIANTS.filter(({ javaScript }) => !javaScript))("without JavaScript ($language)", (variant) => {
  it("the form_post page has our language, heading and button", async () => {
    const anna = await installation.open(variant);
    const user = await installation.createUser();
    await signInAt(anna, `${clientApp.url}/sign-in?response_mode=form_post`, user);
    await seesHeading(anna, anna.t("formPost.title"));
    expect(await anna.page.locator("html").getAttribute("lang")).toBe(variant.language);
    expect(await anna.page.title()).toBe(`${anna.t("formPost.title")} | Gatehouse`);
    expect(await anna.page.getByRole("heading").count()).toBe(1);
    await anna.page.getByText(anna.t("formPost.description"), { exact: true }).waitFor();
    await anna.page.getByRole("button", { name: anna.t("formPost.proceed"), exact: true }).click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
    await anna.close();
  });
});
