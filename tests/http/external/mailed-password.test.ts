import { beforeEach, describe, expect, test } from "vitest";
import { removeFactors } from "#app/db/repositories/factors.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { createSettingsLink } from "#app/domain/user/links.server.ts";
import {
  giveFactors,
  type MailedUser,
  openLostPage,
  requestLink,
  signInWithCode,
} from "#tests/http/factor-reset/steps.ts";
import { pressKeepName } from "#tests/http/login/change-language.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm } from "#tests/http/oidc/responses.ts";
import { choose, mailsTo, NEW_PASSWORD, obtainLink, openLink } from "#tests/http/password-reset/steps.ts";
import { tokenOf } from "#tests/http/second-factor/calls.ts";
import { readStep } from "#tests/http/second-factor/steps.ts";
import { createChain } from "#tests/http/settings/api.ts";
import { fill, PASSWORD, statusAndTarget, TOTP } from "#tests/http/settings/pages.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { givePasskey, giveTotp, type TestApp, testApp } from "#tests/support/factors.ts";
import { linkOf } from "#tests/support/mails.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { signInAt } from "./steps.ts";

const CONTACT = "help@office.example";
const NOTICE = "/login/password-notice";
const OTHER_PASSWORD = "Lantern-Meadow-58-Oak";
let anna: MailedUser;
let sub: string;
let browser: Browser;
let count = 0;

const setup = await providersOfFile({ SUPPORT_CONTACT: CONTACT });
const party = await setup.server.parties.create({ firstParty: true });

/** Links Anna's account to one at Google. */
beforeEach(async () => {
  const { server, upstream } = setup;
  count += 1;
  const email = `mailed-${count}@office.example`;
  anna = { ...(await server.users.create({ email })), email };
  const providerUser = addProviderUser(upstream.google);
  await connect(server, upstream.google, providerUser, anna.id);
  sub = providerUser.sub;
  browser = server.browser();
  server.clock.advance(60);
});

/** Sets a password with a mailed link, as anyone with access to the mailbox can. */
async function resetByMail(): Promise<MailedUser> {
  const stranger = setup.server.browser();
  await choose(stranger, await openLink(stranger, await obtainLink(setup.server, anna)));
  setup.server.clock.advance(60);
  return { ...anna, password: NEW_PASSWORD };
}

function signInWithGoogle(on = browser, parameters = {}): Promise<HttpResponse> {
  return signInAt(on, party.request(parameters).url, setup.upstream.google, sub);
}

/** Enters a code if the second step asks for it. */
async function giveCode(on: Browser, page: HttpResponse, app: TestApp): Promise<HttpResponse> {
  return followRedirects(on, await readStep(on, page).post("/mfa/verify", { code: await app.code() }));
}

function acknowledge(on: Browser, page: HttpResponse): Promise<HttpResponse> {
  return on.submit(page, page.page().form(NOTICE));
}

/** Submits that form, sets a new password with the mailed link, and returns it with the way back to the sign-in. */
async function resetOn(form: HttpResponse): Promise<MailedUser & { signIn: string }> {
  const { server } = setup;
  const before = (await server.mails()).filter(({ to }) => to === anna.email).length;
  const sent = await browser.submit(form, form.page().form("/password-reset/request"));
  expect(sent.location).toContain("status=success");
  const mail = (await mailsTo(server, anna.email, before + 1)).at(-1);
  const values = { password: OTHER_PASSWORD, password_repeat: OTHER_PASSWORD };
  const done = await browser.follow(
    await choose(browser, await openLink(browser, linkOf(mail ?? { text: "" })), values),
  );
  const hrefs = done
    .page()
    .all("a")
    .map(({ attributes }) => attributes.href ?? "");
  return { ...anna, password: OTHER_PASSWORD, signIn: hrefs.find((href) => href.startsWith("/login?")) ?? "none" };
}

async function isUnseen(): Promise<boolean | undefined> {
  return (await findUser(setup.server.context.store, anna.id))?.passwordResetUnseen;
}

describe("a password that was set by a mailed link", () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await giveFactors(setup.server, anna);
  });

  // Proves requirement 127.
  test("is not the owner's because the owner used a factor after a provider", async () => {
    const stolen = await resetByMail();
    await giveCode(browser, await signInWithGoogle(), app);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    setup.server.clock.advance(60);
    const thief = setup.server.browser();
    const refused = await followRedirects(thief, await openLostPage(thief, party, stolen));
    expect([refused.status, stateOf(refused)]).toEqual([400, { status: "refused" }]);
  });

  // Proves requirement 127.
  test("is not the owner's because a live session without it gave a factor", async () => {
    const stolen = await resetByMail();
    await giveCode(browser, await signInWithGoogle(), app);
    await giveCode(browser, await signInWithGoogle(browser, { prompt: "login" }), app);
    setup.server.clock.advance(60);
    const thief = setup.server.browser();
    expect(stateOf(await followRedirects(thief, await openLostPage(thief, party, stolen)))).toEqual({
      status: "refused",
    });
  });

  test("is proven once it was used with a factor, until another mail sets one", async () => {
    const owner = await resetByMail();
    codeOf(await followRedirects(browser, await signInWithCode(browser, party, owner, app)));
    setup.server.clock.advance(60);
    const elsewhere = setup.server.browser();
    const requested = await requestLink(elsewhere, await openLostPage(elsewhere, party, owner));
    expect(new URL(requested.location ?? "").searchParams.get("status")).toBe("success");
    const stolen = await resetByMail();
    const thief = setup.server.browser();
    expect(stateOf(await followRedirects(thief, await openLostPage(thief, party, stolen)))).toEqual({
      status: "refused",
    });
  });
});

describe("the next sign-in by a provider after a mailed reset", () => {
  // Proves requirement 127.
  test("shows when the password was set and what to do, and then continues", async () => {
    await resetByMail();
    const page = await signInWithGoogle();
    expect([page.status, new URL(page.url).pathname]).toEqual([200, NOTICE]);
    expect(page.page().text).toContain("today at");
    expect(page.body).toContain(CONTACT);
    expect(page.page().text).toContain("Please secure your mailbox first");
    codeOf(await followRedirects(browser, await acknowledge(browser, page)));
    expect(await isUnseen()).toBe(false);
    codeOf(await signInWithGoogle(setup.server.browser()));
  });

  test("is shown in German, after the second step too", async () => {
    const app = await giveFactors(setup.server, anna);
    await resetByMail();
    const german = setup.server.browser("de");
    const page = await giveCode(german, await signInWithGoogle(german), app);
    expect(new URL(page.url).pathname).toBe(NOTICE);
    expect(page.body).toContain('lang="de"');
    expect(page.page().text).toContain("Sichern Sie bitte zuerst Ihr E-Mail-Postfach");
    codeOf(await followRedirects(german, await acknowledge(german, page)));
  });

  test("loses no sign-in: left, it is shown again by the next request, and the session is there", async () => {
    await resetByMail();
    const page = await signInWithGoogle();
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    expect((await browser.get(page.url)).status).toBe(200);
    const again = await open(browser, party.request().url);
    expect(new URL(again.url).pathname).toBe(NOTICE);
    codeOf(await followRedirects(browser, await acknowledge(browser, again)));
    codeOf(await open(browser, party.request().url));
  });

  test("continues in two tabs in either order", async () => {
    await resetByMail();
    const first = await signInWithGoogle();
    const second = await open(browser, party.request().url);
    codeOf(await followRedirects(browser, await acknowledge(browser, second)));
    codeOf(await followRedirects(browser, await acknowledge(browser, first)));
    const other = await followRedirects(browser, await acknowledge(browser, first));
    expect(other.status).toBeLessThan(500);
  });

  test("does not ask for the password twice with prompt=login", async () => {
    await resetByMail();
    const page = await signInWithGoogle(browser, { prompt: "login" });
    codeOf(await followRedirects(browser, await acknowledge(browser, page)));
  });

  test("is skipped in an open page after it was acknowledged", async () => {
    await resetByMail();
    const first = await signInWithGoogle();
    const second = await open(browser, party.request().url);
    codeOf(await followRedirects(browser, await acknowledge(browser, second)));
    codeOf(await followRedirects(browser, await browser.get(first.url)));
  });

  test("is refused without its anti-forgery token, and shown again", async () => {
    await resetByMail();
    const page = await signInWithGoogle();
    const refused = await browser.submit(page, page.page().form(NOTICE), { _xsrf: "stale" });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
    expect(await isUnseen()).toBe(true);
    codeOf(await followRedirects(browser, await acknowledge(browser, refused)));
  });

  test("cannot be acknowledged by a session of the mailed password", async () => {
    const stolen = await resetByMail();
    const thief = setup.server.browser();
    codeOf(await signIn(thief, party.request(), stolen));
    const form = await open(thief, party.request({ prompt: "login" }).url);
    const { login_challenge, xsrf_token } = stateOf(form);
    const response = await thief.post(NOTICE, {
      _xsrf: String(xsrf_token),
      login_challenge: String(login_challenge),
    });
    expect(response.status).toBeLessThan(500);
    expect(await isUnseen()).toBe(true);
    expect(new URL((await signInWithGoogle()).url).pathname).toBe(NOTICE);
  });

  test("is not shown without a connected provider account, or if the password was not set by mail", async () => {
    const berta = await setup.server.users.create({ email: "berta@office.example" });
    const stranger = setup.server.browser();
    const link = await obtainLink(setup.server, { ...berta, email: "berta@office.example" });
    await choose(stranger, await openLink(stranger, link));
    expect((await findUser(setup.server.context.store, berta.id))?.passwordResetUnseen).toBe(false);
    codeOf(await signInWithGoogle());
  });

  test("is not shown to a user who signs in with the new password and a factor", async () => {
    const app = await giveFactors(setup.server, anna);
    const owner = await resetByMail();
    codeOf(await followRedirects(browser, await signInWithCode(browser, party, owner, app)));
    expect(await isUnseen()).toBe(false);
  });

  test("leads to a link for a new password, and from there back to the sign-in", async () => {
    const stolen = await resetByMail();
    const page = await signInWithGoogle();
    const form = await pressKeepName(browser, page, "reset");
    expect(form.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    const owner = await resetOn(form);
    const back = await open(browser, owner.signIn);
    codeOf(await typePassword(browser, back, owner));
    const thief = setup.server.browser();
    expect((await signIn(thief, party.request(), stolen)).status).toBe(401);
  });

  test("is in the settings too, which open without it and link the password reset", async () => {
    await resetByMail();
    const page = await signInAt(browser, "/manage/open?to=/manage", setup.upstream.google, sub);
    expect([page.status, new URL(page.url).pathname]).toEqual([200, "/manage"]);
    const banner = page.page().one("div", { "data-code": "password-reset" });
    expect(banner.text).toContain("today at");
    expect(banner.text).toContain("secure your mailbox first");
    expect(hasForm(page, NOTICE)).toBe(false);
    await resetOn(await pressKeepName(browser, page, "reset"));
    expect((await browser.get("/manage")).location).toContain("/manage/error/unauthorized");
  });
});

const CHANGED = [303, "/manage?status=password-success"];

/** Returns the password fields of the settings form. */
function typed(password: string) {
  return { password, newPassword: OTHER_PASSWORD, newPasswordRepeat: OTHER_PASSWORD };
}

/** Signs in with the password and opens a page of the settings with a fresh proof of identity. */
async function openSettings(on: Browser, user: MailedUser, to = PASSWORD): Promise<HttpResponse> {
  return typePassword(on, await open(on, `/manage/open?${new URLSearchParams({ to })}`), user);
}

/** Ways to change a password in the settings. */
const CHANGES: [string, (on: Browser, user: MailedUser) => Promise<void>][] = [
  [
    "on its page",
    async (on, user) => {
      const page = await openSettings(on, user);
      expect(statusAndTarget(await fill(on, page, PASSWORD, typed(user.password)))).toEqual(CHANGED);
    },
  ],
  [
    "by the API call of a page",
    async (on, user) => {
      const { token } = stateOf(await openSettings(on, user, "/manage"));
      const chain = createChain(setup.server, String(token));
      expect((await chain.put("password", typed(user.password))).status).toBe(200);
    },
  ],
  [
    "by an application's API call",
    async (on, user) => {
      const settings = await createSettingsClient(setup.server);
      const url = new URL(await settings.settingsUrl(await settings.signIn(on, user)));
      const chain = createChain(setup.server, url.searchParams.get("t") ?? "");
      expect((await chain.put("password", typed(user.password))).status).toBe(200);
    },
  ],
  [
    "by an administrator's link, with the current password as the proof of identity",
    async (on, user) => {
      const { url } = await createSettingsLink(setup.server.context, user.username, { returnTo: null });
      const page = await on.follow(await on.get(url));
      await on.follow(await on.submit(page, page.page().form("/manage/opening")));
      expect(statusAndTarget(await fill(on, await on.get(PASSWORD), PASSWORD, typed(user.password)))).toEqual(CHANGED);
    },
  ],
];

describe.each(CHANGES)("a mailed password that is changed in the settings %s", (_how, change) => {
  async function steal(): Promise<{ thief: Browser; stolen: MailedUser }> {
    const stolen = await resetByMail();
    const thief = setup.server.browser();
    await change(thief, stolen);
    setup.server.clock.advance(60);
    return { thief, stolen: { ...stolen, password: OTHER_PASSWORD } };
  }

  // Proves requirement 127.
  test("is still shown to the owner at the next sign-in by a provider", async () => {
    await steal();
    const page = await signInWithGoogle();
    expect([page.status, new URL(page.url).pathname]).toEqual([200, NOTICE]);
    expect(await isUnseen()).toBe(true);
  });

  // Proves requirement 127.
  test("does not get the factors reset that the owner sets up later", async () => {
    const { stolen } = await steal();
    await giveTotp(setup.server, anna);
    const thief = setup.server.browser();
    expect(stateOf(await followRedirects(thief, await openLostPage(thief, party, stolen)))).toEqual({
      status: "refused",
    });
  });
});

describe("a mailed password that its owner changes in the settings", () => {
  async function stored() {
    const user = await findUser(setup.server.context.store, anna.id);
    return { how: user?.passwordSetHow, isUnseen: user?.passwordResetUnseen };
  }

  test("after a sign-in by the provider is the owner's", async () => {
    const owner = await resetByMail();
    const page = await signInAt(browser, `/manage/open?to=${PASSWORD}`, setup.upstream.google, sub);
    expect(statusAndTarget(await fill(browser, page, PASSWORD, typed(owner.password)))).toEqual(CHANGED);
    expect(await stored()).toEqual({ how: "settings", isUnseen: false });
  });

  // Proves requirement 154.
  test("is not asked for in open settings that began at the provider: a stranger in front of them could know it", async () => {
    const stolen = await resetByMail();
    await signInAt(browser, `/manage/open?to=${PASSWORD}`, setup.upstream.google, sub);
    for (const _ of [1, 2]) {
      setup.server.clock.advance(5 * 60 + 1);
      await browser.get("/manage");
    }
    const page = await browser.follow(await browser.get(PASSWORD));
    expect(new URL(page.url).pathname).toBe("/manage/confirm");
    expect(page.page().all("input", { type: "password" })).toEqual([]);
    const _xsrf = String(stateOf(page).xsrf_token);
    const response = await browser.post(page.url, { _xsrf, password: stolen.password });
    expect([response.status, response.setCookies]).toEqual([303, []]);
    expect((await browser.get(PASSWORD)).location).toContain("/manage/confirm");
    expect(await stored()).toEqual({ how: "link", isUnseen: true });
  });

  test("after a sign-in with a factor is the owner's", async () => {
    const app = await giveTotp(setup.server, anna);
    const owner = await resetByMail();
    const page = await giveCode(browser, await openSettings(browser, owner), app);
    expect(statusAndTarget(await fill(browser, page, PASSWORD, typed(owner.password)))).toEqual(CHANGED);
    expect(await stored()).toEqual({ how: "settings", isUnseen: false });
  });

  test("after a factor was set up during the sign-in is not proven", async () => {
    const stolen = await resetByMail();
    const thief = setup.server.browser();
    const page = await open(thief, party.request({ acr_values: "urn:gatehouse:acr:mfa" }).url);
    const step = readStep(thief, await typePassword(thief, page, stolen));
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(setup.server.clock, String(secret)).code();
    const token = tokenOf(await step.call("/mfa/setup-totp", { code }));
    codeOf(await followRedirects(thief, await step.post("/mfa/verify", { mfa_token: token })));
    const form = await open(thief, `/manage/open?to=${PASSWORD}`);
    expect(statusAndTarget(await fill(thief, form, PASSWORD, typed(stolen.password)))).toEqual(CHANGED);
    expect(await stored()).toEqual({ how: "link", isUnseen: true });
  });
});

describe("a mailed password and what a stranger adds to the account", () => {
  let stolen: MailedUser;
  let thief: Browser;

  /** Opens the settings with the password, and enters a code if the sign-in asks for it. */
  async function openAs(on: Browser, user: MailedUser, to: string, app: TestApp | null = null): Promise<HttpResponse> {
    const page = await openSettings(on, user, to);
    return app && hasForm(page, "/mfa/verify") ? giveCode(on, page, app) : page;
  }

  /** Sets up an authenticator app in the settings. */
  async function addApp(): Promise<TestApp> {
    const start = await openAs(thief, stolen, TOTP);
    const page = await followRedirects(thief, await fill(thief, start, TOTP));
    const app = testApp(setup.server.clock, /secret=([A-Z2-7]{32})/.exec(page.body)?.[1] ?? "");
    await fill(thief, page, TOTP, { code: await app.code() });
    setup.server.clock.advance(60);
    return app;
  }

  async function stored() {
    const user = await findUser(setup.server.context.store, anna.id);
    return { how: user?.passwordSetHow, provenAt: user?.passwordProvenAt, isUnseen: user?.passwordResetUnseen };
  }

  const STILL_MAILED = { how: "link", provenAt: null, isUnseen: true };

  beforeEach(async () => {
    stolen = await resetByMail();
    thief = setup.server.browser();
  });

  // Proves requirement 127.
  test("is not the owner's after a sign-in with a factor that was set up since, and the notice stays", async () => {
    const app = await addApp();
    const elsewhere = setup.server.browser();
    codeOf(await followRedirects(elsewhere, await signInWithCode(elsewhere, party, stolen, app)));
    expect(await stored()).toEqual(STILL_MAILED);
    setup.server.clock.advance(60);
    await removeFactors(setup.server.context.store, anna.id);
    expect(new URL((await signInWithGoogle()).url).pathname).toBe(NOTICE);
  });

  // A sign-in with the password asks for no passkey, so that a stranger may add a factor beside it.
  test("is not the owner's either if the owner has a passkey, which the stranger did not give", async () => {
    const { server } = setup;
    const long = { ...server.context, clock: { now: () => new Date(0) } };
    await givePasskey({ url: server.url, context: long }, anna);
    const app = await addApp();
    const elsewhere = server.browser();
    codeOf(await followRedirects(elsewhere, await signInWithCode(elsewhere, party, stolen, app)));
    expect(await stored()).toEqual(STILL_MAILED);
  });

  test("is not the owner's either when the password was changed or mailed once more after that set-up", async () => {
    const app = await addApp();
    const changing = setup.server.browser();
    const form = await openAs(changing, stolen, PASSWORD, app);
    expect(statusAndTarget(await fill(changing, form, PASSWORD, typed(stolen.password)))).toEqual(CHANGED);
    setup.server.clock.advance(60);
    const changed = { ...stolen, password: OTHER_PASSWORD };
    const second = setup.server.browser();
    codeOf(await followRedirects(second, await signInWithCode(second, party, changed, app)));
    expect(await stored()).toEqual(STILL_MAILED);
    setup.server.clock.advance(60);
    const mailed = await resetByMail();
    const third = setup.server.browser();
    codeOf(await followRedirects(third, await signInWithCode(third, party, mailed, app)));
    expect(await stored()).toEqual(STILL_MAILED);
  });

  // Proves requirement 127.
  test("is not the owner's after a sign-in by an account that was connected since, and the notice stays", async () => {
    const { server, upstream } = setup;
    const own = addProviderUser(upstream.microsoft);
    await connect(server, upstream.microsoft, own, anna.id);
    server.clock.advance(60);
    codeOf(await signInAt(thief, party.request().url, upstream.microsoft, own.sub));
    const settings = server.browser();
    const page = await signInAt(settings, `/manage/open?to=${PASSWORD}`, upstream.microsoft, own.sub);
    expect(statusAndTarget(await fill(settings, page, PASSWORD, typed(stolen.password)))).toEqual(CHANGED);
    expect(await stored()).toEqual(STILL_MAILED);
    server.clock.advance(60);
    expect(new URL((await signInWithGoogle()).url).pathname).toBe(NOTICE);
  });

  test("is the owner's after a sign-in with a new factor once the owner has seen the notice", async () => {
    codeOf(await followRedirects(browser, await acknowledge(browser, await signInWithGoogle())));
    const app = await addApp();
    const elsewhere = setup.server.browser();
    codeOf(await followRedirects(elsewhere, await signInWithCode(elsewhere, party, stolen, app)));
    expect(await stored()).toMatchObject({ provenAt: expect.any(Date), isUnseen: false });
  });
});
