import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Desk, type Office, openOffice, type Person } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { backToNow, letMinutesPass } from "./support/clock.ts";
import { accountPage, factOf, loginPage, seesHeading, signInAt, stateOf } from "./support/pages.ts";
import { SCRIPTING, WAYS } from "./support/ways.ts";

let office: Office;
let desk: Desk;
let careful: Desk;

beforeAll(async () => {
  office = await openOffice();
  desk = await office.openDesk({ firstParty: true });
  careful = await office.openDesk({ firstParty: true, confirmAccount: true });
});
afterAll(() => office.close());

describe.each(SCRIPTING)("a signed-in person, $scripting", ({ javaScript }) => {
  let anna: Person;
  let user: TestUser;

  beforeEach(async () => {
    anna = await office.open({ javaScript });
    user = await office.createUser();
    await signInAt(anna, `${desk.url}/sign-in`, user);
    await anna.page.waitForURL(`${desk.url}/`);
  });
  afterEach(async () => {
    backToNow();
    await anna.close();
  });

  const asksFor = async (parameters: string) => {
    await anna.page.goto(`${desk.url}/sign-in?${parameters}`);
  };
  const arrivesAs = async (expected: TestUser) => {
    await anna.page.waitForURL(`${desk.url}/`);
    const claims = await factOf(anna.page, "claims");
    expect(claims).toMatchObject({ sub: expected.id });
    return Number(claims.auth_time);
  };

  describe("who is asked for the account (prompt=select_account)", () => {
    it("sees who she is and goes on with one button", async () => {
      await asksFor("prompt=select_account");
      await seesHeading(anna, "You are logged in as");
      expect(await anna.page.getByRole("main").textContent()).toContain(user.displayName);
      expect(await stateOf(anna.page)).toMatchObject({ login_hint: { id: user.id, name: user.displayName } });
      await accountPage(anna).proceed.click();
      await arrivesAs(user);
    });

    it("can go on as somebody else", async () => {
      const boss = await office.createUser();
      await asksFor("prompt=select_account");
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
    expect(await factOf(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("gives her password again for prompt=login, and the application learns when", async () => {
    const before = await arrivesAs(user);
    letMinutesPass(2);
    await asksFor("prompt=login");
    await loginPage(anna).signIn(user);
    expect(await arrivesAs(user)).toBeGreaterThan(before);
  });

  it("gives her password again once the last time is longer ago than max_age", async () => {
    await asksFor("max_age=600");
    const before = await arrivesAs(user);
    letMinutesPass(11);
    await asksFor("max_age=600");
    await loginPage(anna).signIn(user);
    expect(await arrivesAs(user)).toBeGreaterThan(before);
  });

  it("passes without a page for prompt=none", async () => {
    await asksFor("prompt=none");
    await arrivesAs(user);
  });

  describe("whose application wants its answer posted (response_mode=form_post)", () => {
    it("arrives", async () => {
      await asksFor("response_mode=form_post");
      // The script submits this intermediate page; without JavaScript it has a button.
      if (!javaScript) await anna.page.getByRole("button").click();
      await arrivesAs(user);
    });
  });
});

describe.each(SCRIPTING)("a person who is not signed in, $scripting", ({ javaScript }) => {
  let anna: Person;

  beforeEach(async () => {
    anna = await office.open({ javaScript });
  });
  afterEach(() => anna.close());

  it("is sent back with an error for prompt=none", async () => {
    await anna.page.goto(`${desk.url}/sign-in?prompt=none`);
    expect(await factOf(anna.page, "error")).toBe("login_required");
  });

  it("finds the user name that the application hinted at", async () => {
    const user = await office.createUser();
    await anna.page.goto(`${desk.url}/sign-in?login_hint=${user.username}`);
    expect(await loginPage(anna).username.inputValue()).toBe(user.username);
    await loginPage(anna).password.fill(user.password);
    await loginPage(anna).submit.click();
    await anna.page.waitForURL(`${desk.url}/`);
    expect(await factOf(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("arrives by a posted answer over the form, too", async () => {
    const user = await office.createUser();
    await signInAt(anna, `${desk.url}/sign-in?response_mode=form_post`, user);
    if (!javaScript) await anna.page.getByRole("button").click();
    await anna.page.waitForURL(`${desk.url}/`);
    expect(await factOf(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("gets the page in the language that the application asks for", async () => {
    await anna.page.goto(`${desk.url}/sign-in?ui_locales=de-AT`);
    await seesHeading(anna, "Anmelden");
    expect(await anna.page.locator("html").getAttribute("lang")).toBe("de");
  });
});

describe.each(WAYS.filter(({ javaScript }) => !javaScript))("without JavaScript ($language)", (way) => {
  it("the page that hands a posted answer on is one of ours: language, heading, button", async () => {
    const anna = await office.open(way);
    const user = await office.createUser();
    await signInAt(anna, `${desk.url}/sign-in?response_mode=form_post`, user);
    await seesHeading(anna, anna.t("formPost.title"));
    expect(await anna.page.locator("html").getAttribute("lang")).toBe(way.language);
    expect(await anna.page.title()).toBe(`${anna.t("formPost.title")} | Gatehouse`);
    expect(await anna.page.getByRole("heading").count()).toBe(1);
    await anna.page.getByText(anna.t("formPost.description"), { exact: true }).waitFor();
    await anna.page.getByRole("button", { name: anna.t("formPost.proceed"), exact: true }).click();
    await anna.page.waitForURL(`${desk.url}/`);
    expect(await factOf(anna.page, "claims")).toMatchObject({ sub: user.id });
    await anna.close();
  });
});
