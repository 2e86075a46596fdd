import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { requestPasswordReset } from "#app/domain/password-reset/request.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import {
  choose,
  FIRST_SUCCESS,
  mailsTo,
  NEW_PASSWORD,
  openLink,
  redirectTarget,
} from "#tests/http/password-reset/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { linkOf } from "#tests/support/mails.ts";
import { serverOfFile } from "#tests/support/server.ts";
import {
  createRegistrar,
  newAccount,
  openSignIn,
  pressCreate,
  register,
  startAndRedeem,
  startRegistration,
  tokenOf,
} from "./steps.ts";

/** The notices whose text names the account, or another account. */
const NOTICES: readonly MailTemplate[] = [
  { name: "password-changed" },
  { name: "username-changed", old: "evil.example", new: "evil.example.com" },
  { name: "factor-refused" },
  { name: "provider-connected", provider: "Google", account: "mallory" },
];
let browser: Browser;

const server = await serverOfFile();
const party = await createRegistrar(server, { clientUri: "https://desk.example/" });

beforeEach(() => {
  browser = server.browser();
});

async function countUsers(): Promise<number> {
  const { t, q } = server.context.store;
  return q.$count(t.users);
}

describe("a user without an account", () => {
  test("is redirected to the application, returns with an account, and signs in with a new password", async () => {
    const page = await openSignIn(browser, party);
    expect(stateOf(page).reg_hints).toEqual([
      { key: "email", value: "eva@office.example" },
      { key: "name", value: "Eva Brandt" },
    ]);
    const away = await pressCreate(browser, page);
    expect([away.status, away.location]).toEqual([
      303,
      expect.stringMatching(/^http:\/\/localhost:9\/join\?from=sign-in&/),
    ]);
    const redeemed = await party.redeem(tokenOf(away));
    expect([redeemed.status, redeemed.json()]).toEqual([
      200,
      {
        hints: { email: "eva@office.example", name: "Eva Brandt" },
        verified: [],
        registration_id: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
    const account = newAccount();
    const completed = await party.complete(String(redeemed.json().registration_id), account);
    expect([completed.status, completed.json()]).toEqual([
      200,
      { user_id: expect.any(String), callback_url: expect.stringContaining(`${server.url}/register/callback?token=`) },
    ]);

    const elsewhere = server.browser();
    const [mail = { text: "" }] = await mailsTo(server, account.email);
    expect(redirectTarget(await choose(elsewhere, await openLink(elsewhere, linkOf(mail))))).toBe(FIRST_SUCCESS);

    const form = await open(browser, String(completed.json().callback_url));
    expect(Object.fromEntries(form.page().form("/login/native").fields)).toMatchObject({ username: account.username });
    const end = await typePassword(browser, form, { username: account.username, password: NEW_PASSWORD });
    expect(redirectParameters(end)).toHaveProperty("code");
  });

  test("has none before the application has completed it, and no password at first", async () => {
    const before = await countUsers();
    const id = await startAndRedeem(browser, party);
    expect(await countUsers()).toBe(before);
    const { username } = newAccount();
    expect((await party.complete(id, { username })).status).toBe(200);
    const { t, q } = server.context.store;
    const [user] = await q.select().from(t.users).where(eq(t.users.username, username));
    expect(user).toMatchObject({ passwordHash: null, emailVerified: false, groupId: null, permissions: [] });
  });

  // Proves requirement 71.
  test("types no text that is mailed to the address in the office's name, until a mailed link was used", async () => {
    const username = `evil-${randomBytes(4).toString("hex")}.example`;
    const account = { ...newAccount(), username, display_name: "Your prize" };
    const { userId } = await register(browser, party, account);
    const { context } = server;
    await requestPasswordReset(context, {
      username,
      signIn: null,
      pageLanguage: "en",
      address: "192.0.2.1",
      userAgent: "",
      requestId: "r",
    });
    for (const template of NOTICES) await notifyUser(context, userId, { template });
    // The newer link replaced that of the invitation, which is not sent.
    const mails = await mailsTo(server, account.email, NOTICES.length + 1);
    for (const { email, subject, text, html } of mails) {
      expect(`${subject} ${text} ${html} ${email.to?.[0]?.name}`).not.toMatch(/evil|prize|mallory/);
    }
    const reset = mails.find(({ subject }) => subject === "Reset your password");
    const mailbox = server.browser();
    await choose(mailbox, await openLink(mailbox, linkOf(reset ?? { text: "" })));
    const last = (await mailsTo(server, account.email, NOTICES.length + 2)).at(-1);
    expect(last?.text).toMatch(new RegExp(`^Hello Your prize,\n\nThe password for ${username} was changed`));
  });

  test("is invited without the names that the application sent", async () => {
    const { account } = await register(browser, party, { ...newAccount(), display_name: "Your prize" });
    const [mail] = await mailsTo(server, account.email);
    expect(mail?.text).toMatch(/^Hello,\n\nAn account was created for you\. /);
    expect(`${mail?.text}${mail?.html}${mail?.email.to?.[0]?.name}`).not.toMatch(
      new RegExp(`${account.username} |prize`),
    );
  });

  test("is not signed in by returning", async () => {
    const { callbackUrl } = await register(browser, party);
    const form = await open(browser, callbackUrl);
    expect(new URL(form.url).pathname).toBe("/login/native");
    expect(browser.jar.header(new URL(server.url))).not.toContain("session");
  });

  test("may open the return URL again, without an effect", async () => {
    const { callbackUrl, account } = await register(browser, party);
    for (let visit = 0; visit < 3; visit += 1) {
      expect((await open(browser, callbackUrl)).body).toContain(account.username);
    }
  });

  test("returns to the same request, which is restarted if it has expired", async () => {
    const page = await openSignIn(browser, party);
    server.clock.advance(30 * 60);
    const redeemed = await party.redeem(tokenOf(await pressCreate(browser, page)));
    const account = newAccount();
    const completed = await party.complete(String(redeemed.json().registration_id), account);
    server.clock.advance(31 * 60);
    const form = await open(browser, String(completed.json().callback_url));
    expect(new URL(form.url).pathname).toBe("/login");
    expect(Object.fromEntries(form.page().form("/login/native").fields)).toMatchObject({ username: account.username });
    expect(stateOf(form).reg_hints).toHaveLength(2);
  });

  test("may be redirected to the application by the form: the page has no form-action", async () => {
    const page = await openSignIn(browser, party);
    expect(page.headers["content-security-policy"]).not.toContain("form-action");
  });
});

describe("the return URL", () => {
  test("leads to a sign-in form that states that the account exists and a mail was sent, and offers no second account", async () => {
    const german = server.browser("de");
    const offered = await openSignIn(german, party);
    expect(
      offered
        .page()
        .all("dt")
        .map(({ text }) => text),
    ).toEqual(["E-Mail-Adresse", "Name"]);
    const redeemed = await party.redeem(tokenOf(await pressCreate(german, offered)));
    const completed = await party.complete(String(redeemed.json().registration_id));
    const page = await open(german, String(completed.json().callback_url));
    expect(page.page().one("div", { "data-code": "registered" }).text).toContain("Ihr Konto wurde angelegt.");
    expect(
      page
        .page()
        .forms()
        .filter(({ method }) => method === "post")
        .map(({ action }) => action),
    ).toEqual(["/login/native"]);
    expect((await german.get(page.url)).page().all("div", { "data-code": "registered" })).toHaveLength(1);
  });

  test("is refused in another browser, which gets no data of the account", async () => {
    const { callbackUrl, account } = await register(browser, party);
    const page = await open(server.browser(), callbackUrl);
    expect([page.status, stateOf(page)]).toEqual([400, { status: "error" }]);
    expect(page.body).not.toContain(account.username);
    expect(page.body).not.toContain("desk.example");
    expect(page.page().one("h1").text).toBe("Your account has been created");
  });

  test("shows that the link has expired a second after an hour, not a second before", async () => {
    const { callbackUrl } = await register(browser, party);
    server.clock.advance(60 * 60 - 1);
    expect((await browser.get(callbackUrl)).status).toBe(303);
    server.clock.advance(2);
    const page = await open(browser, callbackUrl);
    expect([page.status, stateOf(page)]).toEqual([400, { status: "error-token" }]);
    expect(page.body).toContain("This link has expired");
    expect(
      page
        .page()
        .all("a")
        .map(({ attributes }) => attributes.href),
    ).toContain("https://desk.example/");
  });

  test.each(["", "x", "a".repeat(43), "a".repeat(5000)])("is nothing else: %j", async (token) => {
    const page = await open(browser, `/register/callback?token=${token}`);
    expect([page.status, stateOf(page)]).toEqual([400, { status: "error" }]);
  });

  test("is neither the registration_token nor the registration_id", async () => {
    const token = await startRegistration(browser, party);
    const id = await startAndRedeem(server.browser(), party);
    for (const other of [token, id]) {
      expect(stateOf(await open(browser, `/register/callback?token=${other}`))).toEqual({ status: "error" });
    }
  });
});
