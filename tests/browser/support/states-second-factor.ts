import { FACTOR_LIMITS, refuseAttempt } from "#app/domain/pending-sign-in/attempts.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { giveKey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { goToSecondFactor, plugIn, readStepInput, seesKeyPart, stepPage, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf } from "./pages.ts";

const title = "mfaLogin.title";

/** MFA_REMEMBER_DAYS of the server of `rememberStates`. */
export const REMEMBER_DAYS = 30;

/** The script shows the refusal in the page; without JavaScript a new page does. */
const refusal = (name: string, status: number, reach: PageState["reach"]): PageState => ({
  ...problem(name, status, title, reach),
  scriptedStatus: 200,
});

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
  page("second factor, both", title, async (visit) => {
    await giveTotp(visit.installation.server, visit.user);
    await giveKey(visit.installation.server, visit.user);
    await giveRecoveryCodes(visit.installation.server, visit.user);
    await goToStep(visit);
  }),
  page("second factor, app", title, async (visit) => {
    await openCodeForm(visit);
  }),
  refusal("second factor, app, code wrong", 400, async (visit) => {
    const app = await openCodeForm(visit);
    await entersRefused(visit, await wrongCode(app));
  }),
  refusal("second factor, app, code used", 400, async (visit) => {
    const app = await openCodeForm(visit);
    const code = await app.code();
    await stepPage(visit.anna).enter(code);
    await visit.anna.page.waitForURL(/\/consent\?/);
    await goToSecondFactor(visit.anna, `${visit.clientApp.url}/sign-in?prompt=login`, visit.user);
    await entersRefused(visit, code);
  }),
  refusal("second factor, too many codes", 429, async (visit) => {
    const app = await openCodeForm(visit);
    const { context } = visit.installation.server;
    for (let count = 0; count < FACTOR_LIMITS.minutes.points; count += 1) {
      await refuseAttempt(context, visit.user.id, async () => ({ kind: "refused" }));
    }
    await entersRefused(visit, await app.code());
  }),
  page("second factor, recovery code", title, async (visit) => {
    await openCodeForm(visit);
    await stepPage(visit.anna).lost.click();
    await stepPage(visit.anna).recoveryCode.waitFor();
  }),
  refusal("second factor, recovery code wrong", 400, async (visit) => {
    await openCodeForm(visit);
    await stepPage(visit.anna).lost.click();
    await entersRefused(visit, "AAAAA-AAAAA");
  }),
  {
    ...page("second factor, security key", title, async (visit) => {
      await plugIn(visit.anna, { isTouched: false });
      await giveKey(visit.installation.server, visit.user);
      await giveTotp(visit.installation.server, visit.user);
      await goToStep(visit);
      await stepPage(visit.anna).choose.key.click();
      await seesKeyPart(visit.anna);
    }),
    ownBrowser: true,
  },
  { ...page("second factor, security key only", title, openKeyForm), ownBrowser: true },
  problem("second factor, expired", 400, title, async (visit) => {
    await openCodeForm(visit);
    letMinutesPass(11);
    await visit.anna.page.reload();
    backToNow();
  }),
];

/** States of a server with MFA_REMEMBER_DAYS, which offers to remember the device. */
export const rememberStates: readonly PageState[] = [
  page("second factor, app, device may be remembered", title, async (visit) => {
    await openCodeForm(visit);
    await rememberBox(visit).waitFor();
  }),
  refusal("second factor, code wrong, device to be remembered", 400, async (visit) => {
    const app = await openCodeForm(visit);
    await rememberBox(visit).check();
    await entersRefused(visit, await wrongCode(app));
  }),
  { ...page("second factor, security key, device may be remembered", title, openKeyForm), ownBrowser: true },
  page("second factor, completed, device may be remembered", title, async (visit) => {
    const { anna, installation } = visit;
    const app = await openCodeForm(visit);
    const input = await readStepInput(anna, installation);
    await verifyCode(installation.server.context, { ...input, code: await app.code() });
    await anna.page.reload();
    await anna.page.getByText(anna.t("mfaLogin.confirmed")).waitFor();
  }),
];

function rememberBox({ anna }: Visit) {
  return anna.page.getByRole("checkbox", { name: anna.t("mfaLogin.remember.label", { count: REMEMBER_DAYS }) });
}
