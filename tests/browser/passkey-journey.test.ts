import type { Locator } from "playwright";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { createFactorResetLink } from "#app/domain/user/links.server.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { loginPage, readDetail, seesHeading } from "./support/pages.ts";
import { addDevice } from "./support/passkeys.ts";
import { actionOn } from "./support/settings.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

let anna: BrowserUser;
let user: TestUser;
/** The actions of the user since `counted` was called: presses, touches of the device, and typed fields. */
let effort = { clicks: 0, touches: 0, typed: 0 };

beforeEach(async () => {
  effort = { clicks: 0, touches: 0, typed: 0 };
  anna = await installation.open({ language: "de" });
  const { name: groupName } = await installation.server.groups.create({ requireMfa: true });
  user = await installation.server.users.create({ groupName });
  await countTouches();
});
afterEach(() => anna.close());

/** Counts the dialogs, each of which the virtual authenticator answers with one touch. No list opens at the field. */
async function countTouches(): Promise<void> {
  await anna.page.exposeFunction("noteTouch", () => {
    effort.touches += 1;
  });
  await anna.page.addInitScript(() => {
    const { credentials } = navigator;
    const [create, get] = [credentials.create.bind(credentials), credentials.get.bind(credentials)];
    credentials.create = (options) =>
      Object(window)
        .noteTouch()
        .then(() => create(options));
    credentials.get = (options) =>
      Object(window)
        .noteTouch()
        .then(() => get(options));
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
}

async function click(element: Locator): Promise<void> {
  effort.clicks += 1;
  await element.click();
}

async function type(element: Locator, text: string): Promise<void> {
  effort.typed += 1;
  await element.fill(text);
}

/** Returns what the user did since the last call. */
function counted(): typeof effort {
  const done = effort;
  effort = { clicks: 0, touches: 0, typed: 0 };
  return done;
}

const button = (name: string) => anna.page.getByRole("button", { name, exact: true });
const link = (name: string) => anna.page.getByRole("link", { name, exact: true });
const opens = (query = "") => anna.page.goto(`${clientApp.url}/sign-in${query}`);
const keysOfUser = () => listWebauthnCredentials(installation.server.context.store, user.id);

async function givePassword(): Promise<void> {
  const { username, password, submit } = loginPage(anna);
  await type(username, user.username);
  await type(password, user.password);
  await click(submit);
}

async function arrivesWith(amr: readonly string[]): Promise<void> {
  await anna.page.waitForURL(`${clientApp.url}/`);
  await expect.poll(async () => Object(await readDetail(anna.page, "claims")).amr).toEqual(amr);
}

/** Types the code of the authenticator app, which the page sends after the last digit. */
async function giveCode(app: Awaited<ReturnType<typeof giveTotp>>): Promise<void> {
  await type(anna.page.getByLabel(anna.t("field.code.label"), { exact: true }), await app.code());
}

it("the first passkey takes one click and one touch after a sign-in, the daily sign-in one click and one touch", async () => {
  const app = await giveTotp(installation.server, user);
  await addDevice(installation, anna);
  await opens();
  await givePassword();
  await giveCode(app);
  await seesHeading(anna, "Nächstes Mal ohne Passwort?");
  expect(counted()).toEqual({ clicks: 1, touches: 0, typed: 3 });
  await click(button("Passkey einrichten"));
  await arrivesWith(["pwd", "otp", "mfa", "hwk"]);
  expect(counted()).toEqual({ clicks: 1, touches: 1, typed: 0 });

  await anna.context.clearCookies();
  await opens();
  await click(anna.page.getByRole("button", { name: "Mit Passkey anmelden" }));
  await arrivesWith(["hwk", "user", "mfa"]);
  expect(counted()).toEqual({ clicks: 1, touches: 1, typed: 0 });
});

it("a lost phone with passkey and app: two clicks request the link, one uses it, and none brings the passkey back", async () => {
  await giveTotp(installation.server, user);
  const phone = await addDevice(installation, anna);
  await phone.give(user);
  const other = await installation.open({ language: "de" });
  const lost = anna;
  try {
    anna = other;
    await opens();
    await givePassword();
    await click(link("Link zum Zurücksetzen per E‑Mail erhalten"));
    await anna.page.getByText("Er entfernt alle zweiten Faktoren und Passkeys.").waitFor();
    await click(button("Link senden"));
    await seesHeading(anna, "Eine E‑Mail ist unterwegs");
    expect(counted()).toEqual({ clicks: 3, touches: 0, typed: 2 });

    // In place of the link in the mail, which works after a day; the pages are the same.
    const { url } = await createFactorResetLink(installation.server.context, user.username);
    await anna.page.goto(url);
    await anna.page.getByText("Die Authenticator‑App, alle Passkeys und alle Sicherheitsschlüssel").waitFor();
    await click(button("Alle Faktoren zurücksetzen"));
    await seesHeading(anna, "Ihre zweiten Faktoren wurden zurückgesetzt");
    expect(counted()).toEqual({ clicks: 1, touches: 0, typed: 0 });
    expect(await keysOfUser()).toEqual([]);

    anna = lost;
    await opens();
    await click(anna.page.getByRole("button", { name: "Mit Passkey anmelden" }));
    await anna.page.getByText("Dieser Passkey kann nicht verwendet werden.").waitFor();
  } finally {
    anna = lost;
    await other.close();
  }
});

it("a lost phone with the passkey alone: the password and the app sign in, and four clicks remove the passkey", async () => {
  const app = await giveTotp(installation.server, user);
  const phone = await addDevice(installation, anna);
  await phone.give(user);
  await opens();
  await givePassword();
  await giveCode(app);
  await arrivesWith(["pwd", "otp", "mfa"]);
  expect(counted()).toEqual({ clicks: 1, touches: 0, typed: 3 });
  await anna.page.goto(`${installation.server.url}/manage/open`);
  await click(link(actionOn(anna, "view", "Passkeys und Sicherheitsschlüssel")));
  await click(anna.page.locator('a[href^="/manage/mfa/keys/"]').first());
  await click(link("Passkey entfernen"));
  await click(button("Passkey entfernen"));
  await anna.page.getByText("Ihr Passkey wurde entfernt.").waitFor();
  expect(counted()).toEqual({ clicks: 4, touches: 0, typed: 0 });
  expect(await keysOfUser()).toEqual([]);
});
