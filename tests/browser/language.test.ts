import { afterEach, describe, expect, it } from "vitest";
import { type BrowserUser, type BrowserUserOptions, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { loginPage, readDetail, scriptsHaveRun, seesHeading, signInAt } from "./support/pages.ts";
import { textsIn } from "./support/texts.ts";
import { SCRIPTING } from "./support/variants.ts";

let anna: BrowserUser;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });
afterEach(() => anna.close());

const open = async (options: BrowserUserOptions) => {
  anna = await installation.open(options);
};
const shownLanguage = async (path = "/somewhere") => {
  await anna.page.goto(installation.server.url + path);
  return anna.page.locator("html").getAttribute("lang");
};
const setCookie = (value: string) =>
  anna.context.addCookies([{ name: "i18next", value, url: installation.server.url }]);
const cookie = async () => (await anna.context.cookies()).find(({ name }) => name === "i18next")?.value;
const stored = () => anna.page.evaluate(() => localStorage.getItem("i18nextLng"));

describe.each(SCRIPTING)("the language of a page, $scripting", ({ javaScript }) => {
  it.each([
    { locale: "de-AT", expected: "de" },
    { locale: "de", expected: "de" },
    { locale: "en-US", expected: "en" },
    { locale: "ru", expected: "en" },
  ])("is $expected for a browser that is set to $locale", async ({ locale, expected }) => {
    await open({ javaScript, locale });
    expect(await shownLanguage()).toBe(expected);
  });

  it("is that of the cookie, regardless of the browser setting", async () => {
    await open({ javaScript, locale: "en-GB" });
    await setCookie("de");
    expect(await shownLanguage()).toBe("de");
  });

  it("is that of the query, and persists", async () => {
    await open({ javaScript, locale: "en-GB" });
    await setCookie("en");
    expect(await shownLanguage("/somewhere?lng=de")).toBe("de");
    expect(await shownLanguage()).toBe("de");
    expect(await cookie()).toBe("de");
  });

  it.each<[string, (user: TestUser) => Promise<unknown>]>([
    ["during a sign-in", ({ username }) => anna.page.goto(`${clientApp.url}/sign-in?login_hint=${username}`)],
    [
      "on a refused form",
      async (user) => {
        await signInAt(anna, `${clientApp.url}/sign-in`, { ...user, password: "Not-This-One-27" });
        await anna.page.getByRole("alert").waitFor();
      },
    ],
  ])("can be changed %s, which keeps the user name and continues", async (_where, openForm) => {
    const user = await installation.createUser();
    await open({ javaScript });
    await openForm(user);
    await anna.page.getByRole("button", { name: "Deutsch" }).click();
    await seesHeading(anna, "Anmelden");
    const german = { page: anna.page, t: textsIn("de") };
    expect(await loginPage(german).username.inputValue()).toBe(user.username);
    await loginPage(german).signIn(user);
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });
});

describe("the language of a page", () => {
  it.each(["fr", "de<script>", "../../de", "__proto__"])("is not changed by the query %s", async (lng) => {
    await open({ locale: "de-DE" });
    expect(await shownLanguage(`/somewhere?lng=${encodeURIComponent(lng)}`)).toBe("de");
    expect(await cookie()).toBeUndefined();
  });
});

describe("the browser's storage", () => {
  // Proves requirement 118.
  it("contains only the language of the last page", async () => {
    await open({ locale: "de-DE" });
    await shownLanguage();
    expect(await stored()).toBe("de");
    expect(await anna.page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([1, 0]);
    await shownLanguage("/somewhere?lng=en");
    expect(await stored()).toBe("en");
  });

  it.each(["localStorage", "sessionStorage"] as const)(
    "%s takes precedence over the browser's setting: the page is reloaded",
    async (kind) => {
      await open({ locale: "en-GB" });
      await shownLanguage();
      await anna.page.evaluate((name) => {
        localStorage.clear();
        window[name].setItem("i18nextLng", "de");
      }, kind);
      await anna.page.goto(`${clientApp.url}/sign-in`);
      await seesHeading(anna, "Anmelden");
      expect(await cookie()).toBe("de");
      expect(await loginPage({ page: anna.page, t: textsIn("de") }).username.isEnabled()).toBe(true);
    },
  );

  it.each([
    ["de-DE", "en"],
    ["de_DE", "en"],
    ["fr", "de"],
  ])("with %s, and %s in that of the tab, is German, also on a page with an alert", async (local, session) => {
    await open({ locale: "en-GB" });
    await shownLanguage();
    await anna.page.evaluate(
      ([inLocal, inSession]) => {
        localStorage.setItem("i18nextLng", inLocal ?? "");
        sessionStorage.setItem("i18nextLng", inSession ?? "");
      },
      [local, session],
    );
    await anna.page.goto(`${installation.server.url}/login`);
    await anna.page.locator("html[lang=de]").waitFor();
    expect(await anna.page.getByRole("alert").count()).toBe(1);
    expect(await cookie()).toBe("de");
  });

  it("reloads no response to a form", async () => {
    await open({ locale: "en-GB" });
    const methods: string[] = [];
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await anna.page.evaluate(() => localStorage.setItem("i18nextLng", "de"));
    anna.page.on("request", (request) => request.isNavigationRequest() && methods.push(request.method()));
    const user = await installation.createUser();
    await loginPage(anna).signIn({ ...user, password: "Not-This-One-27" });
    await seesHeading(anna, "Sign in");
    await scriptsHaveRun(anna);
    expect(await cookie()).toBe("de");
    expect(methods).toEqual(["POST"]);
  });

  it("is outranked by the cookie", async () => {
    await open({ locale: "en-GB" });
    await shownLanguage();
    await anna.page.evaluate(() => localStorage.setItem("i18nextLng", "de"));
    await setCookie("en");
    expect(await shownLanguage()).toBe("en");
    expect(await stored()).toBe("en");
  });
});

describe.each(SCRIPTING)("after a user name was typed, $scripting", ({ javaScript }) => {
  it("can be changed: the name stays in the field and is in no URL, and Enter still signs in", async () => {
    const user = await installation.createUser();
    await open({ javaScript });
    const urls: string[] = [];
    anna.page.on("request", (request) => urls.push(request.url()));
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).username.fill(user.username);
    await loginPage(anna).password.fill("Typed-Window-27-Oak");
    await anna.page.getByRole("button", { name: "Deutsch" }).click();
    await seesHeading(anna, "Anmelden");
    const german = loginPage({ page: anna.page, t: textsIn("de") });
    expect([await german.username.inputValue(), await german.password.inputValue()]).toEqual([user.username, ""]);
    expect(urls.filter((url) => url.includes(user.username))).toEqual([]);
    await german.password.fill(user.password);
    await german.password.press("Enter");
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });
});

it("with JavaScript, a reload after the change does not send the form again", async () => {
  await open({});
  await anna.page.goto(`${clientApp.url}/sign-in`);
  await loginPage(anna).username.fill("typed.name");
  await anna.page.getByRole("button", { name: "Deutsch" }).click();
  await seesHeading(anna, "Anmelden");
  await scriptsHaveRun(anna);
  const methods: string[] = [];
  anna.page.on("request", (request) => methods.push(request.method()));
  await anna.page.reload();
  await seesHeading(anna, "Anmelden");
  expect(methods).not.toContain("POST");
  expect(await anna.page.evaluate(() => sessionStorage.length)).toBe(0);
});
