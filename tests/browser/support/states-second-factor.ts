import { admitFactorAttempt, FACTOR_LIMITS } from "#app/domain/second-factor/attempts.server.ts";
import { giveKey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { comeToStep, plugIn, seesKeyPart, stepPage, wrongCode } from "./factors.ts";
import { alertOf } from "./pages.ts";
import type { Visit } from "./scene.ts";
import type { PageState } from "./states.ts";

const title = "mfaLogin.title";

/** The script shows the refusal in the page; without JavaScript a new page does. */
const refused = { status: 400, scriptedStatus: 200, title, problem: true } as const;

const comes = ({ anna, desk, user }: Visit) => comeToStep(anna, `${desk.url}/sign-in`, user);

/** Brings Anna, who has an app and recovery codes, to the code form. */
async function isAskedForCode(visit: Visit) {
  const app = await giveTotp(visit.office.server, visit.user);
  await giveRecoveryCodes(visit.office.server, visit.user);
  await comes(visit);
  await stepPage(visit.anna).code.waitFor();
  return app;
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
      const app = await isAskedForCode(visit);
      await stepPage(visit.anna).enter(await wrongCode(app));
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "second factor, app, code used",
    ...refused,
    async reach(visit) {
      const app = await isAskedForCode(visit);
      const code = await app.code();
      await stepPage(visit.anna).enter(code);
      await visit.anna.page.waitForURL(/\/consent\?/);
      await comeToStep(visit.anna, `${visit.desk.url}/sign-in?prompt=login`, visit.user);
      await stepPage(visit.anna).enter(code);
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "second factor, too many codes",
    ...refused,
    status: 429,
    async reach(visit) {
      const app = await isAskedForCode(visit);
      const { context } = visit.office.server;
      for (let count = 0; count < FACTOR_LIMITS.minutes.points; count += 1) {
        await admitFactorAttempt(context, visit.user.id);
      }
      await stepPage(visit.anna).enter(await app.code());
      await alertOf(visit.anna.page).waitFor();
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
      await alertOf(visit.anna.page).waitFor();
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
      await seesKeyPart(visit.anna);
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
