import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { alertOf, loginPage, readDetail, scriptsHaveRun } from "./support/pages.ts";
import { addDevice, noteRequests } from "./support/passkeys.ts";

let anna: BrowserUser;
let user: TestUser;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

beforeEach(async () => {
  anna = await installation.open();
  user = await installation.createUser();
});
afterEach(() => anna.close());

const button = () => anna.page.getByRole("button", { name: anna.t("login.passkey.submit") });
const status = () => anna.page.locator("passkey-sign-in [aria-live]");
const opens = (query = "") => anna.page.goto(`${clientApp.url}/sign-in${query}`);

const arrivesWith = async (amr: string[]) => {
  await anna.page.waitForURL(`${clientApp.url}/`);
  expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id, amr });
};

describe("without conditional mediation", () => {
  it.each([
    ["internal", { backupEligibility: false, backupState: false }, ["hwk", "user", "mfa"]],
    ["internal", { backupEligibility: true, backupState: true }, ["swk", "user", "mfa"]],
    ["usb", undefined, ["hwk", "user", "mfa"]],
  ] as const)("one click and one touch sign in: %s %j", async (transport, synced, amr) => {
    await noteRequests(anna, { offersAtField: false });
    await giveTotp(installation.server, user);
    const device = await addDevice(installation, anna, { transport });
    await device.give(user, synced);
    await opens();
    await button().click();
    await arrivesWith([...amr]);
  });

  it("nothing is asked of the browser before the button is pressed, nor after a wrong password", async () => {
    const requests = await noteRequests(anna, { offersAtField: false });
    const device = await addDevice(installation, anna);
    await device.give(user);
    await opens();
    await button().waitFor();
    expect(await requests.mediations()).toEqual([]);
    await loginPage(anna).signIn({ username: user.username, password: "Wrong-Window-27-Oak" });
    await alertOf(anna.page).waitFor();
    await button().waitFor();
    await scriptsHaveRun(anna);
    expect(await requests.mediations()).toEqual([]);
    await button().click();
    await arrivesWith(["hwk", "user", "mfa"]);
  });

  it.each([
    ["without a passkey", true],
    ["without user verification", false],
  ])("a device %s has none", async (_what, verifiesUser) => {
    await noteRequests(anna, { offersAtField: false });
    const device = await addDevice(installation, anna, { transport: "usb", verifiesUser });
    if (!verifiesUser) await device.give(user);
    await opens();
    await button().click();
    await expect.poll(() => status().textContent()).toBe(anna.t("login.passkey.none"));
    expect(await alertOf(anna.page).count()).toBe(0);
  });

  it("a closed dialog is no error, and the button works again", async () => {
    await noteRequests(anna, { offersAtField: false });
    await anna.page.addInitScript(() => {
      const { credentials } = navigator;
      const get = credentials.get.bind(credentials);
      credentials.get = () => {
        credentials.get = get;
        return new Promise((_resolve, reject) => {
          addEventListener("close-dialog", () => reject(new DOMException("", "NotAllowedError")), { once: true });
        });
      };
    });
    const device = await addDevice(installation, anna);
    await device.give(user);
    await anna.page.clock.install();
    await opens();
    await button().click();
    await anna.page.clock.runFor(5_000);
    await anna.page.evaluate(() => dispatchEvent(new Event("close-dialog")));
    await expect.poll(() => status().textContent()).toBe(anna.t("login.passkey.cancelled"));
    expect(await alertOf(anna.page).count()).toBe(0);
    await button().click();
    await arrivesWith(["hwk", "user", "mfa"]);
  });

  it.each(["NotSupportedError", "SecurityError"])("a browser that cannot says so: %s", async (name) => {
    await noteRequests(anna, { offersAtField: false });
    await anna.page.addInitScript((error) => {
      navigator.credentials.get = async () => {
        throw new DOMException("", error);
      };
    }, name);
    await opens();
    await button().click();
    await expect.poll(() => status().textContent()).toBe(anna.t("login.passkey.unsupported"));
  });

  it("a removed passkey is refused on a page that can be used again", async () => {
    await noteRequests(anna, { offersAtField: false });
    const device = await addDevice(installation, anna);
    await device.give(user);
    const { store } = installation.server.context;
    await store.q.delete(store.t.webauthnCredentials);
    await opens();
    await button().click();
    await expect.poll(() => alertOf(anna.page).textContent()).toContain(anna.t("login.error.passkey"));
    await loginPage(anna).signIn(user);
    // The device can keep a passkey, and the user has none any more.
    await anna.page.getByRole("button", { name: anna.t("passkeyOffer.later") }).click();
    await arrivesWith(["pwd"]);
  });
});

describe("with conditional mediation", () => {
  it("the browser offers passkeys at the field: choosing one signs in, without a press of our button", async () => {
    await noteRequests(anna, { offersAtField: true });
    await giveTotp(installation.server, user);
    const device = await addDevice(installation, anna);
    await device.give(user);
    await opens();
    await arrivesWith(["hwk", "user", "mfa"]);
  });

  it("the button replaces the offer", async () => {
    const requests = await noteRequests(anna, { offersAtField: true });
    const device = await addDevice(installation, anna, { isTouched: false });
    await device.give(user);
    await opens();
    await expect.poll(() => requests.mediations()).toEqual(["conditional"]);
    await device.setTouched(true);
    await button().click();
    await arrivesWith(["hwk", "user", "mfa"]);
  });

  it("no offer is made on a page with an error, nor where the user name is remembered", async () => {
    const requests = await noteRequests(anna, { offersAtField: true });
    await opens();
    await expect.poll(() => requests.mediations()).toEqual(["conditional"]);
    await loginPage(anna).signIn({ username: user.username, password: "Wrong-Window-27-Oak" });
    await alertOf(anna.page).waitFor();
    await button().waitFor();
    await scriptsHaveRun(anna);
    expect(await requests.mediations()).toEqual([]);
    await loginPage(anna).signIn(user);
    await arrivesWith(["pwd"]);
    await opens("?prompt=login");
    await button().waitFor();
    await scriptsHaveRun(anna);
    expect(await requests.mediations()).toEqual([]);
  });
});

it("without JavaScript the page has neither the button nor its heading", async () => {
  const plain = await installation.open({ javaScript: false });
  await plain.page.goto(`${clientApp.url}/sign-in`);
  expect(await plain.page.getByText(plain.t("login.passkey.submit")).count()).toBe(0);
  expect(await plain.page.getByText(plain.t("login.passkey.heading")).count()).toBe(0);
  await loginPage(plain).signIn(user);
  await plain.page.waitForURL(`${clientApp.url}/`);
  await plain.close();
});

it("a browser without WebAuthn gets no button", async () => {
  await anna.page.addInitScript(() => Object.assign(window, { PublicKeyCredential: undefined }));
  await opens();
  await scriptsHaveRun(anna);
  expect(await button().count()).toBe(0);
});
