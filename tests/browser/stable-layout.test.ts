import type { Locator, Page } from "playwright";
import { afterEach, describe, expect, it } from "vitest";
import { giveKey, giveTotp } from "#tests/support/factors.ts";
import { goToSecondFactor, stepPage, wrongCode } from "./support/factors.ts";
import { openVisit, pageSetupOfFile, type Visit } from "./support/page-setup.ts";
import { alertOf, loginPage, scriptsHaveRun } from "./support/pages.ts";
import { actionOn } from "./support/settings.ts";
import { opensSettings, settingsPages } from "./support/settings-pages.ts";
import { STATES } from "./support/states.ts";

let visit: Visit;

const setup = await pageSetupOfFile();
afterEach(() => visit.anna.close());

/** Opens a browser with Caps Lock on and a fake clock. Its script reports what a press moves. */
async function openBrowser(): Promise<Visit> {
  visit = await openVisit(setup, { language: "de", expected: [/status of 4\d\d/] });
  await visit.anna.context.addInitScript(() => {
    for (const { prototype } of [KeyboardEvent, MouseEvent]) {
      prototype.getModifierState = (key) => key === "CapsLock";
    }
  });
  await visit.anna.page.clock.install();
  return visit;
}

/** Returns the text and the position of everything that a user can press or read at a glance. */
function positions(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("h1, h2, a, button, input, label, footer")].map((element) => {
      const { x, y } = element.getBoundingClientRect();
      return `${element.tagName} ${element.id || element.className}: ${Math.round(x)}, ${Math.round(y + scrollY)}`;
    }),
  );
}

/**
 * Presses the mouse button on an element, waits for `during`, by default a minute of the page's time, and releases it.
 * Returns what moved meanwhile, and whether the element was clicked. The click has no other effect.
 */
async function press(page: Page, target: Locator, during: () => Promise<unknown> = () => page.clock.runFor(60_000)) {
  await target.evaluate((element) => {
    const note = (event: Event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      element.toggleAttribute("data-clicked", event.composedPath().includes(element));
    };
    addEventListener("click", note, { capture: true, once: true });
  });
  await target.hover();
  const before = await positions(page);
  await page.mouse.down();
  await during();
  const held = await positions(page);
  await page.mouse.up();
  await page.clock.runFor(100);
  const isClicked = await target.evaluate((element) => element.hasAttribute("data-clicked"));
  return { moved: held.filter((line) => !before.includes(line)), isClicked };
}

const STABLE = { moved: [], isClicked: true };

/** Pages with a form that has live parts. */
const FORMS = [
  "sign-in",
  "new password",
  "new password, rules not met",
  "settings, password",
  "settings, user name",
  "settings, confirmation of the user by the password",
  "settings, an app is set up",
  "settings, a key is named",
  "second factor, app",
  "second factor, recovery code",
  "set-up of an app",
].map((name) => {
  const state = STATES.find((one) => one.name === name);
  if (!state) throw new Error(`There is no state ${name}`);
  return state;
});

describe("between press and release nothing moves", () => {
  it.each(FORMS)("on the page $name, whichever field has the focus", async ({ reach }) => {
    const { anna } = await openBrowser();
    await reach(visit);
    await scriptsHaveRun(anna);
    const { page } = anna;
    const fields = await page.locator("main .input").all();
    // A banner ends meanwhile, with its button.
    const buttons = page.locator("main :is(button:not(.close), a.button)").filter({ visible: true });
    for (const field of fields) {
      for (const button of await buttons.all()) {
        await field.click();
        await page.keyboard.type("a");
        expect.soft(await press(page, button), await button.innerText()).toEqual(STABLE);
      }
    }
  });

  it("when a field is pressed while Caps Lock is on", async () => {
    const { anna, clientApp } = await openBrowser();
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await scriptsHaveRun(anna);
    await loginPage(anna).username.focus();
    expect(await press(anna.page, loginPage(anna).password)).toEqual(STABLE);
    await anna.page.getByText(anna.t("field.capsLock")).waitFor();
  });

  it("when the response to a wrong code arrives", async () => {
    const { anna, clientApp, user, installation } = await openBrowser();
    const app = await giveTotp(installation.server, user);
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    let respond = () => {};
    const isPressed = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await anna.page.route("**/mfa/verify-totp", async (route) => {
      await isPressed;
      await route.continue();
    });
    await stepPage(anna).enter(await wrongCode(app));
    const response = anna.page.waitForResponse("**/mfa/verify-totp");
    const during = async () => {
      respond();
      await (await response).finished();
    };
    const lost = anna.page.getByRole("link", { name: anna.t("mfaReset.lost.link") });
    expect(await press(anna.page, lost, during)).toEqual(STABLE);
    await alertOf(anna.page).getByText(anna.t("mfaLogin.error.codeInvalid")).waitFor();
  });

  it("when a security key was refused", async () => {
    const { anna, clientApp, user, installation } = await openBrowser();
    await giveKey(installation.server, user);
    await giveTotp(installation.server, user);
    await anna.page.addInitScript(() => {
      navigator.credentials.get = () =>
        new Promise((_, reject) => {
          addEventListener("refuse", () => reject(new DOMException("", "NotAllowedError")));
          document.body.toggleAttribute("data-asked", true);
        });
    });
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    await stepPage(anna).choose.key.click();
    await anna.page.locator("[data-asked]").waitFor({ state: "attached" });
    const during = () => anna.page.evaluate(() => dispatchEvent(new Event("refuse")));
    expect(await press(anna.page, stepPage(anna).cancel, during)).toEqual(STABLE);
    await stepPage(anna).key.retry.waitFor();
  });

  it("when a banner ends", async () => {
    const { anna } = await openBrowser();
    await opensSettings(visit, "/manage?status=password-success");
    await scriptsHaveRun(anna);
    const link = anna.page.getByRole("link", { name: actionOn(anna, "change", anna.t("manage.credentials.username")) });
    expect(await press(anna.page, link)).toEqual(STABLE);
    expect(await settingsPages(anna).banner.count()).toBe(0);
  });

  it("when the button that copied a text shows its label again", async () => {
    const { anna } = await openBrowser();
    await anna.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await opensSettings(visit, "/manage/mfa/register-totp");
    await anna.page.getByRole("button", { name: anna.t("manageTotp.secret.copy") }).click();
    await anna.page.getByRole("button", { name: anna.t("manageTotp.secret.copied") }).waitFor();
    expect(await press(anna.page, anna.page.locator(".app-link-last"))).toEqual(STABLE);
    await anna.page.getByRole("button", { name: anna.t("manageTotp.secret.copy") }).waitFor();
  });

  it("when a form that got no response can be sent again", async () => {
    const { anna, clientApp } = await openBrowser();
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await scriptsHaveRun(anna);
    // A label of three lines while the form is being sent
    await loginPage(anna).submit.evaluate((button) => button.setAttribute("data-busy-label", "warten ".repeat(20)));
    // A response without content (204) leaves the page unchanged.
    await anna.page.route("**/login/native", (route) => route.fulfill({ status: 204 }));
    await loginPage(anna).submit.click();
    await anna.page.getByRole("button", { name: "warten" }).waitFor();
    expect(await press(anna.page, anna.page.getByRole("link", { name: anna.t("login.forgotPassword") }))).toEqual(
      STABLE,
    );
    await loginPage(anna).submit.waitFor();
  });
});
