import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { invalidateEverything } from "#app/db/repositories/restore.server.ts";
import { ACR_MFA, ACR_PASSWORD } from "#app/domain/engine-session/subject.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { issueNotMeToken } from "#app/domain/mail/not-me-link.server.ts";
import { endAccessByLink } from "#app/domain/not-me/end-access.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { addProviderUser, connect, type ExternalSetup, startWithProviders } from "#tests/http/external/providers.ts";
import { signInAt } from "#tests/http/external/steps.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { createChain } from "#tests/http/settings/api.ts";
import { createSettingsClient, type SettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, giveRecoveryCodes, giveTotp, newKey, type TestApp } from "#tests/support/factors.ts";
import { type Parameters, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { openStep, readStep } from "./steps.ts";

const DAYS = 30;
const NEW_PASSWORD = "Harbour-Kettle-93-Lamp";
const REMEMBER = { remember_device: "yes" };

let server: TestServer;
let party: RelyingParty;
let browser: Browser;
let anna: TestUser;
let app: TestApp;

async function startWith(env: Record<string, string>) {
  server = await startServer({ env });
  party = await server.parties.create({ firstParty: true });
}

beforeEach(async () => {
  browser = server.browser();
  anna = await server.users.create();
  app = await giveTotp(server, anna);
});

/** Ends the session of a browser as a sign-out does: the browser cookie and those of remembered devices stay. */
function signOut(from: Browser = browser): void {
  for (const { name } of from.jar.all()) if (!/^gatehouse_(browser|device_)/.test(name)) from.jar.clear(name);
}

function deviceCookies(from: Browser = browser) {
  return from.jar.all().filter(({ name }) => name.startsWith("gatehouse_device_"));
}

/** Signs in with password and code; with the checkbox unless told otherwise. Signs out again. */
async function signInAndRemember(typed: Record<string, string> = REMEMBER, user = anna, userApp = app) {
  const step = await openStep(browser, party.request().url, user);
  codeOf(await followRedirects(browser, await step.post("/mfa/verify", { code: await userApp.code(), ...typed })));
  signOut();
  // The next code belongs to another step.
  server.clock.advance(60);
}

/** Signs in with the password; returns the page of the second step, or the redirect to the application. */
async function typePassword(on = browser, parameters: Parameters = {}, user = anna): Promise<HttpResponse> {
  const form = await openForm(on, party.request(parameters).url);
  const { username, password } = user;
  return followRedirects(on, await form.post({ username, password }));
}

/** Returns true if a sign-in asks for the second factor after the password. */
async function isAsked(...input: Partial<[Browser, Parameters, TestUser]>): Promise<boolean> {
  const end = await typePassword(...input);
  const isStep = new URL(end.url).pathname === "/mfa/verify" && end.location === null;
  if (!isStep) codeOf(end);
  return isStep;
}

async function countDevices(user = anna): Promise<number> {
  const { t, q } = server.context.store;
  return q.$count(t.rememberedDevices, eq(t.rememberedDevices.userId, user.id));
}

async function eventsOf(user = anna): Promise<string[]> {
  const { t, q } = server.context.store;
  const rows = await q
    .select({ type: t.auditEvents.type })
    .from(t.auditEvents)
    .where(eq(t.auditEvents.userId, user.id))
    .orderBy(t.auditEvents.sequence);
  return rows.map(({ type }) => type).filter((type) => type.startsWith("device."));
}

describe("without MFA_REMEMBER_DAYS", () => {
  beforeAll(() => startWith({}));
  afterAll(() => server?.close());

  test("a device is neither offered to be remembered nor remembered", async () => {
    const step = await openStep(browser, party.request().url, anna);
    expect(step.page.body).not.toContain("remember_device");
    codeOf(await followRedirects(browser, await step.post("/mfa/verify", { code: await app.code(), ...REMEMBER })));
    expect([deviceCookies(), await countDevices()]).toEqual([[], 0]);
  });
});

describe("with MFA_REMEMBER_DAYS", () => {
  let settingsClient: SettingsClient;

  beforeAll(async () => {
    await startWith({ MFA_REMEMBER_DAYS: String(DAYS) });
    settingsClient = await createSettingsClient(server);
  });
  afterAll(() => server?.close());

  /** Opens the settings with a code, signs out of the application, and returns the page at this path. */
  async function openSettings(path: string, on = browser, userApp = app): Promise<HttpResponse> {
    server.clock.advance(60);
    const page = await open(on, `${server.url}/manage/open?${new URLSearchParams({ to: path })}`);
    const step = page
      .page()
      .forms()
      .some(({ action }) => action === "/mfa/verify")
      ? page
      : await signInHere(on, page);
    return followRedirects(on, await readStep(on, step).post("/mfa/verify", { code: await userApp.code() }));
  }

  async function signInHere(on: Browser, page: HttpResponse): Promise<HttpResponse> {
    const { username, password } = anna;
    const form = page.page().form("/login/native");
    return followRedirects(on, await on.submit(page, form, { username, password }));
  }

  test("the checkbox is offered, not ticked, and stays ticked after a wrong code", async () => {
    const step = await openStep(browser, party.request().url, anna);
    const field = (page: HttpResponse) => page.page().all("input", { name: "remember_device" })[0];
    expect(field(step.page)?.attributes).not.toHaveProperty("checked");
    const again = await step.post("/mfa/verify", { code: "000000", method: "totp", ...REMEMBER });
    expect([again.status, field(again)?.attributes]).toEqual([400, expect.objectContaining({ checked: "" })]);
    expect(await countDevices()).toBe(0);
  });

  // Proves requirement 153.
  test("a remembered device skips the second step, and the ID token claims no factor that was not given", async () => {
    await signInAndRemember();
    const request = party.request();
    const form = await openForm(browser, request.url);
    const { username, password } = anna;
    const end = await followRedirects(browser, await form.post({ username, password }));
    const tokens = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(String(tokens.idToken));
    expect(payload).toMatchObject({ sub: anna.id, amr: ["pwd", "remembered_device"], acr: ACR_PASSWORD });
    expect(await eventsOf()).toEqual(["device.remembered", "device.used"]);
  });

  test("the cookie of a device is hidden from scripts and ends with MFA_REMEMBER_DAYS; its value is not stored", async () => {
    const step = await openStep(browser, party.request().url, anna);
    const response = await step.post("/mfa/verify", { code: await app.code(), ...REMEMBER });
    const [cookie = ""] = response.setCookies.filter((text) => text.startsWith("gatehouse_device_"));
    expect(cookie).toContain(`Max-Age=${DAYS * DAY_SECONDS}; Path=/; HttpOnly; SameSite=Lax`);
    const { t, q } = server.context.store;
    const [device] = await q.select().from(t.rememberedDevices).where(eq(t.rememberedDevices.userId, anna.id));
    expect(JSON.stringify(device)).not.toContain(deviceCookies()[0]?.value);
  });

  test("without the checkbox, the next sign-in asks again", async () => {
    await signInAndRemember({});
    expect([await isAsked(), deviceCookies()]).toEqual([true, []]);
  });

  test("another browser is asked", async () => {
    await signInAndRemember();
    expect(await isAsked(server.browser())).toBe(true);
  });

  // Proves requirement 153.
  test("a stolen cookie of the device is worthless without the browser cookie, and the other way round", async () => {
    await signInAndRemember();
    for (const missing of ["gatehouse_browser", deviceCookies()[0]?.name]) {
      const thief = server.browser();
      const jar = browser.jar.copy();
      jar.clear(missing);
      Object.assign(thief.jar, jar);
      expect(await isAsked(thief), missing).toBe(true);
    }
    expect(await isAsked()).toBe(false);
  });

  // Proves requirement 153.
  test("another user of the same browser is asked, and keeps the first one's device", async () => {
    await signInAndRemember();
    const berta = await server.users.create();
    const bertasApp = await giveTotp(server, berta);
    expect(await isAsked(browser, {}, berta)).toBe(true);
    await signInAndRemember(REMEMBER, berta, bertasApp);
    expect(deviceCookies()).toHaveLength(2);
    expect(await isAsked()).toBe(false);
    signOut();
    expect(await isAsked(browser, {}, berta)).toBe(false);
  });

  test("a cookie of another user's device does not work under the name of one's own", async () => {
    await signInAndRemember();
    const [annas] = deviceCookies();
    const berta = await server.users.create();
    const bertasApp = await giveTotp(server, berta);
    await signInAndRemember(REMEMBER, berta, bertasApp);
    const [bertas] = deviceCookies().filter(({ name }) => name !== annas?.name);
    const header = `${annas?.name}=${bertas?.value}; Path=/; HttpOnly`;
    browser.jar.take(new URL(server.url), [header]);
    expect(await isAsked()).toBe(true);
  });

  // Proves requirement 153.
  test("an expired device is asked, even if the browser kept the cookie, and is removed", async () => {
    await signInAndRemember();
    const cookies = deviceCookies();
    server.clock.advance(DAYS * DAY_SECONDS);
    const headers = cookies.map(({ name, value }) => `${name}=${value}; Path=/`);
    browser.jar.take(new URL(server.url), headers);
    expect(await isAsked()).toBe(true);
    await createCleanUp(server.context).run();
    expect(await countDevices()).toBe(0);
  });

  // Proves requirement 153.
  test("a smaller MFA_REMEMBER_DAYS applies to remembered devices; 0 ends them, live sessions included", async () => {
    await signInAndRemember();
    const { config } = server.context;
    const withDays = async (days: number, check: () => Promise<void>) => {
      Object.assign(config, { mfaRememberDays: days });
      await check().finally(() => Object.assign(config, { mfaRememberDays: DAYS }));
    };
    server.clock.advance(DAY_SECONDS);
    await withDays(1, async () => expect(await isAsked()).toBe(true));
    signOut();
    expect(await isAsked()).toBe(false);
    await withDays(0, async () => {
      expect(new URL((await open(browser, party.request().url)).url).pathname).toBe("/mfa/verify");
    });
  });

  // Proves requirement 153.
  test("a device that a smaller MFA_REMEMBER_DAYS has ended is removed, and stays so if it is raised again", async () => {
    const { config } = server.context;
    for (const days of [1, 0]) {
      await signInAndRemember();
      server.clock.advance(DAY_SECONDS);
      Object.assign(config, { mfaRememberDays: days });
      await createCleanUp(server.context)
        .run()
        .finally(() => Object.assign(config, { mfaRememberDays: DAYS }));
      expect([days, await countDevices(), await isAsked()]).toEqual([days, 0, true]);
      signOut();
    }
  });

  const REVOCATIONS: [string, () => Promise<TestUser>][] = [
    [
      "user set-password",
      async () => {
        await setUserPassword(server.context, anna.username, NEW_PASSWORD);
        return { ...anna, password: NEW_PASSWORD };
      },
    ],
    [
      "user end-sessions",
      async () => {
        await endSessionsOfUser(server.context, anna.username);
        return anna;
      },
    ],
    [
      "a block",
      async () => {
        await blockUser(server.context, anna.username);
        await unblockUser(server.context, anna.username);
        return anna;
      },
    ],
    [
      "a restored database",
      async () => {
        await invalidateEverything(server.context.store, { totpStep: 0 });
        return anna;
      },
    ],
    [
      "a group that requires a second factor",
      async () => {
        const { name, id } = await server.groups.create();
        const { t, q } = server.context.store;
        await q.update(t.users).set({ groupId: id }).where(eq(t.users.id, anna.id));
        expect(await isAsked()).toBe(false);
        signOut();
        await setGroup(server.context, name, { requireMfa: true });
        return anna;
      },
    ],
    [
      "a new password in the settings",
      async () => {
        const page = await openSettings("/manage/credentials/password");
        const values = { password: anna.password, newPassword: NEW_PASSWORD, newPasswordRepeat: NEW_PASSWORD };
        const form = page.page().form("/manage/credentials/password");
        expect((await browser.submit(page, form, values)).location).toContain("password-success");
        return { ...anna, password: NEW_PASSWORD };
      },
    ],
    [
      "a new user name",
      async () => {
        const username = `${anna.username}-new`;
        const page = await openSettings("/manage/credentials/username");
        const form = page.page().form("/manage/credentials/username");
        expect((await browser.submit(page, form, { username })).location).toContain("username-success");
        return { ...anna, username };
      },
    ],
    [
      "a factor that is set up",
      async () => {
        const { token } = stateOf(await openSettings("/manage/mfa/register-fido2"));
        const chain = createChain(server, String(token));
        const { relyingPartyId, challenge, sessionId } = (await chain.post("mfa-init-fido2")).json();
        const options = { relyingPartyId: String(relyingPartyId), challenge: String(challenge) };
        const credentialJson = JSON.stringify(newKey(server).register(options));
        expect((await chain.post("mfa-verify-fido2", { sessionId, credentialJson })).status).toBe(200);
        return anna;
      },
    ],
    [
      "the link of a security notice",
      async () => {
        const notMeToken = await issueNotMeToken(server.context, anna.id);
        const metadata = { pageLanguage: "en", address: "192.0.2.1", userAgent: "", requestId: "r" };
        expect(await endAccessByLink(server.context, { notMeToken, ...metadata })).toMatchObject({ kind: "done" });
        return anna;
      },
    ],
    [
      "the end of all other sessions",
      async () => {
        const page = await openSettings("/manage/sessions");
        const _xsrf = String(stateOf(page).xsrf_token);
        const ended = await browser.post("/manage/sessions", { _xsrf, intent: "others" });
        expect(ended.location).toContain("sessions-ended");
        return anna;
      },
    ],
    [
      "the removal of one of two factors",
      async () => {
        await giveKey(server, anna);
        const page = await openSettings("/manage/mfa/totp/remove");
        const removed = await browser.submit(page, page.page().form("/manage/mfa/totp/remove"));
        expect(removed.location).toContain("totp-removed");
        return anna;
      },
    ],
    [
      "Forget in the settings",
      async () => {
        const page = await openSettings("/manage/sessions");
        const forgotten = await browser.submit(page, page.page().form("/manage/sessions/forget-device"));
        expect(forgotten.location).toContain("device-forgotten");
        expect(await eventsOf()).toEqual(["device.remembered", "device.forgotten"]);
        return anna;
      },
    ],
  ];

  // Proves requirement 153.
  test.each(REVOCATIONS)("after %s, the device is asked again", async (_what, revoke) => {
    await signInAndRemember();
    const user = await revoke();
    signOut();
    expect(await isAsked(browser, {}, user)).toBe(true);
  });

  test("a device of an older generation is removed by the clean-up, and with its user", async () => {
    await signInAndRemember();
    await endSessionsOfUser(server.context, anna.username);
    server.clock.advance(DAY_SECONDS);
    await createCleanUp(server.context).run();
    expect(await countDevices()).toBe(0);
    await signInAndRemember();
    expect(await countDevices()).toBe(1);
    await removeUser(server.context, anna.username);
    expect(await countDevices()).toBe(0);
  });

  // Proves requirement 153.
  test.each<[string, Parameters]>([
    ["two factors", { acr_values: ACR_MFA }],
    ["a new sign-in", { prompt: "login" }],
    ["a recent sign-in", { max_age: "3600" }],
  ])("an application that requests %s gets the second step, without the offer", async (_what, parameters) => {
    await signInAndRemember();
    const page = await typePassword(browser, parameters);
    expect([new URL(page.url).pathname, page.body.includes("remember_device")]).toEqual(["/mfa/verify", false]);
    const step = readStep(browser, page);
    await followRedirects(browser, await step.post("/mfa/verify", { code: await app.code(), ...REMEMBER }));
    expect(await eventsOf()).toEqual(["device.remembered"]);
  });

  // Proves requirement 153.
  test.each<[string, Parameters]>([
    ["two factors", { acr_values: ACR_MFA }],
    ["a recent sign-in", { max_age: "3600" }],
  ])("a session of a remembered device needs the factor for an application that requests %s", async (_what, wanted) => {
    await signInAndRemember();
    expect(await isAsked()).toBe(false);
    const request = party.request(wanted);
    const page = await open(browser, request.url);
    expect(new URL(page.url).pathname).toBe("/mfa/verify");
    const end = await followRedirects(
      browser,
      await readStep(browser, page).post("/mfa/verify", { code: await app.code() }),
    );
    const tokens = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(String(tokens.idToken));
    expect(payload).toMatchObject({ amr: ["pwd", "otp", "mfa"], acr: ACR_MFA });
  });

  // Proves requirements 74, 153.
  test("a live session of a remembered device gets no link that removes factors without the password", async () => {
    await signInAndRemember();
    expect(await isAsked()).toBe(false);
    const page = await open(browser, party.request({ acr_values: ACR_MFA }).url);
    const step = readStep(browser, page);
    const { t, q } = server.context.store;
    const countLinks = () =>
      q.$count(t.oneTimeTokens, and(eq(t.oneTimeTokens.userId, anna.id), eq(t.oneTimeTokens.kind, "mfa-reset")));
    const refused = await step.post("/mfa/lost");
    expect([new URL(refused.location ?? "").searchParams.get("status"), await countLinks()]).toEqual(["refused", 0]);
    const lost = `/mfa/lost?${new URLSearchParams({ login_challenge: step.challenge })}`;
    const form = await followRedirects(browser, await browser.get(lost));
    expect(new URL(form.url).pathname).toBe("/login/native");
    const { username, password } = anna;
    const proven = await browser.submit(form, form.page().form("/login/native"), { username, password });
    expect(new URL((await followRedirects(browser, proven)).url).pathname).toBe("/mfa/verify");
    const offer = await browser.get(lost);
    await browser.submit(offer, offer.page().form("/mfa/lost"));
    expect(await countLinks()).toBe(1);
  });

  // Proves requirement 153.
  test("the settings ask for the factor: at their own entry, and before a sensitive change of an application's link", async () => {
    await signInAndRemember();
    expect(await isAsked()).toBe(false);
    const entry = await open(browser, `${server.url}/manage/open?to=/manage/mfa`);
    expect(new URL(entry.url).pathname).toBe("/mfa/verify");
    signOut();
    const page = await settingsClient.openSettings(browser, anna);
    expect([page.status, new URL(page.url).pathname]).toEqual([200, "/manage"]);
    const change = await browser.follow(await browser.get("/manage/credentials/password"));
    expect(new URL(change.url).pathname).toBe("/manage/confirm");
    const form = await open(browser, `${server.url}/manage/open?to=/manage/credentials/password`);
    expect(new URL(form.url).pathname).toBe("/mfa/verify");
    const end = await readStep(browser, form).post("/mfa/verify", { code: await app.code() });
    expect(new URL((await followRedirects(browser, end)).url).pathname).toBe("/manage/credentials/password");
  });

  // Proves requirement 153.
  test("a device is not remembered with a group that requires a second factor, nor with a recovery code", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    const member = await server.users.create({ groupName });
    const membersApp = await giveTotp(server, member);
    const step = await openStep(browser, party.request().url, member);
    expect(step.page.body).not.toContain("remember_device");
    await step.post("/mfa/verify", { code: await membersApp.code(), ...REMEMBER });
    const [code = "", other = ""] = await giveRecoveryCodes(server, anna);
    const plain = await openStep(server.browser(), party.request().url, anna);
    codeOf(await followRedirects(plain.browser, await plain.post("/mfa/verify", { code, ...REMEMBER })));
    const called = await openStep(server.browser(), party.request().url, anna);
    const { token } = Object((await called.call("/mfa/verify-totp", { code: other })).json());
    const last = await called.browser.get(`/mfa/verify?login_challenge=${encodeURIComponent(called.challenge)}`);
    expect(last.body).not.toContain("remember_device");
    await called.post("/mfa/verify", { mfa_token: token, ...REMEMBER });
    expect([await countDevices(), await countDevices(member)]).toEqual([0, 0]);
  });

  test("a code that a JSON call has checked can remember the device", async () => {
    const step = await openStep(browser, party.request().url, anna);
    const { token } = Object((await step.call("/mfa/verify-totp", { code: await app.code() })).json());
    codeOf(await followRedirects(browser, await step.post("/mfa/verify", { mfa_token: token, ...REMEMBER })));
    signOut();
    expect(await isAsked()).toBe(false);
  });

  // Proves requirement 153.
  test("two simultaneous sign-ins of a device both skip the second step; two submissions of a form store one device", async () => {
    const step = await openStep(browser, party.request().url, anna);
    const code = await app.code();
    await Promise.all([1, 2].map(() => step.post("/mfa/verify", { code, ...REMEMBER })));
    expect(await countDevices()).toBe(1);
    signOut();
    const forms = [await openForm(browser, party.request().url), await openForm(browser, party.request().url)];
    const { username, password } = anna;
    const ends = await Promise.all(forms.map((form) => form.post({ username, password })));
    for (const { location } of ends) expect(location).toMatch(/\/oauth2\/auth\/[\w-]+$/);
  });

  test("a device that is remembered again has one row, and its former cookie is worthless", async () => {
    await signInAndRemember();
    const before = deviceCookies().map(({ name, value }) => `${name}=${value}; Path=/`);
    const page = await typePassword(browser, { acr_values: ACR_MFA });
    await followRedirects(browser, await readStep(browser, page).post("/mfa/verify", { code: await app.code() }));
    signOut();
    server.clock.advance(60);
    const { t, q } = server.context.store;
    await q
      .update(t.rememberedDevices)
      .set({ generation: sql`${t.rememberedDevices.generation} - 1` })
      .where(eq(t.rememberedDevices.userId, anna.id));
    await signInAndRemember();
    expect(await countDevices()).toBe(1);
    expect(await isAsked()).toBe(false);
    signOut();
    browser.jar.take(new URL(server.url), before);
    expect(await isAsked()).toBe(true);
  });

  test("the settings list the devices of the user alone, and forget no other user's", async () => {
    await signInAndRemember();
    const page = await openSettings("/manage/sessions");
    expect(page.body).toContain("Remembered devices");
    const fields = Object.fromEntries(page.page().form("/manage/sessions/forget-device").fields);
    const mallory = await server.users.create();
    const other = server.browser();
    const malloryPage = await settingsClient.openSettings(other, mallory);
    expect((await other.get("/manage/sessions")).body).not.toContain("Remembered devices");
    const _xsrf = String(stateOf(malloryPage).xsrf_token);
    const refused = [
      await other.post("/manage/sessions/forget-device", { ...fields, _xsrf }),
      await other.post("/manage/sessions/forget-device", fields),
      await browser.post("/manage/sessions/forget-device", { ...fields, _xsrf: "forged" }),
      await browser.post("/manage/sessions/forget-device", fields, { headers: { origin: "https://evil.example" } }),
      await server.browser().post("/manage/sessions/forget-device", fields),
    ];
    expect(refused.map(({ status }) => status)).toEqual([303, 403, 403, 403, 303]);
    expect(await countDevices()).toBe(1);
    const activity = (await browser.get("/manage/activity")).body;
    expect(activity).toContain("Device remembered: the second step is skipped there");
  });
});

describe("at a provider", () => {
  let setup: ExternalSetup;

  beforeAll(async () => {
    setup = await startWithProviders({ MFA_REMEMBER_DAYS: String(DAYS) });
    server = setup.server;
    party = await server.parties.create({ firstParty: true });
  });
  afterAll(() => setup?.close());

  test("a remembered device skips the second step, but is no proof of identity for an old sign-in there", async () => {
    const { google } = setup.upstream;
    const { sub } = addProviderUser(google);
    await connect(server, google, { sub }, anna.id);
    const step = readStep(browser, await signInAt(browser, party.request().url, google, sub));
    codeOf(await followRedirects(browser, await step.post("/mfa/verify", { code: await app.code(), ...REMEMBER })));
    signOut();
    const request = party.request();
    const tokens = readTokens(await party.exchange(codeOf(await signInAt(browser, request.url, google, sub)), request));
    const { payload } = await party.verifyIdToken(String(tokens.idToken));
    expect(payload).toMatchObject({ sub: anna.id, amr: ["fed", "remembered_device"], acr: ACR_PASSWORD });
    signOut();
    google.setFaults({ claims: ({ auth_time: _auth_time, ...claims }) => claims });
    const again = await signInAt(browser, party.request({ max_age: "300" }).url, google, sub);
    google.clearFaults();
    expect(new URL(again.url).pathname).toBe("/mfa/verify");
  });
});
