import { finishKeySetUp, startKeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import { FIRST_KEY_NAMES, giveKey, newKey, testApp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { goToSecondFactor, plugIn, readSecret, readStepInput, seesKeyPart, stepPage, wrongCode } from "./factors.ts";
import type { Visit } from "./page-setup.ts";
import { alertOf, loginPage, seesHeading } from "./pages.ts";
import { seedSession } from "./session.ts";
import type { PageState } from "./states.ts";

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
  { name: "set-up of a factor", status: 200, title: "mfaLogin.setup.heading", reach: (visit) => openSetUp(visit) },
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
  {
    name: "set-up of a security key, its name",
    status: 200,
    title: "manageFido2.naming.title",
    async reach(visit) {
      await setsKeyUp(visit);
      const { page } = visit.anna;
      await page.goto(`${page.url().replace("/mfa/verify", "/mfa/setup")}&method=fido2`);
      await stepPage(visit.anna).key.saveName.waitFor();
    },
  },
  {
    name: "set-up of an app, another factor exists",
    status: 403,
    title: "mfaLogin.title",
    problem: true,
    async reach(visit) {
      const member = await createMember(visit);
      const app = await setsAppUp(visit, member);
      await giveKey(visit.installation.server, member);
      await stepPage(visit.anna).enter(await app.code());
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "sign-in, again before the set-up of a factor",
    status: 200,
    title: "login.title",
    async reach(visit) {
      const { anna, clientApp, installation } = visit;
      const member = await createMember(visit);
      letMinutesPass(-11);
      await seedSession(installation, anna, member);
      backToNow();
      await anna.page.goto(`${clientApp.url}/sign-in`);
      await anna.page.locator('[data-code="proof-set-up"]').waitFor();
      await loginPage(anna).submit.waitFor();
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
