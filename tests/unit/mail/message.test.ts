import { describe, expect, it } from "vitest";
import type { Language } from "#app/i18n/language.ts";
import { type MailConfig, renderMail } from "#app/mail/message.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import { mailConfig } from "#tests/unit/domain/fixtures.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36";
const LINK = "https://login.office.example/password-reset/reset-form?reset_token=abc";
const at = new Date("2026-03-02T08:00:00.000Z");
const occasion = {
  username: "anna.berg",
  at,
  until: new Date("2026-03-02T09:00:00.000Z"),
  from: { userAgent: CHROME, address: "192.0.2.1" },
  application: null,
  notMeUrl: null,
};

async function mailOf(
  template: MailTemplate,
  more: { locale?: string | null; name?: string; config?: Partial<MailConfig> } = {},
) {
  const { locale = "en", name = "Anna Berg", config = {} } = more;
  const to = { name, address: "anna@office.example" };
  return renderMail({ ...mailConfig, ...config }, { id: "m1", to, locale, template, occasion });
}

/** One template of each kind. */
const TEMPLATES: readonly MailTemplate[] = [
  { name: "password-reset", url: LINK },
  { name: "invitation", url: LINK },
  { name: "password-changed" },
  { name: "username-changed", old: "anna", new: "anna.berg" },
  { name: "email-change", url: LINK },
  { name: "email-change-refused" },
  { name: "email-changed", url: LINK, until: at },
  { name: "email-replaced" },
  { name: "factor-added", factor: "totp" },
  { name: "factor-removed", factor: "security key" },
  { name: "factor-refused" },
  { name: "mfa-reset", url: LINK, worksFrom: at, stopUrl: `${LINK}&stop` },
  { name: "mfa-reset-done" },
  { name: "recovery-code-used", left: 1 },
  { name: "recovery-codes-made" },
  { name: "provider-connected", provider: "Google", account: "anna@google.example" },
  { name: "provider-disconnected", provider: "Google" },
  { name: "new-browser" },
  { name: "new-browsers", until: at },
  { name: "test", host: "smtp.office.example" },
];

describe("a mail with a link", () => {
  it("says in English what it is for, how long it is good, and who sends it", async () => {
    expect((await mailOf({ name: "password-reset", url: LINK })).text).toBe(
      [
        "Hello Anna Berg,",
        "A new password was requested for the account anna.berg. Open this link within 60 minutes:",
        LINK,
        "If you did not ask for this, you can ignore this e-mail. Your password stays as it is.",
        "Kind regards\nGatehouse",
        "-- \nThis e-mail was sent automatically. Please do not reply.\nImprint: https://office.example/imprint\n",
      ].join("\n\n"),
    );
  });

  it("says it in German", async () => {
    const { subject, text } = await mailOf({ name: "password-reset", url: LINK }, { locale: "de-AT" });
    expect(subject).toBe("Passwort zurücksetzen");
    expect(text).toContain("Guten Tag Anna Berg,");
    expect(text).toContain("Öffnen Sie innerhalb von 60 Minuten diesen Link:");
    expect(text).toContain("Impressum: https://office.example/imprint");
    expect(text).toContain("können Sie diese E-Mail ignorieren.");
  });

  it("has one button in its HTML, and loads nothing", async () => {
    const { html } = await mailOf({ name: "password-reset", url: LINK });
    expect(html.match(/display:inline-block/g)).toHaveLength(1);
    expect(html).toMatch(new RegExp(`<a href="${LINK.replace("?", "\\?")}" style="[^"]+">Set a new password</a>`));
    expect(html).not.toMatch(/<(script|link|iframe)\b|url\(|@import|src="(?!cid:)/);
  });

  it("shows the address of its button as text too", async () => {
    const { html } = await mailOf({ name: "password-reset", url: LINK }, { locale: "de" });
    expect(html).toMatch(new RegExp(`Öffnen Sie diese Adresse:<br/><a [^>]+>${LINK.replace("?", "\\?")}</a>`));
  });

  it("is never written with a link that leads elsewhere", async () => {
    for (const url of [
      "https://evil.example/reset?x",
      "//evil.example/",
      "https://login.office.example.evil.example/",
    ]) {
      await expect(mailOf({ name: "password-reset", url })).rejects.toThrow();
    }
  });

  it.each([
    {
      locale: "en",
      subject: "Reset your second factors",
      stop: "Stop the reset",
      reset: "Reset second factors",
      window: "Valid from: 2 March 2026 at 09:00\nValid until: 2 March 2026 at 10:00",
      time: "Time: Monday, 2 March 2026 at 09:00\nBrowser: Chrome on Windows\nIP address: 192.0.2.1\n",
    },
    {
      locale: "de",
      subject: "Zweite Faktoren zurücksetzen",
      stop: "Zurücksetzen stoppen",
      reset: "Zweite Faktoren zurücksetzen",
      window: "Gilt ab: 2. März 2026 um 09:00\nGilt bis: 2. März 2026 um 10:00",
      time: "Zeitpunkt: Montag, 2. März 2026 um 09:00\nBrowser: Chrome unter Windows\nIP-Adresse: 192.0.2.1\n",
    },
  ])("that removes factors later names the request, and stops it first ($locale)", async (expected) => {
    const stopUrl = `${LINK}&stop=1`;
    const template = { name: "mfa-reset", url: LINK, worksFrom: at, stopUrl } as const;
    const { subject, text, html } = await mailOf(template, { locale: expected.locale });
    expect(subject).toBe(expected.subject);
    expect(text).toContain(expected.time);
    expect(text).toMatch(
      new RegExp(
        `${expected.stop}: .+\\n${escaped(stopUrl)}\\n\\n${expected.window}\\n\\n${expected.reset}: .+\\n${escaped(LINK)}\\n`,
      ),
    );
    const buttons = html.matchAll(/class="m-button m-(\w+)"[^>]*><a href="([^"]+)"[^>]*>([^<]+)</g);
    expect([...buttons].map(([, look, href, label]) => [look, href?.replace("&amp;", "&"), label])).toEqual([
      ["filled", stopUrl, expected.stop],
      ["outlined", LINK, expected.reset],
    ]);
    const hint = html.slice(html.lastIndexOf('<p class="m-muted m-line"'));
    expect(hint).toMatch(new RegExp(`${expected.stop}: <a .+${expected.reset}: <a `));
  });
});

function escaped(url: string): string {
  return url.replaceAll("?", "\\?");
}

describe("a notice", () => {
  it("says when, in the office's time, from which browser and where, and what to do", async () => {
    const { subject, text } = await mailOf({ name: "new-browser" }, { config: { supportContact: "IT, 040 555 01" } });
    expect(subject).toBe("New sign-in to your account");
    expect(text).toContain(
      "Time: Monday, 2 March 2026 at 09:00\nBrowser: Chrome on Windows\nIP address: 192.0.2.1\nAccount: anna.berg",
    );
    expect(text).toContain("contact your administrator immediately.\n\nIT, 040 555 01\n");
  });

  it("has a button for a user who did not do it", async () => {
    const notMeUrl = "https://login.office.example/login/not-me?not_me_token=abc";
    const to = { name: "Anna", address: "anna@office.example" };
    const template = { name: "password-changed" } as const;
    const mail = await renderMail(mailConfig, {
      ...{ id: "m", to, locale: "de", template },
      occasion: { ...occasion, notMeUrl },
    });
    expect(mail.text).toContain(
      "\n\nWaren Sie das? Dann ist nichts zu tun.\n\nNein, das war ich nicht: Damit beenden Sie alle",
    );
    expect(mail.text).toContain(` Passwort.\n${notMeUrl}\n`);
    expect(mail.html).toContain('<strong style="font-weight:600">Waren Sie das?</strong> Dann ist nichts zu\u00a0tun.');
    expect(mail.html).toContain("Damit beenden Sie alle Sitzungen und wählen ein neues Passwort.</p>");
    expect(mail.html).toMatch(
      /class="m-button m-outlined"[^>]*><a href="[^"]+not_me_token=abc" style="[^"]+">Nein, das war ich nicht<\/a>/,
    );
    expect(mail.text).not.toContain("Administration");
  });

  it("names the application that the user was signing in to", async () => {
    const to = { name: "Anna", address: "anna@office.example" };
    const template = { name: "new-browser" } as const;
    const application = "Portal <b>";
    const mail = await renderMail(mailConfig, {
      ...{ id: "m", to, locale: "de", template },
      occasion: { ...occasion, application },
    });
    expect(mail.text).toContain("\nIP-Adresse: 192.0.2.1\nAnwendung: Portal <b>\nKonto: anna.berg\n");
    expect(mail.html).toMatch(/<th [^>]+>Anwendung<\/th><td [^>]+>Portal &lt;b&gt;<\/td>/);
  });

  it("shows browser and time beside its subject in a list of mails", async () => {
    const { html, text } = await mailOf({ name: "new-browser" }, { locale: "de" });
    const preheader = "Chrome unter Windows, 2.\u00a0März 2026 um 09:00. Waren Sie das?";
    expect(html).toContain(`<div style="display:none;max-height:0;overflow:hidden">${preheader}</div>`);
    expect(text).not.toContain("09:00. Waren");
  });

  it("repeats nothing of what a browser says about itself", async () => {
    const from = { userAgent: "Call +49 190 555 now http://evil.example", address: "192.0.2.1" };
    const to = { name: "Anna", address: "anna@office.example" };
    const template = { name: "new-browser" } as const;
    const mail = await renderMail(mailConfig, { id: "m", to, locale: "de", template, occasion: { ...occasion, from } });
    expect(`${mail.text}${mail.html}`).not.toMatch(/evil|190/);
    expect(mail.text).toContain("Browser: unbekannt");
  });

  it.each([
    { left: 0, sentence: "No code is left. Create new ones in the login settings." },
    { left: 1, sentence: "1 code is left." },
    { left: 9, sentence: "9 codes are left." },
  ])("counts the $left recovery codes that are left", async ({ left, sentence }) => {
    const { text } = await mailOf({ name: "recovery-code-used", left });
    expect(text).toContain(sentence);
  });
});

describe.each(TEMPLATES.map((template) => ({ template })))("the mail $template.name", ({ template }) => {
  it("is complete in both languages, and different", async () => {
    const [english, german] = [await mailOf(template), await mailOf(template, { locale: "de" })];
    for (const { subject, text, html } of [english, german]) {
      expect(`${subject}${text}${html}`).not.toMatch(/mail\.[a-z]|\{\{|\}\}|undefined|null|\[object/);
      expect(text.split("\n\n").length).toBeGreaterThan(3);
    }
    expect(english.subject).not.toBe(german.subject);
    expect(german.html).toContain('<html lang="de">');
  });

  it("treats every name as text", async () => {
    const name = `<img src=x>"'&$t(closing) {{product}}`;
    const { text, html, to } = await mailOf(template, { name });
    expect(text).toContain(`Hello ${name},`);
    expect(html).toContain("&lt;img src=x&gt;&quot;&#x27;&amp;$t(closing) {{product}}");
    expect(html).not.toContain("<img src=x");
    expect(to.name).toBe(name);
  });
});

describe("a display name", () => {
  // Proves requirement 71.
  it.each([
    "Click https://evil.example/now",
    "Your prize: evil.example",
    "Win at www.evil.example today",
    "Win at evil。example today",
    "Ask help@evil",
    "Call 0900 123 456",
    "Your account was locked after an attack and has to be unlocked",
  ])("that could be a message is in no greeting and no header: %s", async (name) => {
    for (const template of TEMPLATES) {
      const german = await mailOf(template, { name, locale: "de" });
      const english = await mailOf(template, { name });
      expect(german.text).toMatch(/^Guten Tag,\n/);
      expect(english.text).toMatch(/^Hello,\n/);
      for (const { text, html, to } of [german, english]) {
        expect(`${text}${html}`).not.toContain(name);
        expect(to).toEqual({ name: "", address: "anna@office.example" });
      }
    }
  });

  it.each(["Dr. med. Anna Berg-Müller", "Makler Berg e.K.", "Büro 24 (Anna & Max)", "안나"])(
    "that is one is greeted: %s",
    async (name) => {
      const { text, to } = await mailOf({ name: "password-changed" }, { name });
      expect([text, to.name]).toEqual([expect.stringContaining(`Hello ${name},`), name]);
    },
  );
});

describe("the office's brand", () => {
  const accent = {
    light: { brand: "#1d4f91", hover: "#000001", onBrand: "#fffffe" },
    dark: { brand: "#8fb2e5", hover: "#000002", onBrand: "#101713" },
  };
  const logo = { type: "image/png", content: Buffer.from(""), hash: "" } as const;
  const reset = { name: "password-reset", url: LINK } as const;

  it("replaces the green in the light and the dark version", async () => {
    const { html } = await mailOf(reset, { config: { accent } });
    expect(html).not.toMatch(/#0f5c4d|#5fc3a8/i);
    expect(html.match(/#1d4f91/g)?.length).toBeGreaterThan(2);
    const dark = /prefers-color-scheme: dark\) \{[\s\S]+<\/style>/.exec(html)?.[0];
    expect(dark).toContain(
      "background: #8fb2e5 !important; border-color: #8fb2e5 !important; color: #101713 !important",
    );
  });

  it("shows a PNG logo; the product's mark only without logo and colour", async () => {
    const hasImage = async (config: Partial<MailConfig>) =>
      (await mailOf(reset, { config })).html.includes('<img src="cid:mark@gatehouse" height="28" alt=""');
    expect(await hasImage({})).toBe(true);
    expect(await hasImage({ logo, accent })).toBe(true);
    expect(await hasImage({ accent })).toBe(false);
    expect(await hasImage({ logo: { ...logo, type: "image/svg+xml" } })).toBe(false);
  });
});

describe("the sender", () => {
  it("is MAIL_FROM, under the product's name unless it has its own", async () => {
    const template = { name: "password-changed" } as const;
    expect((await mailOf(template)).from).toEqual({ name: "Gatehouse", address: "no-reply@office.example" });
    const own = await mailOf(template, { config: { mailFrom: "Office <sign-in@office.example>" } });
    expect(own.from).toEqual({ name: "Office", address: "sign-in@office.example" });
  });

  it("is in DEFAULT_LANGUAGE for people without a language of ours", async () => {
    for (const locale of [null, "", "fr", "dex"]) {
      const subjectIn = async (defaultLanguage: Language) =>
        (await mailOf({ name: "password-changed" }, { locale, config: { defaultLanguage } })).subject;
      expect(await subjectIn("en")).toBe("Your password was changed");
      expect(await subjectIn("de")).toBe("Ihr Passwort wurde geändert");
    }
  });
});
