import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { readSources } from "#tests/support/source-tree.ts";
import { findSignedInUser } from "./live-session.ts";
import { openForm, stateOf } from "./open-form.ts";

/** Every route of the product, and the functions by which it can finish a sign-in. */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  login: [],
  "login/native": ["acceptLogin"],
  "login/proceed": ["acceptAccount"],
  "login/passkey": ["acceptLogin"],
  "login/password-notice": ["continueAfterNotice"],
  "login/passkey-offer": [],
  "login/passkey-offer/options": [],
  "login/no-access": [],
  "login/:provider": [],
  "login/:provider/callback": [],
  "login/:provider/account": [],
  "mfa/verify": ["acceptLogin"],
  "mfa/setup": [],
  "mfa/recovery-codes": [],
  "mfa/lost": [],
  "mfa/verify-totp": [],
  "mfa/init-totp": [],
  "mfa/setup-totp": [],
  "mfa/init-fido2": [],
  "mfa/verify-fido2": [],
  "mfa/init-fido2-registration": [],
  "mfa/setup-fido2": [],
  "password-reset/request-form": [],
  "password-reset/request": [],
  "password-reset/request-status": [],
  "password-reset/reset-form": [],
  "password-reset/reset": [],
  "password-reset/reset-status": [],
  "mfa-reset/reset-form": [],
  "mfa-reset/reset": [],
  "mfa-reset/reset-status": [],
  "mfa-reset/stop": [],
  help: [],
  "help/new-device": [],
  "help/new-password": [],
  "help/status": [],
  "login/not-me": [],
  "email-change/confirm": [],
  "email-change/undo": [],
  register: [],
  "register/callback": [],
  "api/v1/rpc/registration/redeem": [],
  "api/v1/rpc/registration/complete": [],
  consent: [],
  "consent/accept": ["acceptConsent"],
  "consent/reject": [],
  logout: [],
  "logout/accept": [],
  "logout/reject": [],
  "logout/callback": [],
  manage: [],
  "manage/confirm": [],
  "manage/sessions": [],
  "manage/applications": [],
  "manage/activity": [],
  "manage/admin": [],
  "manage/admin/people/:id/help/new-device": [],
  "manage/admin/people/:id/help/new-password": [],
  "manage/admin/people/:id/help/withdraw": [],
  "manage/admin/people/import": [],
  "manage/admin/people/import/:file": [],
  "manage/admin/people/import/:file/errors": [],
  "manage/admin/groups": [],
  "manage/admin/groups/add": [],
  "manage/admin/groups/:id": [],
  "manage/admin/groups/:id/edit": [],
  "manage/admin/groups/:id/remove": [],
  "manage/admin/people/invite": [],
  "manage/admin/people/:id": [],
  "manage/admin/people/:id/edit": [],
  "manage/admin/people/:id/office": [],
  "manage/admin/people/:id/groups": [],
  "manage/admin/people/:id/role": [],
  "manage/admin/people/:id/block": [],
  "manage/admin/people/:id/unblock": [],
  "manage/admin/people/:id/end-sessions": [],
  "manage/admin/people/:id/last-day": [],
  "manage/admin/people/:id/remove": [],
  "manage/admin/people/:id/resend": [],
  "manage/admin/people/:id/withdraw": [],
  "manage/admin/people/:id/factors/:factor": [],
  "manage/admin/activity": [],
  "manage/admin/activity/export": [],
  "manage/admin/people": [],
  "manage/admin/people/export": [],
  "manage/admin/*": [],
  "manage/language": [],
  "manage/mfa": [],
  "manage/mfa/default-method": [],
  "manage/mfa/register-totp": [],
  "manage/mfa/register-fido2": [],
  "manage/mfa/register-passkey": [],
  "manage/mfa/totp/remove": [],
  "manage/mfa/keys/:id": [],
  "manage/mfa/keys/:id/remove": [],
  "manage/mfa/recovery-codes": [],
  "manage/credentials/password": [],
  "manage/credentials/username": [],
  "manage/profile/name": [],
  "manage/profile/email": [],
  "manage/profile/phone": [],
  "manage/sessions/forget-device": [],
  "clients/:id/logo": [],
  "manage/open": [],
  "manage/opening": [],
  "manage/sign-out": [],
  ".well-known/change-password": [],
  ".well-known/passkey-endpoints": [],
  "manage/oauth/:provider": [],
  "manage/error/:code": [],
  "manage/error/unauthorized": [],
  "manage/*": [],
  "api/v1/rpc/user/manage/token": [],
  "api/v1/rpc/user/manage/userinfo": [],
  "api/v1/rpc/user/manage/mfa-registration-status": [],
  "api/v1/rpc/user/manage/mfa-init-totp": [],
  "api/v1/rpc/user/manage/mfa-verify-totp": [],
  "api/v1/rpc/user/manage/mfa-init-fido2": [],
  "api/v1/rpc/user/manage/mfa-verify-fido2": [],
  "api/v1/rpc/user/manage/mfa-init-passkey": [],
  "api/v1/rpc/user/manage/mfa-verify-passkey": [],
  "api/v1/rpc/user/manage/password": [],
  "api/v1/rpc/user/manage/username": [],
  "api/v1/rpc/user/manage/oauth/accounts": [],
  "api/v1/rpc/user/manage/oauth/:provider": [],
  "api/v1/rpc/user/manage/oauth/connect-url/:provider": [],
  error: [],
  "*": [],
};

/** Functions that pass a user to the engine, or resume a request with one. */
const ENDINGS = /\b(acceptLogin|acceptAccount|acceptConsent|continueRequest|continueAfterNotice|continueAfterOffer)\(/g;

/** Functions of the sign-in policy, and the type that only they create. */
const GATED =
  /\b(signInWithPassword|signInWithPasskey|signInWithIdentity|continueSession|finishSecondFactor|findSubjectOfSession|checkSession)\(|\bsubject: Subject\b/;

describe("the source", () => {
  const sources = readSources("main.ts", "app").filter(({ path }) => !path.startsWith("app/oidc/"));
  const textOf = (path: string) => sources.find((file) => file.path === path)?.text ?? "";
  const endingsIn = (text: string) => [...new Set([...text.matchAll(ENDINGS)].map(([, name]) => name))];

  // Proves requirement 22.
  test("has no route that is missing in this list", () => {
    const table = textOf("app/routes.ts");
    const pages = [...table.matchAll(/route\("([^"]+)", "([^"]+)"/g)];
    const calls = [...table.matchAll(/\bcall\("([^"]+)"\)/g)].map(([match, url]) => [match, url, "routes/api/call.ts"]);
    const found = [...pages, ...calls].map(
      ([, url = "", file = ""]) => [url, endingsIn(textOf(`app/${file}`))] as const,
    );
    expect(Object.fromEntries(found)).toEqual(ROUTES);
  });

  // Proves requirement 22.
  test("completes a sign-in only through the sign-in policy", () => {
    const files = sources.filter(({ text }) => endingsIn(text).length > 0);
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(files.filter(({ text }) => !GATED.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("makes the subject of a session at the gate alone", () => {
    const makers = sources.filter(({ text }) => /\bsubjectOf\(/.test(text)).map(({ path }) => path);
    expect(makers.sort()).toEqual([
      "app/domain/engine-session/subject.server.ts",
      "app/domain/sign-in-policy/sign-in-policy.server.ts",
    ]);
  });
});

let server: TestServer;
let party: RelyingParty;
let browser: Browser;

async function startWith(env: Record<string, string> = {}) {
  server = await startServer({ env, passwordChecks: "every" });
  party = await server.parties.create({ firstParty: true });
}

afterEach(() => {
  browser = server?.browser();
});

const typedBy = ({ username, password }: TestUser) => ({ username, password });

describe("the gate", () => {
  let anna: TestUser;

  beforeAll(() => startWith());
  afterAll(() => server?.close());

  beforeEach(async () => {
    anna = await server.users.create();
    browser = server.browser();
  });

  test("refuses who is blocked between the password and the end of the sign-in", async () => {
    const form = await openForm(browser, party.request().url);
    const accepted = await form.post(typedBy(anna));
    expect(accepted.status).toBe(303);
    await blockUser(server.context, anna.username);
    const end = await followRedirects(browser, accepted);
    expect(new URL(end.url).origin).toBe(server.url);
    expect(end.location).toBeNull();
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("refuses who is blocked while the password is being checked, like a wrong password", async () => {
    const form = await openForm(browser, party.request().url);
    const [response] = await Promise.all([form.post(typedBy(anna)), blockUser(server.context, anna.username)]);
    const end = response.status === 303 ? await followRedirects(browser, response) : response;
    expect(end.location).toBeNull();
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("refuses a user who is blocked while another page is open", async () => {
    const stranger = await server.parties.create();
    const question = await typePassword(browser, await open(browser, stranger.request().url), anna);
    await blockUser(server.context, anna.username);
    const response = await followRedirects(
      browser,
      await browser.submit(question, question.page().form("/consent/accept")),
    );
    expect(new URL(response.url).origin).toBe(server.url);
    expect(response.location).toBeNull();
    expect(response.body).not.toContain(anna.displayName);
  });

  test("does not continue in a second tab with an invalid session", async () => {
    const tab = await openForm(browser, party.request().url);
    await signIn(browser, party.request(), anna);
    await blockUser(server.context, anna.username);
    const page = await followRedirects(browser, await browser.get(tab.page.url));
    expect(hasForm(page, "/login/native")).toBe(true);
  });

  test("requires a second factor if the user's group requires one: a password alone creates no session", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    const clerk = await server.users.create({ groupName });
    const form = await openForm(browser, party.request().url);
    const page = await form.post(typedBy(clerk));
    const { pathname } = new URL(page.headers.location ?? "", server.url);
    expect([page.status, pathname, page.setCookies]).toEqual([303, "/mfa/verify", []]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("with a wrong password does not reveal the second factor", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    const clerk = await server.users.create({ groupName });
    const form = await openForm(browser, party.request().url);
    expect(stateOf(await form.post({ username: clerk.username, password: "Wrong-Window-27-Oak" })).error).toBe(
      "credentials",
    );
  });

  test("does not accept a session from before the group's requirement: prompt=none gets login_required", async () => {
    const { id, name: groupName } = await server.groups.create();
    const clerk = await server.users.create({ groupName });
    await signIn(browser, party.request(), clerk);
    expect(await findSignedInUser(party, browser)).toBe(clerk.id);
    const { t, q } = server.context.store;
    await q.update(t.groups).set({ requireMfa: true }).where(eq(t.groups.id, id)).returning();

    expect(await findSignedInUser(party, browser)).toBe("login_required");
    const page = await open(browser, party.request().url);
    expect([page.location, new URL(page.url).pathname]).toEqual([null, "/mfa/verify"]);
  });

  test("completes without a further step", async () => {
    const form = await openForm(browser, party.request().url);
    expect(redirectParameters(await followRedirects(browser, await form.post(typedBy(anna))))).toHaveProperty("code");
  });
});

describe("where every sign-in needs a second factor", () => {
  beforeAll(() => startWith({ MFA_POLICY: "required" }));
  afterAll(() => server?.close());

  test("a refused password creates no session and no known browser", async () => {
    const anna = await server.users.create();
    const otherBrowser = server.browser();
    const form = await openForm(otherBrowser, party.request().url);
    expect((await form.post(typedBy(anna))).headers.location).toMatch(/^\/mfa\/verify\?/);
    expect(await findSignedInUser(party, otherBrowser)).toBe("login_required");
    const { t, q } = server.context.store;
    expect(await q.$count(t.knownBrowsers)).toBe(0);
    expect(await q.$count(t.oidcRecords, eq(t.oidcRecords.model, "Session"))).toBe(0);
  });
});
