import { giveKey, giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import { plugIn, readSecret, seesKeyPart, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { alertOf } from "./pages.ts";
import { goesTo, keyPage, opensSettings, sendStale, settingsPages } from "./settings-pages.ts";
import type { PageState } from "./states.ts";

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
  {
    name: "settings, no second factor",
    status: 200,
    title: "manageMfa.title",
    reach: (visit) => opensSettings(visit, "/manage/mfa"),
  },
  {
    name: "settings, all kinds of second factors",
    status: 200,
    title: "manageMfa.title",
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, await keyPage(visit.installation, visit.user));
      await settingsPages(visit.anna).key.name.fill(LONG_NAME);
      await settingsPages(visit.anna).key.saveName.click();
      await settingsPages(visit.anna).key.edit.waitFor();
    },
  },
  {
    name: "settings, a second factor and no recovery codes",
    status: 200,
    title: "manageMfa.title",
    async reach(visit) {
      await opensSettings(visit);
      await giveKey(visit.installation.server, visit.user);
      await goesTo(visit, "/manage/mfa");
    },
  },
  {
    name: "settings, an app is set up",
    status: 200,
    title: "manageTotp.title",
    reach: (visit) => opensSettings(visit, "/manage/mfa/register-totp"),
  },
  {
    name: "settings, an app is set up, code wrong",
    status: 400,
    title: "manageTotp.title",
    problem: true,
    async reach(visit) {
      await opensSettings(visit, "/manage/mfa/register-totp");
      const { code, confirm } = settingsPages(visit.anna).totp;
      await code.fill(await wrongCode(await codeOfNow(visit)));
      await confirm.click();
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "settings, an app exists already",
    status: 400,
    title: "manageTotp.title",
    problem: true,
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, "/manage/mfa/register-totp");
    },
  },
  {
    name: "settings, an app is removed",
    status: 200,
    title: "manageTotp.remove.title",
    async reach(visit) {
      await opensSettings(visit);
      await giveTotp(visit.installation.server, visit.user);
      await goesTo(visit, "/manage/mfa/totp/remove");
    },
  },
  {
    name: "settings, an app is removed, form expired",
    status: 403,
    title: "manageTotp.remove.title",
    problem: true,
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, "/manage/mfa/totp/remove");
      await sendStale(visit.anna, "/manage/mfa/totp/remove");
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "settings, a key is added",
    status: 200,
    title: "manageFido2.title",
    ownBrowser: true,
    async reach(visit) {
      await plugIn(visit.anna, { isTouched: false });
      await opensSettings(visit, "/manage/mfa/register-fido2");
      await seesKeyPart(visit.anna);
    },
  },
  {
    name: "settings, the default method",
    status: 200,
    title: "manageDefault.heading",
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, "/manage/mfa/default-method");
    },
  },
  {
    name: "settings, a key is named",
    status: 200,
    title: "manage.title",
    async reach(visit) {
      await opensSettings(visit);
      await giveKey(visit.installation.server, visit.user);
      await goesTo(visit, "/manage?status=mfa-success");
      await settingsPages(visit.anna).key.saveName.waitFor();
    },
  },
  {
    name: "settings, one key",
    status: 200,
    title: "manageKey.title",
    async reach(visit) {
      await opensSettings(visit);
      await giveKey(visit.installation.server, visit.user);
      await goesTo(visit, await keyPage(visit.installation, visit.user));
    },
  },
  {
    name: "settings, a key is removed",
    status: 200,
    title: "manageKey.remove.heading",
    async reach(visit) {
      await opensSettings(visit);
      await giveKey(visit.installation.server, visit.user);
      await goesTo(visit, `${await keyPage(visit.installation, visit.user)}/remove`);
    },
  },
  {
    name: "settings, one key, no name",
    status: 400,
    title: "manageKey.title",
    problem: true,
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, await keyPage(visit.installation, visit.user));
      await settingsPages(visit.anna).key.name.fill(" ");
      await settingsPages(visit.anna).key.saveName.click();
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "settings, recovery codes that replace older ones",
    status: 200,
    title: "recovery.heading",
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, "/manage/mfa/recovery-codes");
    },
  },
  {
    name: "settings, recovery codes without a factor",
    status: 200,
    title: "recovery.heading",
    reach: (visit) => opensSettings(visit, "/manage/mfa/recovery-codes"),
  },
  {
    name: "settings, recovery codes",
    status: 200,
    title: "recovery.heading",
    async reach(visit) {
      await hasBoth(visit);
      await goesTo(visit, "/manage/mfa/recovery-codes");
      await settingsPages(visit.anna).codes.make.click();
      await settingsPages(visit.anna).codes.saved.waitFor();
    },
  },
];
