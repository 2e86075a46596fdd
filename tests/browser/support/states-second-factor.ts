import { FACTOR_LIMITS, refuseAttempt } from "#app/domain/pending-sign-in/attempts.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { giveKey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { goToSecondFactor, plugIn, readStepInput, seesKeyPart, stepPage, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { alertOf } from "./pages.ts";
import type { PageState } from "./states.ts";

const title = "mfaLogin.title";

/** MFA_REMEMBER_DAYS of the server of `rememberStates`. */
export const REMEMBER_DAYS = 30;

/** The script shows the refusal in the page; without JavaScript a new page does. */
const refused = { status: 400, scriptedStatus: 200, title, problem: true } as const;

const goToStep = ({ anna, clientApp, user }: Visit) => goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);

/** Brings Anna, who has an app and recovery codes, to the code form. */
async function openCodeForm(visit: Visit) {
  const app = await giveTotp(visit.installation.server, visit.user);
  await giveRecoveryCodes(visit.installation.server, visit.user);
  await goToStep(visit);
  await stepPage(visit.anna).code.waitFor();
  return app;
}

/** Brings Anna, who has a key only, to the page that asks for it. */
async function openKeyForm(visit: Visit) {
  await plugIn(visit.anna, { isTouched: false });
  await giveKey(visit.installation.server, visit.user);
  await goToStep(visit);
  await seesKeyPart(visit.anna);
}

/** Enters a code that is refused. */
async function entersRefused({ anna }: Visit, code: string) {
  await stepPage(anna).enter(code);
  await alertOf(anna.page).waitFor();
}

export const secondFactorStates: readonly PageState[] = [
  {
    name: "second factor, both",
    status: 200,
    title,
    async reach(visit) {
      await giveTotp(visit.installation.server, visit.user);
      await giveKey(visit.installation.server, visit.user);
      await giveRecoveryCodes(visit.installation.server, visit.user);
      await goToStep(visit);
    },
  },
  {
    name: "second factor, app",
    status: 200,
    title,
    async reach(visit) {
      await openCodeForm(visit);
    },
  },
  {
    name: "second factor, app, code wrong",
    ...refused,
    async reach(visit) {
      const app = await openCodeForm(visit);
      await entersRefused(visit, await wrongCode(app));
    },
  },
  {
    name: "second factor, app, code used",
    ...refused,
    async reach(visit) {
      const app = await openCodeForm(visit);
      const code = await app.code();
      await stepPage(visit.anna).enter(code);
      await visit.anna.page.waitForURL(/\/consent\?/);
      await goToSecondFactor(visit.anna, `${visit.clientApp.url}/sign-in?prompt=login`, visit.user);
      await entersRefused(visit, code);
    },
  },
  {
    name: "second factor, too many codes",
    ...refused,
    status: 429,
    async reach(visit) {
      const app = await openCodeForm(visit);
      const { context } = visit.installation.server;
      for (let count = 0; count < FACTOR_LIMITS.minutes.points; count += 1) {
        await refuseAttempt(context, visit.user.id, async () => ({ kind: "refused" }));
      }
      await entersRefused(visit, await app.code());
    },
  },
  {
    name: "second factor, recovery code",
    status: 200,
    title,
    async reach(visit) {
      await openCodeForm(visit);
      await stepPage(visit.anna).lost.click();
      await stepPage(visit.anna).recoveryCode.waitFor();
    },
  },
  {
    name: "second factor, recovery code wrong",
    ...refused,
    async reach(visit) {
      await openCodeForm(visit);
      await stepPage(visit.anna).lost.click();
      await entersRefused(visit, "AAAAA-AAAAA");
    },
  },
  {
    name: "second factor, security key",
    status: 200,
    title,
    ownBrowser: true,
    async reach(visit) {
      await plugIn(visit.anna, { isTouched: false });
      await giveKey(visit.installation.server, visit.user);
      await giveTotp(visit.installation.server, visit.user);
      await goToStep(visit);
      await stepPage(visit.anna).choose.key.click();
      await seesKeyPart(visit.anna);
    },
  },
  {
    name: "second factor, security key only",
    status: 200,
    title,
    ownBrowser: true,
    reach: openKeyForm,
  },
  {
    name: "second factor, expired",
    status: 400,
    title,
    problem: true,
    async reach(visit) {
      await openCodeForm(visit);
      letMinutesPass(11);
      await visit.anna.page.reload();
      backToNow();
    },
  },
];

/** States of a server with MFA_REMEMBER_DAYS, which offers to remember the device. */
export const rememberStates: readonly PageState[] = [
  {
    name: "second factor, app, device may be remembered",
    status: 200,
    title,
    async reach(visit) {
      await openCodeForm(visit);
      await rememberBox(visit).waitFor();
    },
  },
  {
    name: "second factor, code wrong, device to be remembered",
    ...refused,
    async reach(visit) {
      const app = await openCodeForm(visit);
      await rememberBox(visit).check();
      await entersRefused(visit, await wrongCode(app));
    },
  },
  {
    name: "second factor, security key, device may be remembered",
    status: 200,
    title,
    ownBrowser: true,
    reach: openKeyForm,
  },
  {
    name: "second factor, completed, device may be remembered",
    status: 200,
    title,
    async reach(visit) {
      const { anna, installation } = visit;
      const app = await openCodeForm(visit);
      const input = await readStepInput(anna, installation);
      await verifyCode(installation.server.context, { ...input, code: await app.code() });
      await anna.page.reload();
      await anna.page.getByText(anna.t("mfaLogin.confirmed")).waitFor();
    },
  },
];

function rememberBox({ anna }: Visit) {
  return anna.page.getByRole("checkbox", { name: anna.t("mfaLogin.remember.label", { count: REMEMBER_DAYS }) });
}
