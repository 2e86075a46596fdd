import { and, count, eq, isNull } from "drizzle-orm";
import { listRememberedDevices } from "#app/db/repositories/remembered-devices.server.ts";
import { issueNotMeLink } from "#app/domain/mail/not-me-link.server.ts";
import { issueEmailChange, issueEmailUndo } from "#app/domain/profile/link.server.ts";
import { rememberDevice } from "#app/domain/remembered-device/remember.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { createFactorResetLink, createSettingsLink } from "#app/domain/user/links.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { createFormSetup, FORM_PATHS, type FormPath, openFormAt } from "#tests/http/middleware/forms.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { CODES, PASSWORD, TOTP, TOTP_REMOVAL, USERNAME } from "#tests/http/settings/pages.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser, FormValues, HttpResponse, RequestOptions } from "#tests/support/browser-jar.ts";
import { giveKey, giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";

/** A state-changing request ready to be sent, with the valid tokens of its browser. */
export type PreparedChange = {
  user: TestUser;
  browser: Browser;
  send(from: Browser, options?: RequestOptions): Promise<HttpResponse>;
};

export type Change = {
  name: string;
  prepare(server: TestServer): Promise<PreparedChange>;
  /** The request needs no session, so it works after `user end-sessions` too. */
  needsNoSession?: boolean;
  /** The request contains nothing about the user: every browser may send it with its own form. */
  isPublic?: boolean;
  /** Repeating the request is harmless: it replaces or repeats its earlier result. */
  isRepeatable?: boolean;
};

/** Posts that prove the identity (of which one is accepted), sign out, or request a mail. */
const REPEATABLE: readonly FormPath[] = [
  "/login/native",
  "/login/proceed",
  "/logout/accept",
  "/password-reset/request",
];

/** Forms that any browser can open and that change no session of the user. */
const WITHOUT_SESSION: readonly FormPath[] = ["/login", "/login/native", "/register", "/password-reset/request"];

const signInForms: Change[] = FORM_PATHS.map((path) => ({
  name: path,
  needsNoSession: WITHOUT_SESSION.includes(path),
  isPublic: path === "/password-reset/request",
  isRepeatable: REPEATABLE.includes(path),
  async prepare(server) {
    const stage = await createFormSetup(server);
    const browser = server.browser();
    const { fields, token } = await openFormAt(stage, path, browser);
    return {
      user: stage.anna,
      browser,
      send: (from, options) => from.post(path, { ...fields, _xsrf: token }, options),
    };
  },
}));

/** Prepares a form of the settings; `give` runs before the settings are opened, `values` fills in the form. */
function settingsForm(
  name: string,
  path: string,
  values: FormValues | ((page: HttpResponse, server: TestServer, user: TestUser) => Promise<FormValues>),
  give: (server: TestServer, user: TestUser) => Promise<unknown> = async () => {},
): Change {
  return {
    name,
    async prepare(server) {
      const user = await server.users.create();
      const settingsClient = await createSettingsClient(server);
      const browser = server.browser();
      await settingsClient.openSettings(browser, user);
      await give(server, user);
      const page = await browser.get(path);
      const _xsrf = String(stateOf(page).xsrf_token);
      const typed = typeof values === "function" ? await values(page, server, user) : values;
      return { user, browser, send: (from, options) => from.post(path, { _xsrf, ...typed }, options) };
    },
  };
}

const changePassword = (password: string) => ({
  password,
  newPassword: NEW_PASSWORD,
  newPasswordRepeat: NEW_PASSWORD,
  endOthers: "on",
});

let names = 0;

const settingsForms: Change[] = [
  settingsForm(PASSWORD, PASSWORD, async (_page, _server, user) => changePassword(user.password)),
  settingsForm(USERNAME, USERNAME, async () => {
    names += 1;
    return { username: `anna.renamed.${process.pid}.${names}` };
  }),
  {
    ...settingsForm("/manage/profile/name", "/manage/profile/name", { displayName: "Anna New", givenName: "Anna" }),
    isRepeatable: true,
  },
  {
    ...settingsForm("/manage/profile/phone", "/manage/profile/phone", { phone: "+49 30 1234" }),
    isRepeatable: true,
  },
  {
    ...settingsForm("/manage/profile/email", "/manage/profile/email", {
      intent: "request",
      email: "new@office.example",
    }),
    isRepeatable: true,
  },
  settingsForm("/manage/profile/email, withdrawn", "/manage/profile/email", { intent: "withdraw" }, giveEmailChange),
  settingsForm(TOTP, TOTP, async (page, server) => {
    const app = testApp(server.clock, String(stateOf(page).secret));
    return { code: await app.code() };
  }),
  settingsForm(TOTP_REMOVAL, TOTP_REMOVAL, {}, giveTotp),
  settingsForm("/manage/mfa/default-method", "/manage/mfa/default-method", { method: "totp" }, async (server, user) => {
    await giveTotp(server, user);
    await giveKey(server, user);
  }),
  { ...settingsForm("/manage/language", "/manage/language", { language: "de" }), isRepeatable: true },
  { ...settingsForm(CODES, CODES, {}, giveTotp), isRepeatable: true },
  { ...settingsForm("/manage/activity", "/manage/activity", {}), isRepeatable: true },
  { ...settingsForm("/manage/sessions, all others", "/manage/sessions", { intent: "others" }), isRepeatable: true },
];

const forgottenDevice: Change = {
  name: "/manage/sessions/forget-device",
  async prepare(server) {
    const user = await server.users.create();
    const browser = server.browser();
    const page = await (await createSettingsClient(server)).openSettings(browser, user);
    const { store, clock, random } = server.context;
    const { generation } = await getUserByName(store, user.username);
    const device = { userId: user.id, generation, browser: "browser", userAgent: "" };
    await rememberDevice({ store, clock, random, config: { mfaRememberDays: 30 } }, device);
    const [stored] = await listRememberedDevices(store, { userId: user.id, generation, now: clock.now() });
    const fields = { _xsrf: String(stateOf(page).xsrf_token), device: stored?.id ?? "" };
    return { user, browser, send: (from, options) => from.post("/manage/sessions/forget-device", fields, options) };
  },
};

/** Prepares a post of the second step; `give` and `typed` are for a user whose group requires a factor. */
function stepForm(
  name: string,
  path: string,
  give: (server: TestServer, user: TestUser) => Promise<() => Promise<FormValues>>,
): Change {
  return {
    name,
    async prepare(server) {
      const { name: groupName } = await server.groups.create({ requireMfa: true });
      const user = await server.users.create({ groupName });
      const typed = await give(server, user);
      const browser = server.browser();
      const { party } = await createFormSetup(server);
      const step = await openStep(browser, party.request({ prompt: "login" }).url, user);
      const { challenge: login_challenge, xsrf: _xsrf, mfaToken: mfa_token } = step;
      const fields = { _xsrf, login_challenge, mfa_token, ...(await typed()) };
      return { user, browser, send: (from, options) => from.post(path, fields, options) };
    },
  };
}

/** Starts the set-up of an authenticator app in a sign-in; `fields` finish it. */
async function startSetUp(server: TestServer) {
  const { name: groupName } = await server.groups.create({ requireMfa: true });
  const user = await server.users.create({ groupName });
  const browser = server.browser();
  const { party } = await createFormSetup(server);
  const step = await openStep(browser, party.request({ prompt: "login" }).url, user);
  const shown = await followRedirects(browser, await step.post("/mfa/setup", { method: "totp" }));
  const secret = /secret=([A-Z2-7]{32})/.exec(shown.body)?.[1] ?? "";
  const { loginChallenge, xsrfToken, token } = stateOf(shown);
  const fields = {
    _xsrf: String(xsrfToken),
    login_challenge: String(loginChallenge),
    mfa_token: String(token),
    method: "totp",
    code: await testApp(server.clock, secret).code(),
  };
  return { user, browser, fields };
}

const secondSteps: Change[] = [
  stepForm("/mfa/verify with a code of an app", "/mfa/verify", async (server, user) => {
    const app = await giveTotp(server, user);
    return async () => ({ code: await app.code() });
  }),
  stepForm("/mfa/verify with a recovery code", "/mfa/verify", async (server, user) => {
    await giveTotp(server, user);
    const [code = ""] = await giveRecoveryCodes(server, user);
    return async () => ({ code });
  }),
  {
    name: "/mfa/setup",
    async prepare(server) {
      const { user, browser, fields } = await startSetUp(server);
      return { user, browser, send: (from, options) => from.post("/mfa/setup", fields, options) };
    },
  },
  {
    name: "/mfa/recovery-codes",
    async prepare(server) {
      const { user, browser, fields } = await startSetUp(server);
      const offer = stateOf(await followRedirects(browser, await browser.post("/mfa/setup", fields)));
      const posted = {
        _xsrf: String(offer.xsrfToken),
        login_challenge: String(offer.loginChallenge),
        mfa_token: String(offer.token),
      };
      return { user, browser, send: (from, options) => from.post("/mfa/recovery-codes", posted, options) };
    },
  },
  {
    name: "/mfa/lost",
    isRepeatable: true,
    async prepare(server) {
      const user = await server.users.create();
      await giveTotp(server, user);
      const browser = server.browser();
      const { party } = await createFormSetup(server);
      const { challenge } = await openStep(browser, party.request({ prompt: "login" }).url, user);
      const page = await browser.get(`/mfa/lost?${new URLSearchParams({ login_challenge: challenge })}`);
      const fields = Object.fromEntries(page.page().form("/mfa/lost").fields);
      return { user, browser, send: (from, options) => from.post("/mfa/lost", fields, options) };
    },
  },
];

const factorReset: Change = {
  name: "/mfa-reset/reset",
  async prepare(server) {
    const user = await server.users.create();
    await giveTotp(server, user);
    await giveKey(server, user);
    const browser = server.browser();
    const page = await openLink(browser, (await createFactorResetLink(server.context, user.username)).url);
    const fields = Object.fromEntries(page.page().form("/mfa-reset/reset").fields);
    return { user, browser, send: (from, options) => from.post("/mfa-reset/reset", fields, options) };
  },
};

/** The link of a security notice, which ends all access. */
const report: Change = {
  name: "/login/not-me",
  needsNoSession: true,
  async prepare(server) {
    const user = await server.users.create();
    const browser = server.browser();
    const page = await openLink(browser, await issueNotMeLink(server.context, user.id));
    const fields = Object.fromEntries(page.page().form("/login/not-me").fields);
    return { user, browser, send: (from, options) => from.post("/login/not-me", fields, options) };
  },
};

/** Issues a link to a new address of the user, and returns it. */
async function giveEmailChange({ context }: TestServer, { username }: TestUser): Promise<string> {
  const to = `${username}.new@office.example`;
  return (await issueEmailChange(context, await getUserByName(context.store, username), to)).url;
}

/** Issues a link that restores an address of the user, and returns it. */
async function giveEmailUndo({ context }: TestServer, { username }: TestUser): Promise<string> {
  const email = `${username}.old@office.example`;
  return (await issueEmailUndo(context, await getUserByName(context.store, username), email)).url;
}

/** The links that confirm a new address, and that restore the old one. */
const addressLinks: Change[] = (
  [
    { path: "/email-change/confirm", issue: giveEmailChange },
    { path: "/email-change/undo", issue: giveEmailUndo, needsNoSession: true },
  ] as const
).map(({ path, issue, ...change }) => ({
  name: path,
  ...change,
  async prepare(server) {
    const user = await server.users.create();
    const browser = server.browser();
    const page = await openLink(browser, await issue(server, user));
    const fields = Object.fromEntries(page.page().form(path).fields);
    return { user, browser, send: (from, options) => from.post(path, fields, options) };
  },
}));

/** The proof of identity in settings that an administrator's link opened. */
const confirmation: Change = {
  name: "/manage/confirm",
  async prepare(server) {
    const user = await server.users.create();
    const browser = server.browser();
    const { url } = await createSettingsLink(server.context, user.username, { returnTo: null });
    const opening = await browser.follow(await browser.get(url));
    await browser.submit(opening, opening.page().form("/manage/opening"));
    const path = "/manage/confirm?to=%2Fmanage%2Fmfa";
    const fields = { _xsrf: String(stateOf(await browser.get(path)).xsrf_token), password: user.password };
    return { user, browser, send: (from, options) => from.post(path, fields, options) };
  },
};

/** Environment of a server with all of these forms. */
export const CHANGES_ENV = { PROFILE_CHANGES: "name,phone,email" } as const;

/** Every form that changes the state of a user. */
export const CHANGES: readonly Change[] = [
  ...signInForms,
  ...settingsForms,
  forgottenDevice,
  ...secondSteps,
  factorReset,
  report,
  ...addressLinks,
  confirmation,
];

/** Returns the effects on the user: own columns, rows per table, and successful audit events per type. */
export async function effectsOn({ context }: TestServer, { id }: TestUser) {
  const { t, q } = context.store;
  const { username, passwordHash, generation, status, defaultFactor, email, displayName, phone } =
    (await q.select().from(t.users).where(eq(t.users.id, id)))[0] ?? {};
  const events = await q
    .select({ type: t.auditEvents.type, times: count() })
    .from(t.auditEvents)
    .where(and(eq(t.auditEvents.userId, id), eq(t.auditEvents.outcome, "ok")))
    .groupBy(t.auditEvents.type);
  return {
    stored: { username, passwordHash, generation, status, defaultFactor, email, displayName, phone },
    rows: {
      apps: await q.$count(t.totpCredentials, eq(t.totpCredentials.userId, id)),
      keys: await q.$count(t.webauthnCredentials, eq(t.webauthnCredentials.userId, id)),
      codes: await q.$count(t.recoveryCodes, eq(t.recoveryCodes.userId, id)),
      devices: await q.$count(t.rememberedDevices, eq(t.rememberedDevices.userId, id)),
      addressLinks: await q.$count(
        t.oneTimeTokens,
        and(eq(t.oneTimeTokens.userId, id), eq(t.oneTimeTokens.kind, "email-change"), isNull(t.oneTimeTokens.usedAt)),
      ),
      consents: await q.$count(t.consents, eq(t.consents.userId, id)),
    },
    events: Object.fromEntries(events.map(({ type, times }) => [type, times] as const).toSorted()),
  };
}
