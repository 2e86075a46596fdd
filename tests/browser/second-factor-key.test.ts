import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listWebauthnCredentials, removeWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveKey, giveTotp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import {
  cancelFirstDialog,
  goToSecondFactor,
  PROTOCOLS,
  plugIn,
  stepPage,
  type VirtualKey,
} from "./support/factors.ts";
import { alertOf, readDetail, seesHeading } from "./support/pages.ts";

let anna: BrowserUser;
let user: TestUser;

const installation = await installationOfFile({ env: { MFA_POLICY: "required" } });
const clientApp = await installation.openClientApp({ firstParty: true });

beforeEach(async () => {
  anna = await installation.open();
  user = await installation.createUser();
});
afterEach(() => anna.close());

const SIGNED_IN_WITH_KEY = { amr: ["pwd", "hwk", "mfa"] };

const arrives = async () => {
  await anna.page.waitForURL(`${clientApp.url}/`);
  const claims = await readDetail(anna.page, "claims");
  expect(claims).toMatchObject({ sub: user.id, ...SIGNED_IN_WITH_KEY });
};

const relyingPartyId = () => new URL(installation.server.url).hostname;

/** Registers a credential of the plugged-in key as Anna's second factor. */
async function giveKeyTo(key: VirtualKey) {
  const { credentialId, privateKey } = await giveKey(installation.server, user);
  await key.write({
    credentialId: credentialId.toString("base64"),
    rpId: relyingPartyId(),
    privateKey: encode(privateKey),
    signCount: 1,
  });
}

/** Signs Anna in for the first time and registers her security key as second factor. */
async function setKeyUp() {
  await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
  await stepPage(anna).setUp.key.click();
  await stepPage(anna).key.saveName.click();
  await stepPage(anna).recovery.later.click();
  await arrives();
}

const comesAgain = () => goToSecondFactor(anna, `${clientApp.url}/sign-in?prompt=login`, user);

/** Waits for the sentence about a cancelled or timed-out dialog, which is no error. */
const expectCancelled = async () => {
  await expect.poll(() => stepPage(anna).key.status.textContent()).toBe("The request was cancelled or timed out.");
  await stepPage(anna).key.retry.waitFor();
  // The result replaces what to do.
  expect(await stepPage(anna).key.prompt.isVisible()).toBe(false);
  expect(await alertOf(anna.page).count()).toBe(0);
  expect(await anna.page.title()).not.toContain("Error");
};

const expectAlert = async (text: string) => {
  await expect.poll(() => alertOf(anna.page).textContent()).toContain(text);
};

describe.each(PROTOCOLS)("a security key $kind", ({ options }) => {
  it("is set up during the sign-in; from then on a touch completes the second step, without a click", async () => {
    await plugIn(anna, { options });
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    await seesHeading(anna, "Set up a second factor");
    await stepPage(anna).setUp.key.click();
    await seesHeading(anna, "Your security key is set up");
    await stepPage(anna).key.saveName.click();
    await seesHeading(anna, "Recovery codes");
    await stepPage(anna).recovery.later.click();
    await arrives();
    await comesAgain();
    await arrives();
  });
});

it("one security key works for two users", async () => {
  await giveKeyTo(await plugIn(anna));
  user = await installation.createUser();
  await setKeyUp();
  await comesAgain();
  await arrives();
});

describe("a user with a security key", () => {
  let key: VirtualKey;

  beforeEach(async () => {
    key = await plugIn(anna);
    await giveKeyTo(key);
  });

  /** Removes Anna's key from the computer and returns its secret, from which it can be plugged in again. */
  const takeOut = async () => {
    const [secret] = await key.read();
    await key.pullOut();
    if (!secret) throw new Error("the key contains no credential");
    return { ...secret, rpId: relyingPartyId() };
  };

  it("who uses the wrong one can try again, and signs in with the right one", async () => {
    const secret = await takeOut();
    const other = await plugIn(anna);
    await comesAgain();
    const { start, retry } = stepPage(anna).key;
    // If the key rejects the request at once, the page looks as if the browser required a click first.
    await start.or(retry).click();
    await expectCancelled();
    await other.pullOut();
    await (await plugIn(anna)).write(secret);
    await retry.click();
    await arrives();
  });

  it("whose key signs with another secret is refused, and gets in with the right one", async () => {
    const secret = await takeOut();
    const other = await plugIn(anna);
    await other.write({ ...secret, privateKey: newPrivateKey() });
    await comesAgain();
    await expectAlert("The security key could not be checked. Please try again.");
    await other.pullOut();
    await (await plugIn(anna)).write(secret);
    await stepPage(anna).key.retry.click();
    await arrives();
  });

  it("whose key has a lower counter than before reads that it may have been copied", async () => {
    await comesAgain();
    await arrives();
    const secret = await takeOut();
    await (await plugIn(anna)).write({ ...secret, signCount: 0 });
    await comesAgain();
    await expectAlert("This security key may have been copied.");
  });

  it("whose key was removed in the meantime sees an error", async () => {
    await anna.page.route("**/mfa/verify-fido2", async (route) => {
      const [row] = await listWebauthnCredentials(installation.server.context.store, user.id);
      await removeWebauthnCredential(installation.server.context.store, { userId: user.id, id: row?.id ?? "" });
      await route.continue();
    });
    await comesAgain();
    await expectAlert("This security key does not belong to your account.");
  });

  it("who cancels the browser's dialog or does not touch the key in time sees no error, and can try again", async () => {
    await cancelFirstDialog(anna);
    await key.setTouched(false);
    await comesAgain();
    await expectCancelled();
    await key.setTouched(true);
    await stepPage(anna).key.retry.click();
    await arrives();
  });

  it("can cancel the sign-in while the key waits", async () => {
    await key.setTouched(false);
    await comesAgain();
    await anna.page.getByText("Waiting for your security key …").waitFor();
    await stepPage(anna).cancel.click();
    await anna.page.waitForURL(`${clientApp.url}/callback?**`);
    expect(await readDetail(anna.page, "error")).toBe("access_denied");
  });

  it("sees the seconds count down while the key waits, outside the text that screen readers announce", async () => {
    await key.setTouched(false);
    await comesAgain();
    const { prompt, status } = stepPage(anna).key;
    const left = async () => Number(/\d+/.exec(await prompt.innerText())?.[0]);
    await status.getByText("Waiting for your security key …").waitFor();
    const first = await left();
    await expect.poll(left).toBeLessThan(first);
    expect(await prompt.evaluate((element) => element.closest("[aria-live]"))).toBeNull();
  });

  it.each([
    ["en", "You have 2\u00a0seconds.", "You have 1\u00a0second."],
    ["de", "Sie haben 2\u00a0Sekunden Zeit.", "Sie haben 1\u00a0Sekunde Zeit."],
  ] as const)(
    "reads the last second in the singular, and then that the time is over (%s)",
    async (language, two, one) => {
      await anna.close();
      anna = await installation.open({ language });
      await (await plugIn(anna)).setTouched(false);
      await anna.page.clock.install();
      await comesAgain();
      const { prompt, status, retry } = stepPage(anna).key;
      await anna.page.clock.runFor(500);
      await status.getByText(anna.t("mfaLogin.fido2.waiting")).waitFor();
      await anna.page.clock.runFor(26_000);
      const read: string[] = [];
      while (await prompt.isVisible()) {
        read.push(await prompt.locator("p").nth(1).innerText());
        await anna.page.clock.runFor(1000);
      }
      expect(read.slice(-2)).toEqual([two, one]);
      await retry.waitFor();
      expect(await status.innerText()).toBe(anna.t("webauthn.error.notAllowed"));
    },
  );

  it("and an authenticator app chooses, and can change her mind", async () => {
    const app = await giveTotp(installation.server, user);
    await comesAgain();
    await seesHeading(anna, "Confirm your sign-in");
    await stepPage(anna).choose.totp.click();
    await stepPage(anna).code.waitFor();
    await stepPage(anna).useKey.click();
    await arrives();
    await comesAgain();
    await stepPage(anna).choose.totp.click();
    await stepPage(anna).enter(await app.code());
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id, amr: ["pwd", "otp", "mfa"] });
  });
});

describe("setting a security key up", () => {
  const keysOfAnna = () => listWebauthnCredentials(installation.server.context.store, user.id);

  it("starts by itself, has one cancel, can be retried, and asks for a name after it succeeded", async () => {
    const key = await plugIn(anna, { isTouched: false });
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    await stepPage(anna).setUp.key.click();
    await anna.page.getByText("Waiting for your security key …").waitFor();
    expect(await anna.page.getByText(/cancel|stop/i).count()).toBe(1);
    await cancelFirstDialog(anna);
    await anna.page.getByRole("link", { name: "Cancel setup" }).click();
    await stepPage(anna).setUp.key.click();
    await expectCancelled();
    expect(await anna.page.getByRole("textbox").count()).toBe(0);
    await key.setTouched(true);
    await stepPage(anna).key.retry.click();
    await seesHeading(anna, "Your security key is set up");
    expect(await keysOfAnna()).toMatchObject([{ name: "Security key" }]);
    expect(await stepPage(anna).key.name.inputValue()).toBe("Security key");
    await stepPage(anna).key.name.fill("Key ring");
    await stepPage(anna).key.saveName.click();
    await seesHeading(anna, "Recovery codes");
    expect(await keysOfAnna()).toMatchObject([{ name: "Key ring" }]);
  });

  it("after a factor was set up in another tab sets up no second one", async () => {
    await cancelFirstDialog(anna);
    const key = await plugIn(anna, { isTouched: false });
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    await stepPage(anna).setUp.key.click();
    await expectCancelled();
    await giveTotp(installation.server, user);
    await key.setTouched(true);
    await stepPage(anna).key.retry.click();
    await expectAlert("Your second factor is set up. Now confirm your sign-in with it.");
    expect(await keysOfAnna()).toEqual([]);
  });
});

function newPrivateKey(): string {
  return encode(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
}

/** Returns a private key in the format of virtual authenticators: PKCS #8 in base64. */
function encode(privateKey: KeyObject): string {
  return privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
}
