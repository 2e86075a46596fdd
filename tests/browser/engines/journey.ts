import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES, type Language } from "#app/i18n/language.ts";
import { type ClientApp, openClientApp } from "#tests/browser/support/installation.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { giveTotp, type TestApp } from "#tests/support/factors.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { type Texts, textsIn } from "../support/texts.ts";
import type { Engine, RunningBrowser } from "./engine.ts";

/** Viewport widths: a desktop monitor and a small phone. */
const WIDTHS: Record<Language, number> = { en: 1280, de: 360 };

/** The size of an icon without explicit dimensions depends on the engine. */
const HIGHEST_ICON = `Math.max(...[...document.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect().height))`;

/** Tests the flow through every kind of page in a browser that is not based on Chromium. */
export function describeJourney<Running extends RunningBrowser>(engine: Engine<Running>): void {
  const { name, start, lookBack = async () => undefined } = engine;
  describe(`in ${name}`, () => {
    let server: TestServer;
    let clientApp: Awaited<ReturnType<typeof openClientApp>>;

    beforeAll(async () => {
      server = await startServer({ now: "running" });
      clientApp = await openClientApp(server);
    });
    afterAll(async () => {
      await clientApp.close();
      await server.close();
    });

    describe.each(LANGUAGES)("(%s), a user", (language) => {
      const t = textsIn(language);
      let browser: Running;
      let user: TestUser;
      let app: TestApp;

      beforeAll(async () => {
        browser = await start({ language, width: WIDTHS[language] });
        user = await server.users.create();
        app = await giveTotp(server, user);
      });
      afterAll(() => browser.close());

      const fits = async () => {
        // Without its style sheet, a page has another layout.
        await expect.poll(() => browser.evaluate("document.readyState")).toBe("complete");
        expect(await browser.evaluate("innerWidth")).toBe(WIDTHS[language]);
        expect(await browser.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(WIDTHS[language]);
        expect(await browser.evaluate(HIGHEST_ICON)).toBeLessThanOrEqual(48);
      };

      it("signs in with password and code, in her language, on pages that fit her screen", async () => {
        await browser.goto(clientApp.url);
        await browser.link("Sign in").click();
        await browser.button(t("login.submit")).waitFor();
        expect(await browser.part("html").attribute("lang")).toBe(language);
        expect(await browser.part("header").text()).toContain("Broker Desk");
        await fits();
        await givePassword(browser, t, user);
        await browser.field(t("field.code.label")).waitFor();
        await fits();
        await giveCode(browser, t, app);
        await browser.button(t("consent.allow")).waitFor();
        await fits();
      });

      it("consents, and the application gets who she is and how she showed it", async () => {
        expect(await browser.part("main").text()).toContain(t("consent.heading", { client: "Broker Desk" }));
        await browser.button(t("consent.allow")).click();
        const claims = JSON.parse(await browser.part("#claims").text());
        expect(claims).toMatchObject({ iss: server.url, aud: clientApp.clientId, sub: user.id });
        expect(claims.amr).toContain("otp");
      });

      it("changes her password on a hydrated page", async () => {
        await browser.goto(`${server.url}/manage/open?to=/manage/credentials/password`);
        await browser.part("new-password:defined").waitFor();
        await fits();
        await browser.field(t("field.currentPassword.label")).fill(user.password);
        // The script disables the button until the input meets the rules.
        await browser.part("main button[type=submit][aria-disabled=true]").waitFor();
        await browser.field(t("field.newPassword.label")).fill(NEW_PASSWORD);
        await browser.field(t("field.newPasswordRepeat.label")).fill(NEW_PASSWORD);
        await browser.part("main button[type=submit]:not([aria-disabled=true])").waitFor();
        await browser.button(t("managePassword.submit")).click();
        const banner = await browser.part('[data-code="password-success"]').text();
        expect(banner).toContain(t("manage.banner.password-success"));
      });

      it("signs out at the application and the provider; the sign-in form is shown again, with the user name", async () => {
        await browser.goto(clientApp.url);
        await browser.link("Sign out").click();
        await browser.heading("You have left the desk").waitFor();
        await browser.goto(`${clientApp.url}/sign-in`);
        expect(await browser.field(t("field.usernameOrEmail.label")).value()).toBe(user.username);
        await lookBack(browser, server);
      });
    });

    it("a user signs in with JavaScript disabled", () => signsInUnscripted(engine, server, clientApp));
  });
}

async function signsInUnscripted(
  { start }: Pick<Engine, "start">,
  server: TestServer,
  clientApp: ClientApp,
): Promise<void> {
  const t = textsIn("en");
  const user = await server.users.create();
  const app = await giveTotp(server, user);
  const browser = await start({ language: "en", javaScript: false });
  try {
    await browser.goto(`${clientApp.url}/sign-in`);
    await givePassword(browser, t, user);
    await giveCode(browser, t, app);
    await browser.button(t("consent.allow")).click();
    expect(JSON.parse(await browser.part("#claims").text())).toMatchObject({ sub: user.id });
  } finally {
    await browser.close();
  }
}

export async function givePassword(browser: RunningBrowser, t: Texts, user: TestUser): Promise<void> {
  await browser.field(t("field.usernameOrEmail.label")).fill(user.username);
  await browser.field(t("field.password.label")).fill(user.password);
  await browser.button(t("login.submit")).click();
}

async function giveCode(browser: RunningBrowser, t: Texts, app: TestApp): Promise<void> {
  await browser.field(t("field.code.label")).fill(await app.code());
  await browser.button(t("mfaLogin.totp.submit")).click();
}
