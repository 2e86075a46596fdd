import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { openClientApp } from "#tests/browser/support/installation.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { textsIn } from "../support/texts.ts";
import type { RunningBrowser } from "./engine.ts";
import { type Firefox, startFirefox } from "./firefox.ts";
import { givePassword } from "./journey.ts";
import { startWebkit } from "./webkit.ts";

const REGISTER = "/manage/mfa/register-passkey";

let server: TestServer;
let clientApp: Awaited<ReturnType<typeof openClientApp>>;

beforeAll(async () => {
  server = await startServer({ now: "running" });
  clientApp = await openClientApp(server, { firstParty: true });
});
afterAll(async () => {
  await clientApp?.close();
  await server?.close();
});

const claimsIn = async (browser: RunningBrowser) => JSON.parse(await browser.part("#claims").text());

/** WebKitGTK is built without the Web Authentication API. */
const ENGINES = [
  { name: "Firefox", start: startFirefox, hasApi: true },
  { name: "WebKitGTK", start: startWebkit, hasApi: false },
];

describe.each(ENGINES)("in $name without an authenticator", ({ start, hasApi }) => {
  describe.each(LANGUAGES)("(%s)", (language) => {
    const t = textsIn(language);
    let browser: RunningBrowser;
    let user: TestUser;

    beforeAll(async () => {
      user = await server.users.create();
      browser = await start({ language });
    });
    afterAll(() => browser?.close());

    it("the sign-in page has the button only if the browser has the API", async () => {
      await browser.goto(`${clientApp.url}/sign-in`);
      await browser.part("passkey-sign-in:defined").waitFor();
      expect(await browser.evaluate("window.PublicKeyCredential !== undefined")).toBe(hasApi);
      if (hasApi) await browser.part("passkey-sign-in button[type=submit]").waitFor();
      const shown = String(await browser.evaluate("document.body.innerText"));
      expect(shown.includes(t("login.passkey.submit"))).toBe(hasApi);
    });

    it("the password signs in, and no passkey is offered", async () => {
      await givePassword(browser, t, user);
      expect(await claimsIn(browser)).toMatchObject({ sub: user.id, amr: ["pwd"] });
    });

    it("the settings have the button only if the browser has the API, and otherwise say why not", async () => {
      await browser.goto(`${server.url}/manage/open?to=${REGISTER}`);
      await browser.part("security-key:defined").waitFor();
      if (hasApi) return browser.part("security-key .key-start:not([hidden])").waitFor();
      expect(await browser.part("[role=alert]").text()).toContain(t("webauthn.passkey.notSupported"));
      expect(await browser.evaluate('document.querySelector(".key-start").hidden')).toBe(true);
    });
  });
});

describe("in Firefox with a virtual authenticator", () => {
  let firefox: Firefox;

  beforeAll(async () => {
    firefox = await startFirefox({ language: "de" });
  });
  afterAll(() => firefox?.close());

  it("a passkey is set up in the offer, and signs in with one press; before, the button finds none", async () => {
    const t = textsIn("de");
    const user = await server.users.create();
    await firefox.addDevice();
    await firefox.goto(`${clientApp.url}/sign-in`);
    const press = () => firefox.part("passkey-sign-in button[type=submit]").click();
    await press();
    const status = () => firefox.part("passkey-sign-in [aria-live]").text();
    await expect.poll(status).not.toBe("");
    expect([t("login.passkey.none"), t("login.passkey.cancelled")]).toContain(await status());
    await givePassword(firefox, t, user);
    await firefox.heading(t("passkeyOffer.heading")).waitFor();
    await firefox.part("security-key .key-start:not([hidden])").click();
    expect(await claimsIn(firefox)).toMatchObject({ sub: user.id, amr: expect.arrayContaining(["pwd", "mfa"]) });
    await firefox.goto(`${clientApp.url}/sign-in?prompt=login`);
    await press();
    // The claims of the sign-in before are shown until the browser leaves the page.
    await expect.poll(async () => (await claimsIn(firefox)).amr).toEqual(["hwk", "user", "mfa"]);
    expect(await firefox.problems(server.url)).toEqual([]);
  });
});
