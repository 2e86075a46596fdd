import { finishKeySetUp, startKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { FIRST_KEY_NAMES, giveKey, newKey, testApp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { goToSecondFactor, plugIn, readSecret, readStepInput, seesKeyPart, stepPage, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, loginPage, seesHeading } from "./pages.ts";
import { seedSession } from "./session.ts";

/** Creates a user with a long name, who needs a factor and has none. */
async function createMember({ installation, user }: Visit): Promise<TestUser> {
  const group = await installation.server.groups.create({ requireMfa: true });
  return installation.server.users.create({ displayName: user.displayName, groupName: group.name });
}

/** Brings such a user to the set-up. */
async function openSetUp(visit: Visit, member?: TestUser) {
  const { anna, clientApp } = visit;
  await goToSecondFactor(anna, `${clientApp.url}/sign-in`, member ?? (await createMember(visit)));
  await stepPage(anna).setUp.totp.waitFor();
}

/** Registers a security key in this sign-in, as the page's script does. */
async function setsKeyUp(visit: Visit) {
  const { anna, installation } = visit;
  const { server } = installation;
  await openSetUp(visit);
  const input = await readStepInput(anna, installation);
  const started = await startKeySetUp(server.context, input);
  if (started.kind !== "started") throw new Error(`the set-up of a key is ${started.kind}`);
  const credentialJson = JSON.stringify(newKey(server).register(started));
  const { sessionId } = started;
  await finishKeySetUp(server.context, { ...input, sessionId, credentialJson, firstNames: FIRST_KEY_NAMES });
}

async function setsAppUp(visit: Visit, member?: TestUser) {
  await openSetUp(visit, member);
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
  page("set-up of a factor", "mfaLogin.setup.heading", (visit) => openSetUp(visit)),
  page("set-up of an app", "manageTotp.title", async (visit) => {
    await setsAppUp(visit);
  }),
  problem("set-up of an app, code wrong", 400, "manageTotp.title", async (visit) => {
    await stepPage(visit.anna).enter(await wrongCode(await setsAppUp(visit)));
    await alertOf(visit.anna.page).waitFor();
  }),
  {
    ...page("set-up of a security key", "manageFido2.title", async (visit) => {
      await plugIn(visit.anna, { isTouched: false });
      await openSetUp(visit);
      await stepPage(visit.anna).setUp.key.click();
      await seesKeyPart(visit.anna);
    }),
    ownBrowser: true,
  },
  page("set-up of a security key, its name", "manageFido2.naming.title", async (visit) => {
    await setsKeyUp(visit);
    const { page } = visit.anna;
    await page.goto(`${page.url().replace("/mfa/verify", "/mfa/setup")}&method=fido2`);
    await stepPage(visit.anna).key.saveName.waitFor();
  }),
  problem("set-up of an app, another factor exists", 403, "mfaLogin.title", async (visit) => {
    const member = await createMember(visit);
    const app = await setsAppUp(visit, member);
    await giveKey(visit.installation.server, member);
    await stepPage(visit.anna).enter(await app.code());
    await alertOf(visit.anna.page).waitFor();
  }),
  page("sign-in, again before the set-up of a factor", "login.title", async (visit) => {
    const { anna, clientApp, installation } = visit;
    const member = await createMember(visit);
    letMinutesPass(-11);
    await seedSession(installation, anna, member);
    backToNow();
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await anna.page.locator('[data-code="proof-set-up"]').waitFor();
    await loginPage(anna).submit.waitFor();
  }),
  page("recovery codes, offered", "recovery.heading", isOfferedRecoveryCodes),
  page("recovery codes", "recovery.heading", async (visit) => {
    await isOfferedRecoveryCodes(visit);
    await stepPage(visit.anna).recovery.make.click();
    await stepPage(visit.anna).recovery.done.waitFor();
  }),
  page("second factor, completed", "mfaLogin.title", async (visit) => {
    await isOfferedRecoveryCodes(visit);
    const { page } = visit.anna;
    await page.goto(page.url().replace("/mfa/recovery-codes", "/mfa/verify"));
    await seesHeading(visit.anna, visit.anna.t("mfaLogin.heading"));
  }),
];
