import { afterAll, beforeAll, expect, test } from "vitest";
import { renderMail } from "#app/mail/message.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import { findViolations } from "#tests/browser/support/page-checks/accessibility.ts";
import { type Chromium, startChromium } from "#tests/support/chromium.ts";
import { mailConfig } from "#tests/unit/domain/fixtures.ts";

const USERNAME = "haftpflichtversicherungsmaklerin-wuerttemberg-hohenzollern";
const AT = new Date("2026-03-02T08:00:00.000Z");

/** A notice in which every value is long: a whole IPv6 address, and names without a space. */
const OCCASION = {
  username: USERNAME,
  at: AT,
  until: AT,
  from: {
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    address: "2001:0db8:85a3:08d3:1319:8a2e:0370:7348",
  },
  application: "Versicherungsvergleichsrechner Gewerbe",
  notMeUrl: `https://login.office.example/login/not-me?not_me_token=${"a".repeat(43)}`,
};

let chromium: Chromium;

beforeAll(async () => {
  chromium = await startChromium();
});
afterAll(() => chromium?.close());

test.each([320, 360, 600])(
  "a mail with long values does not scroll sideways, and ends with a space, in a window of %i px",
  async (width) => {
    const reader = await chromium.open({ viewport: { width, height: 800 } });
    const to = { name: "Annegret Haftpflichtversicherungsmaklerin", address: "anna@office.example" };
    for (const locale of ["de", "en"]) {
      for (const name of ["new-browser", "recovery-codes-made"] as const) {
        const { html } = await renderMail(mailConfig, { id: "m1", to, locale, template: { name }, occasion: OCCASION });
        // The mark is a part of the mail.
        await reader.page.setContent(html.replace(/src="cid:[^"]*"/, ""));
        expect(await reader.page.getByRole("rowheader").count()).toBe(5);
        const excess = await reader.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect.soft(excess, `${name} ${locale}`).toBe(0);
        const { bottom, height } = await reader.page.evaluate(() => ({
          bottom: [...document.querySelectorAll("a")].at(-1)?.getBoundingClientRect().bottom ?? 0,
          height: document.documentElement.scrollHeight,
        }));
        expect.soft(height - bottom, `space below the last line of ${name} ${locale}`).toBeGreaterThanOrEqual(16);
      }
    }
    await reader.close();
  },
);

const STOP_URL = `https://login.office.example/mfa-reset/stop?stop_token=${"a".repeat(43)}`;
const RESET_URL = `https://login.office.example/mfa-reset/reset-form?reset_token=${"a".repeat(43)}`;

test.each(["light", "dark"] as const)(
  "a colour fills the button that most readers need; that of a drastic action is outlined (%s)",
  async (colorScheme) => {
    const reader = await chromium.open({ viewport: { width: 600, height: 800 }, colorScheme });
    const to = { name: "Anna", address: "anna@office.example" };
    const buttonsOf = async (template: MailTemplate, locale: string) => {
      const { html } = await renderMail(mailConfig, { id: "m1", to, locale, template, occasion: OCCASION });
      await reader.page.setContent(html.replace(/src="cid:[^"]*"/, ""));
      expect(await findViolations(reader.page, "all")).toEqual([]);
      return reader.page.evaluate(() =>
        [...document.querySelectorAll(".m-button a")].map((link) => {
          const { backgroundColor, borderTopStyle } = getComputedStyle(link);
          return [link.getAttribute("href"), backgroundColor, borderTopStyle];
        }),
      );
    };
    const green = colorScheme === "light" ? "rgb(15, 92, 77)" : "rgb(95, 195, 168)";
    const none = "rgba(0, 0, 0, 0)";
    for (const locale of ["de", "en"]) {
      const removal = { name: "mfa-reset", url: RESET_URL, stopUrl: STOP_URL, worksFrom: AT } as const;
      expect(await buttonsOf(removal, locale)).toEqual([
        [STOP_URL, green, "solid"],
        [RESET_URL, none, "solid"],
      ]);
      expect(await buttonsOf({ name: "new-browser" }, locale)).toEqual([[OCCASION.notMeUrl, none, "solid"]]);
    }
    await reader.close();
  },
);
