import type { Route } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { alertOf, hasFocus, loginPage, readDetail, signInAt } from "./support/pages.ts";
import { SCRIPTING } from "./support/variants.ts";

const WRONG = "Not-This-One-27";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });
const user = await installation.createUser();

describe.each(SCRIPTING)("the sign-in form, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    await anna.page.goto(`${clientApp.url}/sign-in`);
  });
  afterEach(() => anna.close());

  const attributesOf = (id: string) =>
    anna.page
      .locator(`#${id}`)
      .evaluate((input) => Object.fromEntries([...input.attributes].map(({ name, value }) => [name, value])));
  const arrives = async () => {
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  };

  // Proves requirement 9.
  it("is stable for password managers: names, ids and autocomplete, the same at every load", async () => {
    const once = { username: await attributesOf("username"), password: await attributesOf("current-password") };
    expect(once.username).toMatchObject({
      name: "username",
      autocomplete: "username webauthn",
      autocapitalize: "none",
      autocorrect: "off",
      spellcheck: "false",
      enterkeyhint: "next",
    });
    expect(once.username.type ?? "text").toBe("text");
    expect(once.password).toMatchObject({
      name: "password",
      type: "password",
      autocomplete: "current-password",
      autocapitalize: "none",
      spellcheck: "false",
      enterkeyhint: "go",
    });
    expect(once.password).not.toHaveProperty("maxlength");
    await anna.page.goto(`${clientApp.url}/sign-in`);
    expect(await attributesOf("username")).toEqual(once.username);
    expect(await attributesOf("current-password")).toEqual(once.password);
  });

  it("is a separate form without client validation whose first submit button alone signs in, and accepts pasted text unchanged", async () => {
    const forms = await anna.page.locator("main form").evaluateAll((all) =>
      all.map((form) => ({
        action: form.getAttribute("action"),
        method: form.getAttribute("method"),
        isUnchecked: form.hasAttribute("novalidate"),
        leadsElsewhere: [...form.querySelectorAll("button:not([type=button]), input[type=submit]")].map((button) =>
          button.hasAttribute("formaction"),
        ),
        nested: form.querySelectorAll("form").length,
      })),
    );
    expect(forms).toEqual([
      { action: "/login/native", method: "post", isUnchecked: true, leadsElsewhere: [false, true], nested: 0 },
      ...(javaScript
        ? [{ action: "/login/passkey", method: "post", isUnchecked: false, leadsElsewhere: [false], nested: 0 }]
        : []),
    ]);

    const typed = "Grüße, 李! x_1";
    await loginPage(anna).username.fill(typed);
    await loginPage(anna).username.press("ControlOrMeta+a");
    await loginPage(anna).username.press("ControlOrMeta+c");
    await loginPage(anna).password.focus();
    await anna.page.keyboard.press("ControlOrMeta+v");
    expect(await loginPage(anna).password.inputValue()).toBe(typed);
  });

  it.each(["username", "password"] as const)(
    "is sent by Enter in the field %s, and redirects to a GET, so that password managers detect the success",
    async (field) => {
      const response = anna.page.waitForResponse(
        (response) => response.url() === `${installation.server.url}/login/native`,
      );
      await loginPage(anna).username.fill(user.username);
      await loginPage(anna).password.fill(user.password);
      await loginPage(anna)[field].press("Enter");
      expect((await response).status()).toBe(303);
      await arrives();
    },
  );

  it("cuts no long password", async () => {
    const password = `${"Long-Pass 1 ".repeat(16)}12345678`;
    const long = await installation.server.users.create({ password });
    await loginPage(anna).signIn(long);
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(password).toHaveLength(200);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: long.id });
  });

  it("after a wrong password is shown again: same text as for an unknown name, name kept, password empty", async () => {
    const seen: (string | null)[] = [];
    for (const username of [user.username, "nobody-knows-me"]) {
      await loginPage(anna).signIn({ username, password: WRONG });
      await alertOf(anna.page).waitFor();
      expect(anna.status()).toBe(401);
      expect(await loginPage(anna).username.inputValue()).toBe(username);
      expect(await loginPage(anna).password.inputValue()).toBe("");
      await hasFocus(loginPage(anna).password);
      expect(await anna.page.content()).not.toContain(WRONG);
      seen.push(await alertOf(anna.page).textContent());
      await anna.page.goto(`${clientApp.url}/sign-in`);
    }
    expect(seen[0]).toContain("Login failed!");
    expect(new Set(seen).size).toBe(1);
  });

  it("with stale protection is there again, filled in, and works", async () => {
    await anna.page.locator("#sign-in input[name=_xsrf]").evaluate((input) => input.setAttribute("value", "stale"));
    await loginPage(anna).signIn(user);
    await alertOf(anna.page).getByText(anna.t("login.error.formExpired")).waitFor();
    expect(anna.status()).toBe(403);
    expect(await loginPage(anna).username.inputValue()).toBe(user.username);
    await loginPage(anna).password.fill(user.password);
    await loginPage(anna).submit.click();
    await arrives();
  });
});

describe.each([
  { language: "en", javaScript: true, word: "Error:", summary: "There is a problem" },
  { language: "de", javaScript: false, word: "Fehler:", summary: "Es gibt ein Problem" },
] as const)("a refused sign-in ($language, JavaScript: $javaScript)", ({ language, javaScript, word, summary }) => {
  let anna: BrowserUser;

  beforeAll(async () => {
    anna = await installation.open({ language, javaScript });
    await signInAt(anna, `${clientApp.url}/sign-in`, { username: "", password: "" });
    await alertOf(anna.page).waitFor();
  });
  afterAll(() => anna.close());

  it("starts the title with the error", async () => {
    expect(await anna.page.title()).toBe(`${word} ${anna.t("login.title")} | Gatehouse`);
    expect(anna.status()).toBe(400);
  });

  it("starts with a focused summary above the heading", async () => {
    const first = anna.page.locator("main > :first-child");
    expect(await first.getAttribute("role")).toBe("alert");
    expect(await first.getByRole("heading").textContent()).toBe(summary);
    await hasFocus(first);
  });

  it("shows the text of the summary at each field, and links the field", async () => {
    const links = alertOf(anna.page).getByRole("link");
    expect(await links.allTextContents()).toEqual([
      anna.t("login.error.usernameMissing"),
      anna.t("login.error.passwordMissing"),
    ]);
    for (const [index, field] of [loginPage(anna).username, loginPage(anna).password].entries()) {
      const link = links.nth(index);
      expect(await link.getAttribute("href")).toBe(`#${await field.getAttribute("id")}`);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      const message = anna.page.locator(`#${await field.getAttribute("id")}-error`);
      expect(await field.getAttribute("aria-describedby")).toContain(await message.getAttribute("id"));
      expect(await message.textContent()).toBe(`${word} ${await link.textContent()}`);
      await link.click();
      await hasFocus(field);
    }
  });
});

describe("the first focus", () => {
  it.each([
    { width: 1280, query: "", expected: "username" },
    { width: 1280, query: "?login_hint=anna", expected: "current-password" },
    { width: 400, query: "", expected: "" },
  ])("on a page $width px wide, asked $query, is on “$expected”", async ({ width, query, expected }) => {
    const anna = await installation.open({ viewport: { width, height: 800 } });
    await anna.page.goto(`${clientApp.url}/sign-in${query}`);
    expect(await anna.page.evaluate(() => document.activeElement?.id)).toBe(expected);
    await anna.close();
  });

  it("stays in the field that the user chose before the script of a page with an error had loaded", async () => {
    const anna = await installation.open();
    await anna.page.goto(`${clientApp.url}/sign-in`);
    const script = new Promise<Route>((resolve) => anna.page.route("**/assets/*.js", resolve));
    await loginPage(anna).submit.click();
    await hasFocus(alertOf(anna.page));
    const { password } = loginPage(anna);
    await password.focus();
    await (await script).continue();
    await anna.page.waitForLoadState();
    expect(await password.evaluate((field) => field === document.activeElement)).toBe(true);
    await anna.close();
  });
});

describe.each(SCRIPTING)("with a remembered user name, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    await signInAt(anna, `${clientApp.url}/sign-in`, user);
    await anna.page.waitForURL(`${clientApp.url}/`);
    await anna.context.clearCookies({ name: /^gatehouse_session/ });
    await anna.page.goto(`${clientApp.url}/sign-in`);
  });
  afterEach(() => anna.close());

  it("the form asks for the password alone, and Enter signs in", async () => {
    const { username, password, notYou } = loginPage(anna);
    expect([await username.inputValue(), await username.isEditable()]).toEqual([user.username, false]);
    expect(await notYou.isVisible()).toBe(true);
    if (javaScript) await hasFocus(password);
    await password.fill(user.password);
    await password.press("Enter");
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("Enter in the name signs in, too, and does not press Not you?", async () => {
    await loginPage(anna).password.fill(user.password);
    await loginPage(anna).username.press("Enter");
    await anna.page.waitForURL(`${clientApp.url}/`);
  });

  it("Not you? shows an empty field, in which another user signs in and is remembered", async () => {
    const berta = await installation.createUser();
    await loginPage(anna).notYou.click();
    await loginPage(anna).notYou.waitFor({ state: "detached" });
    expect(await loginPage(anna).username.inputValue()).toBe("");
    if (javaScript) await hasFocus(loginPage(anna).username);
    await loginPage(anna).signIn(berta);
    await anna.page.waitForURL(`${clientApp.url}/`);
    await anna.context.clearCookies({ name: /^gatehouse_session/ });
    await anna.page.goto(`${clientApp.url}/sign-in`);
    expect(await loginPage(anna).username.inputValue()).toBe(berta.username);
  });
});
