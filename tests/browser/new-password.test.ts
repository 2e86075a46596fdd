import type { Locator } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkRules } from "#app/domain/password/rules.ts";
import { type ComponentPage, openComponentPage } from "#tests/browser/support/component-page.tsx";
import { textOf } from "#tests/browser/support/texts.ts";
import type { BrowserSession } from "#tests/support/chromium.ts";
import { withBreaks } from "#tests/support/html.ts";
import { resetForm } from "#tests/unit/routes/samples-password-reset.tsx";

const PLACE = { path: "/password-reset/reset-form", title: "Choose a new password | Gatehouse" };

const GOOD = "Leuchtturm-am-Kai-7";

let componentPage: ComponentPage;
let anna: BrowserSession;

beforeAll(async () => {
  componentPage = await openComponentPage(PLACE);
});
afterAll(() => componentPage.close());
beforeEach(() => {
  componentPage.sent.length = 0;
});
afterEach(() => anna.close());

const password = () => anna.page.getByLabel("New password", { exact: true });
const repeat = () => anna.page.getByLabel("Repeat new password");
const save = () => anna.page.getByRole("button", { name: "Change password" });
const meter = () => anna.page.getByRole("meter", { name: "Password strength" });
const met = () => anna.page.locator(".rule").evaluateAll((rules) => rules.map((rule) => rule.hasAttribute("data-met")));
const sent = () =>
  componentPage.sent.map(({ path, body }) => ({ path, ...Object.fromEntries(new URLSearchParams(body)) }));

describe("while a new password is typed", () => {
  it("the checklist shows each rule that is met, and the button waits for all of them", async () => {
    anna = await componentPage.open(resetForm());
    expect(await met()).toEqual([false, false, false, false, false]);
    await expect.poll(() => save().isDisabled()).toBe(true);
    const steps: [string, boolean[]][] = [
      ["l", [false, true, false, false, false]],
      ["lE", [false, true, true, false, false]],
      ["lE7", [false, true, true, true, false]],
      ["lE7-leuchtet", [true, true, true, true, false]],
    ];
    for (const [typed, expected] of steps) {
      await password().fill(typed);
      expect(await met()).toEqual(expected);
      expect(await save().isDisabled()).toBe(true);
    }
    await repeat().fill("lE7-leuchtet");
    expect(await met()).toEqual([true, true, true, true, true]);
    expect(await save().isEnabled()).toBe(true);
    expect(await anna.page.getByText("You can save as soon as all rules are met.").isVisible()).toBe(false);
    await password().press("End");
    await password().pressSequentially("!");
    expect(await save().isDisabled()).toBe(true);
  });

  it("the meter shows its strength, and does not decide", async () => {
    anna = await componentPage.open(resetForm());
    expect(await meter().getAttribute("aria-valuetext")).toBe("not rated yet");
    expect(await anna.page.getByRole("meter", { name: "Password strength" }).getAttribute("aria-valuemax")).toBe("5");
    for (const [typed, value, text] of [
      ["abc", "1", "very weak, 1 of 5"],
      ["abcdefgh", "2", "weak, 2 of 5"],
      ["abcdefghijkl", "3", "fair, 3 of 5"],
      ["Abcdefghijk1", "4", "good, 4 of 5"],
      [GOOD, "5", "very good, 5 of 5"],
      ["", "0", "not rated yet"],
    ] as const) {
      await password().fill(typed);
      expect(await meter().getAttribute("aria-valuenow")).toBe(value);
      expect(await meter().getAttribute("aria-valuetext")).toBe(text);
      await anna.page.getByText(text, { exact: true }).waitFor();
    }
    await password().fill("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    expect(await meter().getAttribute("aria-valuenow")).toBe("5");
    expect(await save().isDisabled()).toBe(true);
  });

  it("changes are announced once, after a pause", async () => {
    anna = await componentPage.open(resetForm());
    const status = anna.page.locator("new-password > [aria-live]");
    await status.evaluate((element) => {
      element.setAttribute("data-count", "0");
      new MutationObserver(() => {
        element.setAttribute("data-count", String(Number(element.getAttribute("data-count")) + 1));
      }).observe(element, { childList: true });
    });
    await password().pressSequentially("Leuchtturm", { delay: 30 });
    expect(await status.textContent()).toBe("");
    await expect.poll(() => status.textContent()).toBe("2 of 5 rules met. Password strength: fair, 3 of 5");
    expect(await status.getAttribute("data-count")).toBe("1");
    expect(await status.getAttribute("aria-live")).toBe("polite");
  });

  it("one that is too long is reported at the rule about length", async () => {
    anna = await componentPage.open(resetForm());
    const first = anna.page.locator(".rule").first();
    await password().fill("Aa1".repeat(100));
    expect(await textOf(first)).toBe("at most 256 characters (not met yet)");
    await password().fill(GOOD);
    expect(await textOf(first)).toBe("at least 12 characters (met)");
  });

  it("umlauts and emoji count as one character", async () => {
    anna = await componentPage.open(resetForm());
    await password().fill("ÄÖÜäöüÄÖÜä1");
    expect(await met()).toEqual([false, true, true, true, false]);
    await password().fill("ÄÖÜäöüÄÖÜä1🙂");
    await repeat().fill("ÄÖÜäöüÄÖÜä1🙂".normalize("NFD"));
    expect(await met()).toEqual([true, true, true, true, true]);
  });
});

/** Sets the value of a field as some password managers do. */
const fillSilently = (field: Locator, text: string) =>
  field.evaluate((input, value) => {
    if (input instanceof HTMLInputElement) input.value = value;
  }, text);

describe("a new password that a password manager filled without an `input` event", () => {
  beforeEach(async () => {
    anna = await componentPage.open(resetForm());
    await expect.poll(() => save().isDisabled()).toBe(true);
    await password().focus();
    for (const field of [password(), repeat()]) await fillSilently(field, GOOD);
  });

  const isChecked = async () => {
    await expect.poll(() => save().isEnabled()).toBe(true);
    expect(await met()).toEqual([true, true, true, true, true]);
    expect(await meter().getAttribute("aria-valuenow")).toBe("5");
  };

  it("is checked on `change`", async () => {
    await password().dispatchEvent("change");
    await isChecked();
  });

  it("is checked when the field loses the focus", async () => {
    await anna.page.keyboard.press("Tab");
    await isChecked();
  });
});

describe("saving a new password", () => {
  it("before all rules are met sends nothing, by click and by Enter, and lists the missing rules", async () => {
    anna = await componentPage.open(resetForm());
    await password().fill("leuchtturm");
    const missing = anna.page.getByRole("status").filter({ hasText: "Still missing:" });
    for (const press of [() => save().click({ force: true }), () => repeat().press("Enter")]) {
      await press();
      expect((await missing.getByRole("listitem").allTextContents()).map(withBreaks)).toEqual([
        "at least 12 characters",
        "at least one upper-case letter (A–Z)",
        "at least one digit (0–9)",
        "the same password in both fields",
      ]);
      await password().press("End");
      await password().press("Backspace");
      expect(await missing.count()).toBe(0);
    }
    expect(componentPage.sent).toEqual([]);
    expect(await password().inputValue()).toBe("leuchttu");
  });

  it("sends both fields and both tokens, and the user name in none of them", async () => {
    anna = await componentPage.open(resetForm());
    await password().fill(GOOD);
    await repeat().fill(GOOD);
    await save().click();
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    expect(sent()).toEqual([
      {
        path: "/password-reset/reset",
        _xsrf: "the-token",
        reset_token: "the-reset-token",
        password: GOOD,
        password_repeat: GOOD,
      },
    ]);
  });

  it("sends what a password manager filled without an event, and lists no rule that is met", async () => {
    anna = await componentPage.open(resetForm());
    await fillSilently(password(), GOOD);
    await save().click({ force: true });
    const missing = anna.page.getByRole("status").filter({ hasText: "Still missing:" });
    expect(await missing.getByRole("listitem").allTextContents()).toEqual(["the same password in both fields"]);
    await fillSilently(repeat(), GOOD);
    await save().click({ force: true });
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    expect(sent()).toMatchObject([{ password: GOOD, password_repeat: GOOD }]);
  });

  it("keeps a visible password visible while nothing is sent", async () => {
    anna = await componentPage.open(resetForm());
    await password().fill("leuchtturm");
    await anna.page.getByRole("button", { name: "Show new password" }).click();
    await password().press("Enter");
    await anna.page.getByText("Still missing:").waitFor();
    expect(await password().getAttribute("type")).toBe("text");
  });

  it("works without a script: the button is enabled, and the server validates", async () => {
    anna = await componentPage.open(resetForm(), undefined, { javaScript: false });
    expect(await save().isEnabled()).toBe(true);
    expect(await meter().count()).toBe(0);
    expect(await anna.page.getByText("You can save as soon").isVisible()).toBe(false);
    await password().fill("short");
    await save().click();
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    expect(sent()).toMatchObject([{ password: "short", password_repeat: "" }]);
  });

  it("that was refused keeps the server's list until something is typed", async () => {
    const rules = checkRules("Leuchtturm", "Leuchtturm");
    anna = await componentPage.open(resetForm({ error: "password-strength" }, { rules }));
    await expect.poll(() => save().isDisabled()).toBe(true);
    expect(await met()).toEqual([false, true, true, false, true]);
    await anna.page.getByText("3 of 5 rules met").waitFor();
    await password().fill("l");
    expect(await met()).toEqual([false, true, false, false, false]);
  });
});

describe("the tips", () => {
  it("are put away for good, and can be fetched again", async () => {
    anna = await componentPage.open(resetForm());
    const tips = anna.page.getByText("Use this password for this account only.");
    const reload = () => componentPage.show(resetForm(), anna);
    expect(await tips.isVisible()).toBe(true);
    await anna.page.getByRole("button", { name: "Hide tips" }).click();
    expect(await tips.isVisible()).toBe(false);
    await reload();
    await anna.page.getByRole("button", { name: "Show tips" }).click();
    expect(await tips.isVisible()).toBe(true);
    await reload();
    await anna.page.getByRole("button", { name: "Hide tips" }).waitFor();
    expect(await tips.isVisible()).toBe(true);
  });

  it("are remembered in a cookie: local storage stays as it was", async () => {
    anna = await componentPage.open(resetForm());
    const kept = () => anna.page.evaluate(() => Object.keys(localStorage));
    const before = await kept();
    await anna.page.getByRole("button", { name: "Hide tips" }).click();
    expect(await kept()).toEqual(before);
    const [cookie] = (await anna.context.cookies()).filter(({ name }) => name === "gatehouse_tips");
    expect(cookie).toMatchObject({ value: "hidden", sameSite: "Lax", path: "/" });
  });
});
