import { admitFactorAttempt, FACTOR_LIMITS } from "#app/domain/second-factor/attempts.server.ts";
import { giveKey, giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { comeToStep, plugIn, readSecret, stepPage, wrongCode } from "./factors.ts";
import { alertOf, seesHeading } from "./pages.ts";
import type { Visit } from "./scene.ts";
import type { PageState } from "./states.ts";

const title = "mfaLogin.title";

/** A code is refused by the script on the page as it stands, or by a new page. */
const refused = { status: 400, scriptedStatus: 200, title, problem: true } as const;

const comes = ({ anna, desk, user }: Visit) => comeToStep(anna, `${desk.url}/sign-in`, user);

/** Anna with an app and recovery codes, where its code is asked for. */
async function isAskedForCode(visit: Visit) {
  const app = await giveTotp(visit.office.server, visit.user);
  const recoveryCodes = await giveRecoveryCodes(visit.office.server, visit.user);
  await comes(visit);
  await stepPage(visit.anna).code.waitFor();
  return { app, recoveryCodes };
}

async function isTold({ anna }: Visit) {
  await alertOf(anna.page).waitFor();
}

/** Somebody with Anna's long name, who needs a factor and has none. */
async function isOfferedSetUp({ anna, desk, office, user }: Visit) {
  const group = await office.server.groups.create({ requireMfa: true });
  const member = await office.server.users.create({ displayName: user.displayName, groupName: group.name });
  await comeToStep(anna, `${desk.url}/sign-in`, member);
  await stepPage(anna).setUp.totp.waitFor();
}

async function setsAppUp(visit: Visit) {
  await isOfferedSetUp(visit);
  await stepPage(visit.anna).setUp.totp.click();
  await seesHeading(visit.anna, visit.anna.t("manageTotp.heading"));
  return testApp(visit.office.server.clock, await readSecret(visit.anna));
}

async function isOfferedRecoveryCodes(visit: Visit) {
  const app = await setsAppUp(visit);
  await stepPage(visit.anna).enter(await app.code());
  await stepPage(visit.anna).recovery.make.waitFor();
}

export const secondFactorStates: readonly PageState[] = [
  {
    name: "second factor, both",
    status: 200,
    title,
    async reach(visit) {
      await giveTotp(visit.office.server, visit.user);
      await giveKey(visit.office.server, visit.user);
      await giveRecoveryCodes(visit.office.server, visit.user);
      await comes(visit);
    },
  },
  {
    name: "second factor, app",
    status: 200,
    title,
    async reach(visit) {
      await isAskedForCode(visit);
    },
  },
  {
    name: "second factor, app, code wrong",
    ...refused,
    async reach(visit) {
      const { app } = await isAskedForCode(visit);
      await stepPage(visit.anna).enter(await wrongCode(app));
      await isTold(visit);
    },
  },
  {
    name: "second factor, app, code used",
    ...refused,
    async reach(visit) {
      const { app } = await isAskedForCode(visit);
      const code = await app.code();
      await stepPage(visit.anna).enter(code);
      await visit.anna.page.waitForURL(/\/consent\?/);
      await comeToStep(visit.anna, `${visit.desk.url}/sign-in?prompt=login`, visit.user);
      await stepPage(visit.anna).enter(code);
      await isTold(visit);
    },
  },
  {
    name: "second factor, too many codes",
    ...refused,
    status: 429,
    async reach(visit) {
      const { app } = await isAskedForCode(visit);
      const { context } = visit.office.server;
      for (let count = 0; count < FACTOR_LIMITS.minutes.points; count += 1) {
        await admitFactorAttempt(context, visit.user.id);
      }
      await stepPage(visit.anna).enter(await app.code());
      await isTold(visit);
    },
  },
  {
    name: "second factor, recovery code",
    status: 200,
    title,
    async reach(visit) {
      await isAskedForCode(visit);
      await stepPage(visit.anna).lost.click();
      await stepPage(visit.anna).recoveryCode.waitFor();
    },
  },
  {
    name: "second factor, recovery code wrong",
    ...refused,
    async reach(visit) {
      await isAskedForCode(visit);
      await stepPage(visit.anna).lost.click();
      await stepPage(visit.anna).enter("AAAAA-AAAAA");
      await isTold(visit);
    },
  },
  {
    name: "second factor, security key",
    status: 200,
    title,
    async reach(visit) {
      await plugIn(visit.anna, { isTouched: false });
      await giveKey(visit.office.server, visit.user);
      await giveTotp(visit.office.server, visit.user);
      await comes(visit);
      await stepPage(visit.anna).choose.key.click();
      await seesKeyPart(visit);
    },
  },
  { name: "set-up of a factor", status: 200, title: "mfaLogin.setup.heading", reach: isOfferedSetUp },
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
      await isTold(visit);
    },
  },
  {
    name: "set-up of a security key",
    status: 200,
    title: "manageFido2.title",
    async reach(visit) {
      await plugIn(visit.anna, { isTouched: false });
      await isOfferedSetUp(visit);
      await stepPage(visit.anna).setUp.key.click();
      await seesKeyPart(visit);
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
    name: "second factor, given",
    status: 200,
    title,
    async reach(visit) {
      await isOfferedRecoveryCodes(visit);
      const { page } = visit.anna;
      await page.goto(page.url().replace("/mfa/recovery-codes", "/mfa/verify"));
      await seesHeading(visit.anna, visit.anna.t("mfaLogin.heading"));
    },
  },
  {
    name: "second factor, open for too long",
    status: 400,
    title,
    problem: true,
    async reach(visit) {
      await isAskedForCode(visit);
      letMinutesPass(11);
      await visit.anna.page.reload();
      backToNow();
    },
  },
];

/** The key blinks; without the script the page says why it does not. */
async function seesKeyPart({ anna }: Visit) {
  const waiting = anna.page.getByText(anna.t("mfaLogin.fido2.waiting"));
  const unscripted = anna.page.getByText(anna.t("common.noScriptHint"));
  await waiting.or(unscripted).filter({ visible: true }).waitFor();
}
