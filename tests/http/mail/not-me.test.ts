import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { invalidateSessions } from "#app/db/repositories/users.server.ts";
import { issueFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { issueNotMeToken, NOT_ME_DAYS } from "#app/domain/mail/not-me-link.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { endAccessByLink, REPORT_LIMIT } from "#app/domain/not-me/end-access.server.ts";
import { issueResetLink, RESET_LINK_MINUTES } from "#app/domain/password-reset/link.server.ts";
import { RESET_LIMITS, requestPasswordReset } from "#app/domain/password-reset/request.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, obtainTokens, open } from "#tests/http/oidc/browser-steps.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import {
  choose,
  ERROR_TOKEN,
  mailsTo,
  NEW_PASSWORD,
  openLink,
  redirectTarget,
  SUCCESS,
} from "#tests/http/password-reset/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { linkOf } from "#tests/support/mails.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";

const DONE = "/login/not-me?status=success";
const INVALID = "/login/not-me?status=error-token";
const NO_LINK = "/login/not-me?status=no-link";

let server: TestServer;
let party: RelyingParty;

beforeAll(async () => {
  server = await startServer();
  party = createRelyingParty({
    issuer: server.url,
    client: await server.clients.create({ firstParty: true, scopes: ["openid", "offline"] }),
  });
});

afterAll(() => server?.close());

function addressOf({ username }: TestUser): string {
  return `${username}@office.example`;
}

/** Signs the user in, and returns tokens with offline access. */
function signInOffline(user: TestUser, browser = server.browser()) {
  return obtainTokens(browser, party, party.request({ scope: "openid offline" }), user);
}

/** Sends a notice to the user, and returns its link. */
async function linkTo(anna: TestUser): Promise<string> {
  await notifyUser(server.context, anna.id, { template: { name: "new-browser" } });
  const mail = (await server.mails()).filter(({ to }) => to === addressOf(anna)).at(-1);
  if (!mail) throw new Error("no mail came");
  return linkOf(mail);
}

/** Opens the link and submits its form. */
async function confirm(link: string, browser = server.browser()) {
  const page = await browser.follow(await browser.get(link));
  return browser.submit(page, page.page().form("/login/not-me"));
}

/** Returns the status page to which an opened link redirects. */
async function openedLink(link: string): Promise<string> {
  return redirectTarget(await server.browser().get(link));
}

describe("the link of a security notice", () => {
  // Proves requirement 23.
  it("ends sessions, tokens and pending sign-ins, is recorded, and mails a link to a new password", async () => {
    const anna = await server.users.create();
    const browser = server.browser();
    const { refreshToken } = await signInOffline(anna, browser);
    const app = await giveTotp(server, anna);
    const pending = await openStep(server.browser(), party.request().url, anna);
    expect(redirectTarget(await confirm(await linkTo(anna)))).toBe(DONE);
    expect((await party.refresh(refreshToken)).status).toBe(400);
    const silent = await open(browser, party.request({ prompt: "none" }).url);
    expect(redirectParameters(silent)).toMatchObject({ error: "login_required" });
    const late = await pending.post("/mfa/verify", { code: await app.code(), method: "totp" });
    expect(stateOf(await followRedirects(pending.browser, late)).error).toBe("unauthorized");
    const [, reset] = await mailsTo(server, addressOf(anna), 2);
    expect(reset?.subject).toBe("Reset your password");
    expect(redirectTarget(await server.browser().get(linkOf(reset ?? { text: "" })))).toBe(
      "/password-reset/reset-form",
    );
    expect(server.lines()).toContainEqual(
      expect.objectContaining({ event: "session.ended", reason: "reported by link", userId: anna.id }),
    );
  });

  // Proves requirement 23.
  it("invalidates the links to a new password and to the removal of second factors that an attacker requested", async () => {
    const anna = await server.users.create();
    const user = await getUserByName(server.context.store, anna.username);
    const links = [
      (await issueResetLink(server.context, user)).url,
      (await issueFactorReset(server.context, user, null)).url,
    ];
    expect(await Promise.all(links.map(openedLink))).not.toContainEqual(expect.stringContaining("error-token"));
    expect(redirectTarget(await confirm(await linkTo(anna)))).toBe(DONE);
    for (const link of links) expect(await openedLink(link)).toContain("error-token");
  });

  // Proves requirement 23.
  it("stays valid after a new password, which may be that of an attacker", async () => {
    const anna = await server.users.create();
    const { refreshToken } = await signInOffline(anna);
    const link = await linkTo(anna);
    await setUserPassword(server.context, anna.username, "Harbour-Kettle-93-Lamp");
    const attacker = { ...anna, password: "Harbour-Kettle-93-Lamp" };
    const tokens = await signInOffline(attacker);
    expect(redirectTarget(await confirm(link))).toBe(DONE);
    for (const token of [refreshToken, tokens.refreshToken]) expect((await party.refresh(token)).status).toBe(400);
  });

  // Proves requirement 23.
  it("changes nothing by GET or HEAD, as mail scanners send it", async () => {
    const anna = await server.users.create();
    const { refreshToken } = await signInOffline(anna);
    const link = await linkTo(anna);
    const scanner = server.browser();
    await scanner.send("HEAD", link, null);
    const page = await scanner.follow(await scanner.get(link));
    expect([page.status, new URL(page.url).search]).toEqual([200, ""]);
    expect((await party.refresh(refreshToken)).status).toBe(200);
    expect(redirectTarget(await confirm(link))).toBe(DONE);
  });

  // Proves requirement 23.
  it("is single-use, for one of two simultaneous requests; the link of another notice still works", async () => {
    const anna = await server.users.create();
    const [link, other] = [await linkTo(anna), await linkTo(anna)];
    const browsers = [server.browser(), server.browser()];
    const pages = await Promise.all(browsers.map((browser) => openLink(browser, link)));
    const answers = browsers.map((browser, index) => {
      const page = pages[index];
      if (!page) throw new Error("no page");
      return browser.submit(page, page.page().form("/login/not-me"));
    });
    const targets = (await Promise.all(answers)).map(redirectTarget);
    expect(targets.toSorted()).toEqual([INVALID, DONE].toSorted());
    expect(await openedLink(link)).toBe(INVALID);
    expect(redirectTarget(await confirm(other))).toBe(DONE);
  });

  it("waits for a password reset of the same moment, without a deadlock", async () => {
    const anna = await server.users.create();
    const browser = server.browser();
    const page = await browser.follow(await browser.get(await linkTo(anna)));
    const { store, clock } = server.context;
    const { tokenHash } = await issueResetLink(server.context, await getUserByName(store, anna.username));
    const sent: ReturnType<typeof browser.submit>[] = [];
    // The order of `resetPassword`: its link, then the user.
    await store.tx(async (tx) => {
      await consumeOneTimeToken(tx, { kind: "password-reset", tokenHash, now: clock.now() });
      sent.push(browser.submit(page, page.page().form("/login/not-me")));
      await whenWaiting(tx);
      await invalidateSessions(tx, anna.id, clock.now());
    });
    expect((await Promise.all(sent)).map(redirectTarget)).toEqual([DONE]);
  });

  // Proves requirement 23.
  it("expires after the days that the manual promises", async () => {
    expect(NOT_ME_DAYS).toBe(7);
    const link = await linkTo(await server.users.create());
    server.clock.advance(NOT_ME_DAYS * DAY_SECONDS - 1);
    expect(await openedLink(link)).toBe("/login/not-me");
    server.clock.advance(1);
    expect(await openedLink(link)).toBe(INVALID);
  });

  // Proves requirement 23.
  it("expires after an hour if it was issued in the settings, where the newest alone is valid", async () => {
    const { id } = await server.users.create();
    const [older, newer] = [await issueNotMeToken(server.context, id), await issueNotMeToken(server.context, id)];
    const opened = (token: string) => openedLink(`/login/not-me?not_me_token=${token}`);
    expect([await opened(older), await opened(newer)]).toEqual([INVALID, "/login/not-me"]);
    server.clock.advance(60 * 60 - 1);
    expect(await opened(newer)).toBe("/login/not-me");
    server.clock.advance(1);
    expect(await opened(newer)).toBe(INVALID);
  });

  // Proves requirement 23.
  it("is invalid after a new mail address, and is no link of another kind", async () => {
    const anna = await server.users.create();
    const link = await linkTo(anna);
    const token = new URL(link).searchParams.get("not_me_token") ?? "";
    expect(await openedLink(`/password-reset/reset-form?reset_token=${token}`)).toContain("error-token");
    expect(await openedLink(`/mfa-reset/stop?stop_token=${token}`)).toContain("error-token");
    expect(await openedLink(`/login/not-me?not_me_token=${"a".repeat(43)}`)).toBe(INVALID);
    expect(await openedLink("/login/not-me?not_me_token=%3Cx%3E")).toBe(INVALID);
    await setUser(server.context, anna.username, { email: "new@office.example" });
    expect(await openedLink(link)).toBe(INVALID);
  });

  it("says in a browser that has not opened it how to reach the form, not that the link is invalid", async () => {
    const browser = server.browser();
    const page = await openLink(browser, await linkTo(await server.users.create()));
    expect(await openedLink(page.url)).toBe(NO_LINK);
    const explained = await openLink(server.browser(), page.url);
    expect([explained.status, stateOf(explained)]).toEqual([400, { status: "no-link" }]);
    expect(explained.page().one("h1").text).toBe("Please open the link from the e-mail here");
    expect(redirectTarget(await browser.submit(page, page.page().form("/login/not-me")))).toBe(DONE);
  });

  it("is refused without its anti-forgery token, and stays valid", async () => {
    const link = await linkTo(await server.users.create());
    const browser = server.browser();
    const page = await browser.follow(await browser.get(link));
    const refused = await browser.submit(page, page.page().form("/login/not-me"), { _xsrf: "stale" });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
    expect(redirectTarget(await confirm(link))).toBe(DONE);
  });
});

/** Confirms the link, and returns that of the mail which this sent. */
async function reportBy(link: string, anna: TestUser): Promise<string> {
  const before = (await mailsTo(server, addressOf(anna))).length;
  expect(redirectTarget(await confirm(link))).toBe(DONE);
  return linkOf((await mailsTo(server, addressOf(anna), before + 1)).at(-1) ?? { text: "" });
}

/** Chooses a new password by a link, and returns the status page. */
async function choosePassword(link: string): Promise<string> {
  const browser = server.browser();
  return redirectTarget(await choose(browser, await openLink(browser, link)));
}

/** Requests as many links to a new password as an hour allows, as anybody can. */
async function useUpMails({ username }: TestUser): Promise<void> {
  const request = { username, signIn: null, pageLanguage: "en", address: "192.0.2.1", userAgent: "", requestId: "r" };
  for (let n = 0; n <= RESET_LIMITS.user.points; n += 1) await requestPasswordReset(server.context, request);
}

describe("the link to a new password after a report", () => {
  // Proves requirement 23.
  it("is queued together with the end of all access", async () => {
    const anna = await server.users.create();
    const notMeToken = new URL(await linkTo(anna)).searchParams.get("not_me_token") ?? "";
    const metadata = { pageLanguage: "en", address: "192.0.2.1", userAgent: "", requestId: "r" };
    expect(await endAccessByLink(server.context, { notMeToken, ...metadata })).toEqual({ kind: "done" });
    const { t, q } = server.context.store;
    const queued = await q
      .select()
      .from(t.mailOutbox)
      .where(eq(t.mailOutbox.recipient, addressOf(anna)));
    expect(queued.map(({ kind }) => kind).toSorted()).toEqual(["new-browser", "password-reset"]);
  });

  // Proves requirement 23.
  it("is mailed although an attacker has used up the mails of the hour", async () => {
    const anna = await server.users.create();
    const report = await linkTo(anna);
    await useUpMails(anna);
    const link = await reportBy(report, anna);
    await useUpMails(anna);
    expect(await choosePassword(link)).toBe(SUCCESS);
  });

  // Proves requirement 23.
  it.each<[string, (anna: TestUser) => Promise<unknown>]>([
    ["changes the password", ({ username }) => setUserPassword(server.context, username, "Garden-Trolley-51-Moss")],
    ["changes anything else", ({ id }) => invalidateSessions(server.context.store, id, server.clock.now())],
    [
      "requests other links",
      async ({ username }) => {
        const user = await getUserByName(server.context.store, username);
        await issueResetLink(server.context, user);
        await issueFactorReset(server.context, user, null);
      },
    ],
    [
      "presses the button in the settings",
      async ({ id }) => confirm(`/login/not-me?not_me_token=${await issueNotMeToken(server.context, id)}`),
    ],
  ])("works, once, if an attacker %s after it", async (_what, attack) => {
    const anna = await server.users.create();
    const link = await reportBy(await linkTo(anna), anna);
    await attack(anna);
    expect(await choosePassword(link)).toBe(SUCCESS);
    await signInOffline({ ...anna, password: NEW_PASSWORD });
    expect(await openedLink(link)).toBe(ERROR_TOKEN);
  });

  it("works if an attacker changes the account at the same moment", async () => {
    const anna = await server.users.create();
    const browser = server.browser();
    const page = await openLink(browser, await reportBy(await linkTo(anna), anna));
    const { store, clock } = server.context;
    const sent: ReturnType<typeof choose>[] = [];
    await store.tx(async (tx) => {
      await invalidateSessions(tx, anna.id, clock.now());
      sent.push(choose(browser, page));
      await whenWaiting(tx);
    });
    expect((await Promise.all(sent)).map(redirectTarget)).toEqual([SUCCESS]);
  });

  it("is mailed for each of two simultaneous reports, and is valid in both mails", async () => {
    const anna = await server.users.create();
    const reports = [await linkTo(anna), await linkTo(anna)];
    const targets = await Promise.all(reports.map((report) => confirm(report)));
    expect(targets.map(redirectTarget)).toEqual([DONE, DONE]);
    const links = (await mailsTo(server, addressOf(anna), 4)).slice(2).map(linkOf);
    for (const link of links) expect(await openedLink(link)).toBe("/password-reset/reset-form");
    const [first = "", second = ""] = links;
    const choices = await Promise.all([choosePassword(first), choosePassword(second)]);
    expect(choices).toEqual([SUCCESS, SUCCESS]);
  });

  it.each<[string, (anna: TestUser) => Promise<unknown>]>([
    [
      "a block",
      async ({ username }) => {
        await blockUser(server.context, username);
        await unblockUser(server.context, username);
      },
    ],
    ["a new mail address", ({ username }) => setUser(server.context, username, { email: "else@office.example" })],
    [
      "a new mail address of the same moment",
      ({ id }) => {
        const { t, q } = server.context.store;
        return q.update(t.users).set({ email: "else@office.example" }).where(eq(t.users.id, id)).returning();
      },
    ],
    ["its expiry", async () => server.clock.advance(RESET_LINK_MINUTES * 60)],
  ])("is ended by %s", async (_what, end) => {
    const anna = await server.users.create();
    const link = await reportBy(await linkTo(anna), anna);
    await end(anna);
    expect(await openedLink(link)).toBe(ERROR_TOKEN);
  });

  it("is mailed at most five times an hour for reports from the settings, but always for that of a notice", async () => {
    const anna = await server.users.create();
    const links: string[] = [];
    const fromSettings = async () => `/login/not-me?not_me_token=${await issueNotMeToken(server.context, anna.id)}`;
    const notice = await linkTo(anna);
    for (let n = 0; n < REPORT_LIMIT.points; n += 1) links.push(await reportBy(await fromSettings(), anna));
    expect(redirectTarget(await confirm(await fromSettings()))).toBe(DONE);
    const { t, q } = server.context.store;
    const isAnnas = eq(t.mailOutbox.recipient, addressOf(anna));
    expect(await q.$count(t.mailOutbox, isAnnas)).toBe(1 + REPORT_LIMIT.points);
    links.push(await reportBy(notice, anna));
    for (const link of links) expect(await openedLink(link)).toBe("/password-reset/reset-form");
  });
});
