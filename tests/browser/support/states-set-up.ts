import { testApp } from "#tests/support/factors.ts";
import { goToSecondFactor, plugIn, readSecret, seesKeyPart, stepPage, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { alertOf, seesHeading } from "./pages.ts";
import type { PageState } from "./states.ts";

/** Brings a user with a long name, who needs a factor and has none, to the set-up. */
async function openSetUp({ anna, clientApp, installation, user }: Visit) {
  const group = await installation.server.groups.create({ requireMfa: true });
  const member = await installation.server.users.create({ displayName: user.displayName, groupName: group.name });
  await goToSecondFactor(anna, `${clientApp.url}/sign-in`, member);
  await stepPage(anna).setUp.totp.waitFor();
}

async function setsAppUp(visit: Visit) {
  await openSetUp(visit);
  await stepPage(visit.anna).setUp.totp.click();
  await seesHeading(visit.anna, visit.anna.t("manageTotp.heading"));
  return testApp(visit.installation.server.clock, await readSecret(visit.anna));
}

async function isOfferedRecoveryCodes(visit: Visit) {
  const app = await setsAppUp(visit);
  await stepPage(visit.anna).enter(await app.code());
  await stepPage(visit.anna).recovery.make.waitFor();
}

/** States of the second step for users who need a factor and have none. */
export const setUpStates: readonly PageState[] = [
  { name: "set-up of a factor", status: 200, title: "mfaLogin.setup.heading", reach: openSetUp },
  {
    name: "set-up of an app",
    status: 200,
    title: "manageTotp.title",
    async reach(visit) {
      await setsAppUp(visit);
    },
  },
  {
    name: "set-up of an app, code wrong",
    status: 400,
    title: "manageTotp.title",
    problem: true,
    async reach(visit) {
      await stepPage(visit.anna).enter(await wrongCode(await setsAppUp(visit)));
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "set-up of a security key",
    status: 200,
    title: "manageFido2.title",
    ownBrowser: true,
    async reach(visit) {
      await plugIn(visit.anna, { isTouched: false });
      await openSetUp(visit);
      await stepPage(visit.anna).setUp.key.click();
      await seesKeyPart(visit.anna);
    },
  },
  { name: "recovery codes, offered", status: 200, title: "recovery.heading", reach: isOfferedRecoveryCodes },
  {
    name: "recovery codes",
    status: 200,
    title: "recovery.heading",
    async reach(visit) {
      await isOfferedRecoveryCodes(visit);
      await stepPage(visit.anna).recovery.make.click();
      await stepPage(visit.anna).recovery.done.waitFor();
    },
  },
  {
    name: "second factor, completed",
    status: 200,
    title: "mfaLogin.title",
    async reach(visit) {
      await isOfferedRecoveryCodes(visit);
      const { page } = visit.anna;
      await page.goto(page.url().replace("/mfa/recovery-codes", "/mfa/verify"));
      await seesHeading(visit.anna, visit.anna.t("mfaLogin.heading"));
    },
  },
];
