import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { loginPage } from "./support/pages.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

describe.each(LANGUAGES)("the password field (%s)", (language) => {
  let anna: BrowserUser;

  beforeEach(async () => {
    anna = await installation.open({ language });
    await anna.page.goto(`${clientApp.url}/sign-in`);
  });
  afterEach(() => anna.close());

  const toggle = () => anna.page.locator("[aria-controls=current-password]");
  const capsHint = () => anna.page.getByText(anna.t("field.capsLock"));
  const pressKey = (isOn: boolean) =>
    loginPage(anna).password.evaluate((input, modifierCapsLock) => {
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "A", bubbles: true, modifierCapsLock }));
    }, isOn);

  it("can be shown by a button with a label", async () => {
    expect(await toggle().isVisible()).toBe(true);
    expect(await toggle().getAttribute("type")).toBe("button");
    expect(await toggle().textContent()).toBe(anna.t("common.show"));
    await anna.page.getByRole("button", { name: anna.t("field.password.show") }).click();
    expect(await loginPage(anna).password.getAttribute("type")).toBe("text");
    expect(await toggle().textContent()).toBe(anna.t("common.hide"));
    await anna.page.getByRole("button", { name: anna.t("field.password.hide") }).click();
    expect(await loginPage(anna).password.getAttribute("type")).toBe("password");
  });

  it("keeps value and caret while it is shown; the focus stays on the button; the change is announced", async () => {
    const { password } = loginPage(anna);
    await password.fill("abcdef");
    await password.evaluate((input) => input instanceof HTMLInputElement && input.setSelectionRange(2, 4));
    const announced = anna.page.locator("#current-password-status");
    expect(await announced.getAttribute("aria-live")).toBe("polite");
    expect(await announced.textContent()).toBe("");
    await toggle().press("Enter");
    expect(await password.inputValue()).toBe("abcdef");
    expect(
      await password.evaluate(
        (input) => input instanceof HTMLInputElement && [input.selectionStart, input.selectionEnd],
      ),
    ).toEqual([2, 4]);
    expect(await toggle().evaluate((button) => document.activeElement === button)).toBe(true);
    expect(await announced.textContent()).toBe(anna.t("field.password.shownStatus"));
    await toggle().press("Enter");
    expect(await announced.textContent()).toBe(anna.t("field.password.hiddenStatus"));
  });

  it("is hidden again before it is sent, and the button shows the progress", async () => {
    // A response without content (204) leaves the page unchanged.
    await anna.page.route("**/login/native", (route) => route.fulfill({ status: 204 }));
    await loginPage(anna).username.fill("anna");
    await loginPage(anna).password.fill("secret");
    await toggle().click();
    const sent = anna.page.waitForRequest("**/login/native");
    await loginPage(anna).submit.click();
    expect((await sent).postData()).toContain("password=secret");
    expect(await loginPage(anna).password.getAttribute("type")).toBe("password");
    const busy = anna.page.getByRole("button", { name: anna.t("login.submitting"), exact: true });
    expect(await busy.getAttribute("aria-disabled")).toBe("true");
  });

  it("has the focus ring around the frame that it shares with the button", async () => {
    await loginPage(anna).password.press("Shift");
    const lines = await loginPage(anna).password.evaluate((input) =>
      [input, input.parentElement ?? input].map((element) => getComputedStyle(element).outlineStyle),
    );
    expect(lines).toEqual(["none", "solid"]);
  });

  it("shows while it has the focus that Caps Lock is on, and accepts all input", async () => {
    const { password } = loginPage(anna);
    await password.focus();
    expect(await capsHint().count()).toBe(0);
    await pressKey(true);
    expect(await capsHint().isVisible()).toBe(true);
    expect(await password.getAttribute("aria-describedby")).toContain(await capsHint().getAttribute("id"));
    await anna.page.keyboard.insertText("ABC");
    expect(await password.inputValue()).toBe("ABC");
    await pressKey(false);
    expect(await capsHint().count()).toBe(0);
    await pressKey(true);
    await loginPage(anna).username.focus();
    expect(await capsHint().count()).toBe(0);
  });
});

it("without JavaScript, buttons and hints that need a script are not shown", async () => {
  const anna = await installation.open({ javaScript: false });
  await anna.page.goto(`${clientApp.url}/sign-in`);
  const works = [anna.t("login.submit"), "Deutsch"];
  expect(await anna.page.getByRole("button").allTextContents()).toEqual(works);
  expect(await anna.page.locator("#current-password-caps").isVisible()).toBe(false);
  await anna.close();
});
