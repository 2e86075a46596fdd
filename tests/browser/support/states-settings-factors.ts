import { giveKey, giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import { plugIn, readSecret, seesKeyPart, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf } from "./pages.ts";
import { goesTo, keyPage, opensSettings, sendStale, settingsPages } from "./settings-pages.ts";

/** A name of the maximum length. */
const LONG_NAME = "Ersatzschlüssel im Tresor der Geschäftsstelle Friedrichshafen-Sü";

/** Opens the settings, then adds an app, a key and recovery codes. */
async function hasBoth(visit: Visit) {
  await opensSettings(visit);
  await giveTotp(visit.installation.server, visit.user);
  await giveKey(visit.installation.server, visit.user);
  await giveRecoveryCodes(visit.installation.server, visit.user);
}

const codeOfNow = async ({ anna, installation }: Visit) => testApp(installation.server.clock, await readSecret(anna));

export const settingsFactorStates: readonly PageState[] = [
  page("settings, no second factor", "manageMfa.title", (visit) => opensSettings(visit, "/manage/mfa")),
  page("settings, all kinds of second factors", "manageMfa.title", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, await keyPage(visit.installation, visit.user));
    await settingsPages(visit.anna).key.name.fill(LONG_NAME);
    await settingsPages(visit.anna).key.saveName.click();
    await settingsPages(visit.anna).key.edit.waitFor();
  }),
  page("settings, a second factor and no recovery codes", "manageMfa.title", async (visit) => {
    await opensSettings(visit);
    await giveKey(visit.installation.server, visit.user);
    await goesTo(visit, "/manage/mfa");
  }),
  page("settings, an app is set up", "manageTotp.title", (visit) => opensSettings(visit, "/manage/mfa/register-totp")),
  problem("settings, an app is set up, code wrong", 400, "manageTotp.title", async (visit) => {
    await opensSettings(visit, "/manage/mfa/register-totp");
    const { code, confirm } = settingsPages(visit.anna).totp;
    await code.fill(await wrongCode(await codeOfNow(visit)));
    await confirm.click();
    await alertOf(visit.anna.page).waitFor();
  }),
  problem("settings, an app exists already", 400, "manageTotp.title", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, "/manage/mfa/register-totp");
  }),
  page("settings, an app is removed", "manageTotp.remove.title", async (visit) => {
    await opensSettings(visit);
    await giveTotp(visit.installation.server, visit.user);
    await goesTo(visit, "/manage/mfa/totp/remove");
  }),
  problem("settings, an app is removed, form expired", 403, "manageTotp.remove.title", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, "/manage/mfa/totp/remove");
    await sendStale(visit.anna, "/manage/mfa/totp/remove");
    await alertOf(visit.anna.page).waitFor();
  }),
  {
    ...page("settings, a key is added", "manageFido2.title", async (visit) => {
      await plugIn(visit.anna, { isTouched: false });
      await opensSettings(visit, "/manage/mfa/register-fido2");
      await seesKeyPart(visit.anna);
    }),
    ownBrowser: true,
  },
  page("settings, the default method", "manageDefault.heading", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, "/manage/mfa/default-method");
  }),
  page("settings, a key is named", "manage.title", async (visit) => {
    await opensSettings(visit);
    await giveKey(visit.installation.server, visit.user);
    await goesTo(visit, "/manage?status=mfa-success");
    await settingsPages(visit.anna).key.saveName.waitFor();
  }),
  page("settings, one key", "manageKey.title", async (visit) => {
    await opensSettings(visit);
    await giveKey(visit.installation.server, visit.user);
    await goesTo(visit, await keyPage(visit.installation, visit.user));
  }),
  page("settings, a key is removed", "manageKey.remove.heading", async (visit) => {
    await opensSettings(visit);
    await giveKey(visit.installation.server, visit.user);
    await goesTo(visit, `${await keyPage(visit.installation, visit.user)}/remove`);
  }),
  problem("settings, one key, no name", 400, "manageKey.title", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, await keyPage(visit.installation, visit.user));
    await settingsPages(visit.anna).key.name.fill(" ");
    await settingsPages(visit.anna).key.saveName.click();
    await alertOf(visit.anna.page).waitFor();
  }),
  page("settings, recovery codes that replace older ones", "recovery.heading", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, "/manage/mfa/recovery-codes");
  }),
  page("settings, recovery codes without a factor", "recovery.heading", (visit) =>
    opensSettings(visit, "/manage/mfa/recovery-codes"),
  ),
  page("settings, recovery codes", "recovery.heading", async (visit) => {
    await hasBoth(visit);
    await goesTo(visit, "/manage/mfa/recovery-codes");
    await settingsPages(visit.anna).codes.make.click();
    await settingsPages(visit.anna).codes.saved.waitFor();
  }),
];
