import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { cancelFirstDialog, plugInPasskeys, type VirtualPasskeys } from "./support/factors.ts";
import { openVisit, pageSetupOfFile, type Visit } from "./support/page-setup.ts";
import { alertOf, signInAt } from "./support/pages.ts";
import { addDevice } from "./support/passkeys.ts";
import { goesTo, keyPage, opensSettings, settingsPages } from "./support/settings-pages.ts";

const REGISTER = "/manage/mfa/register-passkey";
let visit: Visit;
let device: VirtualPasskeys;

const setup = await pageSetupOfFile();
beforeEach(async () => {
  visit = await openVisit(setup, {});
  device = await plugInPasskeys(visit.anna);
});
afterEach(() => visit.anna.close());

const keysOfAnna = () => listWebauthnCredentials(setup.installation.server.context.store, visit.user.id);
const start = () => visit.anna.page.getByRole("button", { name: visit.anna.t("webauthn.passkey.start"), exact: true });
const later = () => visit.anna.page.getByRole("button", { name: visit.anna.t("passkeyOffer.later"), exact: true });

/** Records the signals to the password manager, which Chromium does not keep for virtual authenticators. */
async function recordSignals(): Promise<() => Promise<unknown>> {
  await visit.anna.page.addInitScript(() => {
    const record = (name: string) => async (options: unknown) => {
      const calls = JSON.parse(sessionStorage.getItem("signals") ?? "[]");
      sessionStorage.setItem("signals", JSON.stringify([...calls, [name, options]]));
    };
    for (const name of ["signalUnknownCredential", "signalAllAcceptedCredentials"]) {
      Object.defineProperty(PublicKeyCredential, name, { value: record(name), configurable: true });
    }
  });
  return () => visit.anna.page.evaluate(() => JSON.parse(sessionStorage.getItem("signals") ?? "[]"));
}

describe("a passkey in the settings", () => {
  // Proves requirement 255.
  it("is registered by a press alone, named, renamed, and removed with a signal to the password manager", async () => {
    const signals = await recordSignals();
    await opensSettings(visit, REGISTER);
    await start().waitFor();
    expect(await device.read()).toEqual([]);
    await start().click();
    const { key, banner } = settingsPages(visit.anna);
    const name = visit.anna.page.getByLabel(visit.anna.t("managePasskey.one.name"), { exact: true });
    await name.waitFor();
    await expect.poll(() => banner.textContent()).toContain("Your passkey has been set up.");
    expect(await device.read()).toMatchObject([{ isResidentCredential: true }]);
    const [passkey] = await keysOfAnna();
    expect(passkey).toMatchObject({ isPasskey: true });
    await name.fill("Laptop");
    await key.saveName.click();
    await visit.anna.page.waitForURL(/\/manage\/mfa(\?|$)/);
    expect(await keysOfAnna()).toMatchObject([{ name: "Laptop" }]);
    await goesTo(visit, `${await keyPage(setup.installation, visit.user)}/remove`);
    await visit.anna.page.getByRole("button", { name: visit.anna.t("managePasskey.remove.submit") }).click();
    await expect.poll(() => banner.textContent()).toContain("Your passkey has been removed.");
    expect(await keysOfAnna()).toEqual([]);
    const userId = Buffer.from(visit.user.id).toString("base64url");
    const accepted = { rpId: "localhost", userId, allAcceptedCredentialIds: [] };
    const unknown = ["signalUnknownCredential", { rpId: "localhost", credentialId: passkey?.id }];
    await expect.poll(signals).toEqual(expect.arrayContaining([unknown, ["signalAllAcceptedCredentials", accepted]]));
  });

  it("that was cancelled is explained, and can be set up then", async () => {
    const { anna } = visit;
    await device.pullOut();
    const slow = await addDevice(setup.installation, anna, { isTouched: false });
    await cancelFirstDialog(anna);
    await opensSettings(visit, REGISTER);
    await start().click();
    await expect.poll(() => anna.page.locator(".key-status").textContent()).toBe(anna.t("webauthn.passkey.cancelled"));
    expect(await alertOf(anna.page).count()).toBe(0);
    expect(await keysOfAnna()).toEqual([]);
    await slow.setTouched(true);
    await anna.page.locator(".key-start:not([hidden])").click();
    await expect.poll(keysOfAnna).toMatchObject([{ isPasskey: true }]);
  });

  it("that the device has already is explained", async () => {
    await opensSettings(visit, REGISTER);
    await start().click();
    await visit.anna.page.waitForURL(/\/manage\?status=passkey-added|\/manage$/);
    await goesTo(visit, REGISTER);
    await start().click();
    await expect
      .poll(() => alertOf(visit.anna.page).textContent())
      .toContain("You already have a passkey or security key");
    expect(await keysOfAnna()).toHaveLength(1);
  });
});

describe("the offer after a sign-in", () => {
  it("sets up a passkey with one press, and the sign-in goes on", async () => {
    await signInAt(visit.anna, `${visit.own.url}/sign-in`, visit.user);
    await start().waitFor();
    expect(await device.read()).toEqual([]);
    await start().click();
    await visit.anna.page.waitForURL(`${visit.own.url}/`);
    expect(await keysOfAnna()).toMatchObject([{ isPasskey: true }]);
  });

  it("is declined with one press", async () => {
    await signInAt(visit.anna, `${visit.own.url}/sign-in`, visit.user);
    await later().click();
    await visit.anna.page.waitForURL(`${visit.own.url}/`);
    expect(await keysOfAnna()).toEqual([]);
  });

  it("is not shown on a device without an authenticator that verifies its user", async () => {
    await device.pullOut();
    await signInAt(visit.anna, `${visit.own.url}/sign-in`, visit.user);
    await visit.anna.page.waitForURL(`${visit.own.url}/`);
  });
});
