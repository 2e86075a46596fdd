import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { type BrowserUser, type Installation, installationOfFile } from "#tests/browser/support/installation.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { alertOf, hasFocus, scriptsHaveRun, seesHeading } from "./support/pages.ts";
import { openResetLink, resetPages } from "./support/password-reset.ts";

let anna: BrowserUser;

const installation = await installationOfFile();

const openLink = async (options?: Parameters<Installation["open"]>[0]) => {
  ({ anna } = await openResetLink(installation, options));
};
afterEach(() => anna.close());

const seesSuccess = () => seesHeading(anna, anna.t("passwordReset.status.success.heading"));

/** Returns the texts of the met rules. */
const metRules = async () => {
  const all = (await resetPages(anna).rules.allTextContents()).map((rule) => rule.split(/ \((?=[^(]*$)|\)$/));
  return all.filter(([, state]) => state === anna.t("passwordRules.met")).map(([text]) => text);
};

describe.each(LANGUAGES)("while a new password is typed (%s)", (language) => {
  beforeEach(() => openLink({ language }));

  it("the button is disabled but focusable, lists the missing rules, and submits when all are met", async () => {
    const { t, requests } = anna;
    const { save, password, repeat, missing } = resetPages(anna);
    const texts = [
      t("passwordRules.minLength", { minLength: 12 }),
      t("passwordRules.lower"),
      t("passwordRules.upper"),
      t("passwordRules.digit"),
      t("passwordRules.equal"),
    ];
    const before = requests.length;
    await repeat.focus();
    await repeat.press("Tab");
    await anna.page.keyboard.press("Tab");
    expect(await save.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    expect(await save.getAttribute("disabled")).toBeNull();
    expect(await anna.page.getByText(t("passwordRules.blocked")).isVisible()).toBe(true);
    await anna.page.keyboard.press("Enter");
    expect(await missing.allTextContents()).toEqual(texts);
    await password.fill("Leuchtturm");
    await password.press("Enter");
    expect(await missing.allTextContents()).toEqual([texts[0], texts[3], texts[4]]);
    expect(await metRules()).toEqual([texts[1], texts[2]]);
    expect(requests.length).toBe(before);
    await password.fill(NEW_PASSWORD);
    await repeat.fill(NEW_PASSWORD);
    expect(await metRules()).toEqual(texts);
    expect(await missing.count()).toBe(0);
    expect(await save.getAttribute("aria-disabled")).toBeNull();
    await repeat.press("Enter");
    await seesSuccess();
  });

  it("the meter shows one more bar at 20, 40, 60 and 80 bits, announces it, and does not decide", async () => {
    const { meter, password, save } = resetPages(anna);
    expect(await meter.getAttribute("aria-valuetext")).toBe(anna.t("passwordMeter.0"));
    for (const [typed, score] of [
      ["111111", 1], // 6 x log2(10) = 19.9
      ["!!!!", 2], // 4 x log2(33) = 20.2
      ["aAaaaaa", 2], // 7 x log2(52) = 39.9
      ["!!!!!!!!", 3], // 8 x log2(33 + 1) = 40.7
      ["aA1aaaaaaa", 3], // 10 x log2(62 + 1) = 59.8
      ["1!111111111", 4], // 11 x log2(43 + 1) = 60.1
      ["a1!aaaaaaaaaa", 4], // 13 x log2(69 + 1) = 79.7
      ["aAaaaaaaaaaaaa", 5], // 14 x log2(52 + 1) = 80.2
      ["a".repeat(100), 5],
    ] as const) {
      await password.fill(typed);
      const text = `${anna.t(`passwordMeter.${score}`)}, ${anna.t("passwordMeter.value", { score })}`;
      expect([typed, await meter.getAttribute("aria-valuenow")]).toEqual([typed, String(score)]);
      expect(await meter.getAttribute("aria-valuetext")).toBe(text);
      await anna.page.getByText(text, { exact: true }).waitFor();
      expect(await readBars()).toMatchObject({ lit: score });
      expect(await save.getAttribute("aria-disabled")).toBe("true");
    }
    await password.fill("");
    expect(await meter.getAttribute("aria-valuetext")).toBe(anna.t("passwordMeter.0"));
    expect((await readBars()).lit).toBe(0);
  });
});

/** Returns the number of filled bars and their colour. */
const readBars = () =>
  resetPages(anna)
    .meter.locator("i")
    .evaluateAll((bars) => {
      const styles = bars.map((bar) => getComputedStyle(bar));
      const lit = styles.filter(({ borderTopWidth }) => Number.parseFloat(borderTopWidth) > 2);
      return { lit: lit.length, colour: (lit[0]?.borderTopColor.match(/\d+/g) ?? []).map(Number) };
    });

describe("the form for a new password", () => {
  beforeEach(() => openLink());

  it("lights its bars red, then amber, then green", async () => {
    const kindOf = ([red = 0, green = 0]: number[]) => {
      if (green > red) return "green";
      return green * 2 > red ? "amber" : "red";
    };
    const seen: string[] = [];
    for (const typed of ["a", "aaaaaa", "!!!!!!!!", "1!111111111", "aAaaaaaaaaaaaa"]) {
      await resetPages(anna).password.fill(typed);
      seen.push(kindOf((await readBars()).colour));
    }
    expect(seen).toEqual(["red", "red", "amber", "amber", "green"]);
  });

  it("counts characters as users see them", async () => {
    const { password, repeat, save } = resetPages(anna);
    for (const [what, eleven, twelve] of [
      ["an umlaut is one character, and ß is lower case", "GRÜß-GRÜSS1", "GRÜß-GRÜSSE1"],
      ["an emoji is one character", `aA1${"🙂".repeat(8)}`, `aA1${"🙂".repeat(9)}`],
      ["a letter of two signs is one character", "Gru\u0308n-gru\u0308n-1", "Gru\u0308n-gru\u0308n-12"],
      ["Ä and ä are letters", "ÄÄÄÄÄääääÄ1", "ÄÄÄÄÄäääää12"],
    ] as const) {
      await password.fill(eleven);
      await repeat.fill(eleven);
      expect.soft(await metRules(), what).toEqual(REST);
      await password.fill(twelve);
      await repeat.fill(twelve);
      expect.soft(await metRules(), what).toEqual([anna.t("passwordRules.minLength", { minLength: 12 }), ...REST]);
      expect.soft(await save.isEnabled(), what).toBe(true);
    }
  });

  it("announces changes after a pause, at most once a second", async () => {
    const { password, repeat } = resetPages(anna);
    const status = anna.page.locator("[aria-live=polite]").filter({ hasText: "rules met" });
    await anna.page.clock.install();
    const seesAfterPause = (text: string) =>
      expect
        .poll(
          async () => {
            await anna.page.clock.runFor(50);
            return (await status.allTextContents()).join();
          },
          { interval: 0, timeout: 10_000 },
        )
        .toBe(text);
    await anna.page.evaluate(() => {
      const place = document.querySelector("new-password > [aria-live=polite]");
      const times: number[] = [];
      Object.assign(window, { times });
      if (place) new MutationObserver(() => times.push(performance.now())).observe(place, { childList: true });
    });
    await password.pressSequentially("Harbour-");
    expect(await status.count()).toBe(0);
    await seesAfterPause("2 of 5 rules met. Password strength: fair, 3 of 5");
    await password.pressSequentially("Kettle-93");
    await repeat.fill("Harbour-Kettle-93");
    await seesAfterPause("5 of 5 rules met. Password strength: very good, 5 of 5");
    const times = await anna.page.evaluate(() => ("times" in window ? window.times : null));
    expect(times).toEqual([expect.any(Number), expect.any(Number)]);
    const [first, second] = Array.isArray(times) ? times : [];
    expect(second - first).toBeGreaterThanOrEqual(1_000);
  });

  it("after a refusal shows the missing rules of the next input, and keeps the focus", async () => {
    await resetPages(anna).choose("Passwordpassword1");
    await alertOf(anna.page).waitFor();
    await scriptsHaveRun(anna);
    await hasFocus(alertOf(anna.page));
    const { password, save, missing } = resetPages(anna);
    expect(await metRules()).toEqual([]);
    expect(await save.getAttribute("aria-disabled")).toBe("true");
    await save.click({ force: true });
    expect(await missing.count()).toBe(5);
    await password.focus();
    await password.pressSequentially("harbour");
    expect(await metRules()).toEqual(["at least one lower-case letter (a–z)"]);
    await password.press("Enter");
    expect(await missing.count()).toBe(4);
    expect(await password.evaluate((field) => field === document.activeElement)).toBe(true);
  });
});

/** The rules except the one about length. */
const REST = [
  "at least one lower-case letter (a–z)",
  "at least one upper-case letter (A–Z)",
  "at least one digit (0–9)",
  "the same password in both fields",
];
