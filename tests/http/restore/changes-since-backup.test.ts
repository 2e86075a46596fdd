import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addClient } from "#app/domain/client/add.server.ts";
import { resetFactors } from "#app/domain/factor-reset/reset.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { endAllAccess } from "#app/domain/not-me/end-access.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { createFactorResetLink, createPasswordLink, createSettingsLink } from "#app/domain/user/links.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { showUser } from "#app/domain/user/show.server.ts";
import { REDIRECT_URI } from "#tests/http/crash/command.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { givePasskey, openPasskeyPage, type TestPasskey } from "#tests/http/login/passkey-form.ts";
import { allow, followRedirects, obtainTokens, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm } from "#tests/http/oidc/responses.ts";
import {
  choose,
  ERROR_TOKEN,
  FIRST_SUCCESS,
  NEW_PASSWORD,
  openLink,
  redirectTarget,
  SUCCESS,
} from "#tests/http/password-reset/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { createRelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { type Installation, startInstallation } from "./installation.ts";

/** Starts several processes. */
const SCENE_MS = 240_000;

type Scene = Awaited<ReturnType<typeof prepare>>;
let installation: Installation;
let scene: Scene;
let spentTotp = "";
let report: Record<string, unknown> | null;

const typed = (username: string) => ({ username, password: TEST_PASSWORD });
const newBrowser = () => createBrowser({ base: installation.server.url });
const step = (username: string) => openStep(newBrowser(), installation.party.request().url, typed(username));

/**
 * The state in the backup. Anna has a reset link, Berta has factors, Carla will lose hers and a passkey,
 * Dora will be blocked, Fritz will report a stranger and so lose the passkey.
 */
async function prepare() {
  const users = {
    anna: await installation.addUser("anna"),
    berta: await installation.addUser("berta"),
    carla: await installation.addUser("carla"),
    dora: await installation.addUser("dora"),
    emil: await installation.addUser("emil"),
    fritz: await installation.addUser("fritz"),
  };
  const created = await installation.administer(async (context) => {
    const app = await giveTotp({ context, clock: context.clock }, users.berta);
    await giveTotp({ context, clock: context.clock }, users.carla);
    const keyServer = { context, url: installation.server.url };
    const passkeys = {
      berta: await givePasskey(keyServer, users.berta),
      carla: await givePasskey(keyServer, users.carla),
      fritz: await givePasskey(keyServer, users.fritz),
    };
    for (const name of ["Left", "Removed", "Kept", "Joined"]) await addGroup(context, { name });
    await setUser(context, "emil", { addGroups: ["Left", "Removed", "Kept"] });
    const consentClient = { id: "asking", name: "Asking", redirectUris: [REDIRECT_URI], scopes: ["openid", "email"] };
    return {
      app,
      passkeys,
      recoveryCodes: await giveRecoveryCodes({ context }, users.berta),
      link: (await createPasswordLink(context, "anna")).url,
      settings: (await createSettingsLink(context, "emil", { returnTo: null })).url,
      client: { ...(await addClient(context, consentClient)), redirectUri: REDIRECT_URI },
    };
  });
  const consentClient = createRelyingParty({ issuer: installation.server.url, client: created.client });
  const emil = { ...typed("emil"), id: users.emil.id, displayName: "" };
  const browser = newBrowser();
  const request = installation.party.request({ scope: "openid offline" });
  const tokens = await obtainTokens(browser, installation.party, request, emil);
  const consented = await followRedirects(
    browser,
    await open(browser, consentClient.request({ scope: "openid email" }).url),
  );
  codeOf(await allow(browser, consented));
  const settings = newBrowser();
  const page = await settings.follow(await settings.get(created.settings));
  expect(page.status).toBe(200);
  return { ...created, people: users, browser, tokens, settings, asking: consentClient, manageUrl: page.url };
}

/** Uses up, removes, changes or ends each of these after the backup. */
async function liveOn({ link, recoveryCodes, app, tokens, people }: Scene) {
  await installation.addUser("gerd");
  const browser = newBrowser();
  expect(redirectTarget(await choose(browser, await openLink(browser, link)))).toBe(SUCCESS);
  spentTotp = await app.code();
  for (const response of [
    { code: recoveryCodes[0] ?? "", method: "recovery" },
    { code: spentTotp, method: "totp" },
  ]) {
    const opened = await step("berta");
    codeOf(await followRedirects(opened.browser, await opened.post("/mfa/verify", response)));
  }
  readTokens(await installation.party.refresh(tokens.refreshToken));
  await installation.administer(async (context) => {
    const url = new URL((await createFactorResetLink(context, "carla")).url);
    const resetToken = url.searchParams.get("reset_token") ?? "";
    const metadata = { address: "127.0.0.1", userAgent: "", requestId: "" };
    expect(await resetFactors(context, { resetToken, ...metadata })).toMatchObject({ kind: "done" });
    await blockUser(context, "dora");
    expect(await context.store.tx((store) => endAllAccess({ ...context, store }, people.fritz.id))).toBe(true);
    await setUser(context, "emil", { removeGroups: ["Left", "Kept"], addGroups: ["Joined"] });
    await setUser(context, "emil", { addGroups: ["Kept"] });
    await removeGroup(context, "Removed", { endMemberships: true });
    await removeUser(context, "gerd");
  });
}

afterAll(() => installation?.close());

if (process.env.GATEHOUSE_TEST_DIALECT === "postgres") {
  test("on PostgreSQL, which is restored by its own tools, the report is empty", async () => {
    installation = await startInstallation();
    expect(await installation.command("restore", "--report")).toBeNull();
  });
} else {
  beforeAll(async () => {
    installation = await startInstallation();
    scene = await prepare();
    const copy = join(installation.folder, "copy.sqlite");
    await installation.command("backup", copy);
    await liveOn(scene);
    await installation.server.stop();
    report = await installation.command("restore", copy, "--yes");
    await installation.server.start();
  }, SCENE_MS);

  test("the report lists exactly the affected users, each with the reason", () => {
    expect(report).toMatchObject({
      blocked: expect.arrayContaining([
        expect.objectContaining({ username: "carla", why: ["factor removed"] }),
        expect.objectContaining({ username: "dora", why: ["blocked"] }),
        expect.objectContaining({ username: "fritz", why: ["factor removed"] }),
      ]),
      must_set_password: [{ username: "anna" }],
      need_recovery_codes: [{ username: "berta" }],
      disconnected: [],
      lost_users: [],
      left_groups: [{ username: "emil", groups: ["Left", "Removed"] }],
      lost_changes: [{ username: "emil", what: ["joined group"] }],
      groups: ["Removed: removed"],
    });
    expect(Object(report).blocked).toHaveLength(3);
  });

  test("users who were blocked, or lost a factor, cannot sign in", async () => {
    for (const username of ["dora", "carla"]) {
      const browser = newBrowser();
      const page = await typePassword(browser, await open(browser, installation.party.request().url), typed(username));
      expect([username, page.status, page.location]).toEqual([username, 401, null]);
    }
  });

  // Proves requirement 259.
  test("a removed passkey does not sign in, when its user is active again either; that of another user does", async () => {
    const signIn = async (passkey: TestPasskey) => {
      const page = await openPasskeyPage(newBrowser(), installation.party.request().url);
      return (await page.post(passkey.answer(page.asked))).status;
    };
    const { berta, carla, fritz } = scene.passkeys;
    expect([await signIn(carla), await signIn(fritz)]).toEqual([401, 401]);
    await installation.administer(async (context) => {
      for (const name of ["carla", "fritz"]) await unblockUser(context, name);
    });
    expect(await installation.canSignIn("fritz")).toBe(true);
    expect([await signIn(carla), await signIn(fritz), await signIn(berta)]).toEqual([401, 401, 303]);
  });

  test("the user name of a user who came later and was removed is given to no other user", async () => {
    await expect(installation.addUser("Gerd")).rejects.toThrow("username not available");
  });

  test("memberships that ended are ended again; others are as in the backup", async () => {
    const { furtherGroups } = await installation.administer((context) => showUser(context, "emil"));
    expect(furtherGroups).toEqual(["Kept"]);
  });

  test("after a password change neither the old nor the new password works: the user needs a new link", async () => {
    expect(await installation.canSignIn("anna")).toBe(false);
    expect(await installation.canSignIn("anna", NEW_PASSWORD)).toBe(false);
    expect((await openLink(newBrowser(), scene.link)).url).toContain(ERROR_TOKEN);
    const { url } = await installation.administer((context) => createPasswordLink(context, "anna"));
    const browser = newBrowser();
    expect(redirectTarget(await choose(browser, await openLink(browser, url)))).toBe(FIRST_SUCCESS);
    expect(await installation.canSignIn("anna", NEW_PASSWORD)).toBe(true);
  });

  test("used recovery codes and codes of the app stay used", async () => {
    for (const response of [
      { code: scene.recoveryCodes[0] ?? "", method: "recovery" },
      { code: scene.recoveryCodes[1] ?? "", method: "recovery" },
      { code: spentTotp, method: "totp" },
    ]) {
      const opened = await step("berta");
      expect(refusalOf(await opened.post("/mfa/verify", response)).status).toBe(400);
    }
  });

  test("earlier sessions, settings and refresh tokens are invalid, and consent is requested again", async () => {
    const { browser, settings, tokens, asking: consentClient, manageUrl } = scene;
    expect(await findSignedInUser(installation.party, browser)).toBe("login_required");
    expect((await installation.party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
    expect((await settings.follow(await settings.get(manageUrl))).url).not.toBe(manageUrl);
    const form = await open(browser, consentClient.request({ scope: "openid email" }).url);
    const next = await typePassword(browser, form, typed("emil"));
    expect(hasForm(next, "/consent/accept")).toBe(true);
  });
}
