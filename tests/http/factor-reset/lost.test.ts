import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, signIn } from "#tests/http/oidc/browser-steps.ts";
import {
  choose,
  mailsTo,
  NEW_PASSWORD,
  obtainLink,
  openLink,
  SUCCESS as PASSWORD_SUCCESS,
  redirectTarget,
} from "#tests/http/password-reset/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestApp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import * as desk from "./steps.ts";

const {
  adminLink,
  requestLink,
  confirm,
  ERROR_TOKEN,
  factorsOf,
  HOUR,
  linksOf,
  NO_FACTORS,
  obtainLinks,
  openLostPage,
  SUCCESS,
} = desk;

const CONTACT = "help@office.example";
const WAIT = 5 * HOUR;
const WEEK = 7 * 24 * HOUR;
const ZONE = "America/New_York";
let browser: Browser;
let anna: desk.MailedUser;
let app: TestApp;
let count = 0;

const server = await serverOfFile({
  env: { FACTOR_RESET_DELAY_HOURS: "5", SUPPORT_CONTACT: CONTACT, TIME_ZONE: ZONE },
});
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  count += 1;
  browser = server.browser();
  const email = `lost-${count}@office.example`;
  anna = { ...(await server.users.create({ email })), email };
  app = await desk.giveFactors(server, anna);
  server.clock.advance(60);
});

const statusOf = (response: HttpResponse) => new URL(response.location ?? response.url).searchParams.get("status");

/** Returns start and end of the validity of a link requested now, as pages and mails show them. */
function momentsFromNow(): { from: string; until: string } {
  const day = { day: "numeric", month: "long", year: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit", timeZone: ZONE } as const;
  const format = new Intl.DateTimeFormat("en-GB", { ...day, ...time });
  const from = server.clock.now().getTime() + WAIT * 1000;
  return { from: format.format(from), until: format.format(from + WEEK * 1000) };
}

async function stop(link: string, on = server.browser()): Promise<HttpResponse> {
  const page = await openLink(on, link);
  return on.submit(page, page.page().form("/mfa-reset/stop"));
}

describe("a user who has entered the password and lost the factor", () => {
  test("is led from the second step to a page that offers a link by mail", async () => {
    const { page, challenge } = await openStep(browser, party.request().url, anna);
    const href = `/mfa/lost?${new URLSearchParams({ login_challenge: challenge })}`;
    expect(page.page().one("a", { href }).text).toBe("Get a reset link by e-mail");
    const lostPage = await browser.get(href);
    expect([lostPage.status, stateOf(lostPage).totpRegistered]).toEqual([200, true]);
    expect(lostPage.page().text).toContain("5 hours");
  });

  // Proves requirement 75.
  test("gets a mail that states from when the link works, and how to stop it; nothing else changes", async () => {
    const before = await factorsOf(server, anna);
    const response = await requestLink(browser, await openLostPage(browser, party, anna));
    expect([response.status, statusOf(response)]).toEqual([303, "success"]);
    const page = await browser.follow(response);
    expect([page.status, stateOf(page)]).toEqual([200, { status: "success" }]);
    const [mail] = await mailsTo(server, anna.email);
    expect(mail?.subject).toBe("Reset your second factors");
    const words = mail?.text ?? "";
    expect(words).toMatch(/\nTime: .+\nBrowser: .+\nIP address: (127\.0\.0\.1|::1)\nApplication: .+\nAccount: /);
    expect(words.indexOf("/mfa-reset/stop?stop_token=")).toBeGreaterThan(0);
    expect(words.indexOf("/mfa-reset/stop?stop_token=")).toBeLessThan(
      words.indexOf("/mfa-reset/reset-form?reset_token="),
    );
    expect(await factorsOf(server, anna)).toEqual(before);
    const code = await app.code();
    const step = await openStep(browser, party.request().url, anna);
    await followRedirects(browser, await step.post("/mfa/verify", { code }));
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("gets links that start with the issuer, regardless of the Host header", async () => {
    const page = await openLostPage(browser, party, anna);
    const { action, fields } = page.page().form("/mfa/lost");
    const poison = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example;proto=https" };
    await browser.post(action, Object.fromEntries(fields), { headers: poison });
    const [mail] = await mailsTo(server, anna.email);
    expect(mail?.text).toContain(`${server.url}/mfa-reset/reset-form?reset_token=`);
    expect(`${mail?.text}${mail?.html}`).not.toContain("evil.example");
  });

  // Proves requirement 74.
  test("waits: the link is too early to the last second, works then, and after seven days no more", async () => {
    const { reset } = await obtainLinks(server, party, anna);
    const before = await factorsOf(server, anna);
    const token = new URL(reset).searchParams.get("reset_token") ?? "";
    server.clock.advance(WAIT - 1);
    const early = await openLink(browser, reset);
    expect([early.status, stateOf(early)]).toEqual([400, { status: "too-early" }]);
    const form = await openLink(browser, await adminLink(server, await server.users.create()));
    expect(redirectTarget(await confirm(browser, form, { reset_token: token }))).toBe(desk.TOO_EARLY);
    expect(await factorsOf(server, anna)).toEqual(before);
    server.clock.advance(1);
    const page = await openLink(browser, reset);
    server.clock.advance(WEEK);
    expect(redirectTarget(await confirm(browser, page))).toBe(ERROR_TOKEN);
    expect(await factorsOf(server, anna)).toEqual(before);
  });

  test("has no factor any more after the wait, and keeps the password", async () => {
    const { reset } = await obtainLinks(server, party, anna);
    server.clock.advance(WAIT + WEEK - 1);
    expect(redirectTarget(await confirm(browser, await openLink(browser, reset)))).toBe(SUCCESS);
    expect(await factorsOf(server, anna)).toEqual(NO_FACTORS);
    await signIn(browser, party.request(), anna);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("reads on every page and in the mail from when until when the link works, in TIME_ZONE", async () => {
    const { from, until } = momentsFromNow();
    const offer = await openLostPage(browser, party, anna);
    const requested = await browser.follow(await requestLink(browser, offer));
    const [mail] = await mailsTo(server, anna.email);
    const [stopLink = "", reset = ""] = linksOf(mail);
    const early = await openLink(server.browser(), reset);
    const stopPage = await openLink(server.browser(), stopLink);
    server.clock.advance(WAIT);
    const form = await openLink(server.browser(), reset);
    const pages = { offer, asked: requested, early, stopPage, form };
    for (const [name, page] of Object.entries(pages)) {
      const { text } = page.page();
      expect({ name, from: text.includes(from), until: text.includes(until) }).toEqual({
        name,
        from: true,
        until: true,
      });
    }
    expect(mail?.text).toContain(`Valid from: ${from}\nValid until: ${until}\n`);
  });

  test("can stop the link to its last second", async () => {
    const links = await obtainLinks(server, party, anna);
    server.clock.advance(WAIT + WEEK - 1);
    expect(redirectTarget(await stop(links.stop))).toBe(desk.STOPPED);
    expect((await openLink(browser, links.reset)).url).toBe(`${server.url}${ERROR_TOKEN}`);
  });

  test.each([
    ["a newer link", async () => void (await obtainLinks(server, party, anna))],
    ["an administrator's link", async () => void (await adminLink(server, anna))],
    ["another password", () => setUserPassword(server.context, anna.username, "Garden-Trolley-51-Moss")],
  ])("has a link that dies with %s", async (_what, happen) => {
    const { reset } = await obtainLinks(server, party, anna);
    await happen();
    server.clock.advance(WAIT);
    expect((await openLink(browser, reset)).url).toBe(`${server.url}${ERROR_TOKEN}`);
  });

  test("gets three mails a day, and an error at the fourth", async () => {
    const statuses: (string | null)[] = [];
    for (let round = 0; round < 4; round += 1) {
      const again = server.browser();
      statuses.push(statusOf(await requestLink(again, await openLostPage(again, party, anna))));
    }
    expect(statuses).toEqual(["success", "success", "success", "too-many"]);
    const { t, q } = server.context.store;
    expect(await q.$count(t.mailOutbox, eq(t.mailOutbox.recipient, anna.email))).toBe(3);
    server.clock.advance(24 * HOUR + 1);
    expect(statusOf(await requestLink(browser, await openLostPage(browser, party, anna)))).toBe("success");
  });

  test("without a mail address sees the support contact", async () => {
    const { t, q } = server.context.store;
    await q.update(t.users).set({ email: null }).where(eq(t.users.id, anna.id)).returning();
    const page = await followRedirects(browser, await openLostPage(browser, party, anna));
    expect([page.status, stateOf(page)]).toEqual([400, { status: "refused" }]);
    expect(page.body).toContain(CONTACT);
    expect(page.body).toContain("Use a recovery code");
  });
});

describe("the page for a lost factor", () => {
  test("is refused without its anti-forgery token, or with an earlier mfa_token", async () => {
    const page = await openLostPage(browser, party, anna);
    const form = page.page().form("/mfa/lost");
    const stale = await browser.submit(page, form, { _xsrf: "stale" });
    expect([stale.status, stateOf(stale).error]).toEqual([403, "xsrf"]);
    const old = await browser.submit(stale, form);
    expect([old.status, stateOf(old).error]).toEqual([403, "xsrf"]);
    expect(statusOf(await requestLink(browser, old))).toBe("success");
  });

  test("opens only in the browser in which the password was entered", async () => {
    const page = await openLostPage(browser, party, anna);
    const { action, fields } = page.page().form("/mfa/lost");
    const stranger = server.browser();
    const responses = [await stranger.get(page.url), await stranger.post(action, Object.fromEntries(fields))];
    for (const response of responses) {
      const end = await followRedirects(stranger, response);
      expect(end.body).not.toContain(anna.displayName);
      expect(end.page().all("form").length > 0 || end.status >= 400).toBe(true);
    }
    expect((await server.mails()).filter(({ to }) => to === anna.email)).toEqual([]);
  });

  test("redirects a user without a factor back to the step", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    const clerk = await server.users.create({ groupName });
    const page = await openLostPage(browser, party, clerk);
    expect(redirectTarget(page)).toMatch(/^\/mfa\/verify\?/);
  });

  test("is over with the pending sign-in", async () => {
    const page = await openLostPage(browser, party, anna);
    server.clock.advance(10 * 60);
    const end = await followRedirects(browser, await requestLink(browser, page));
    expect([desk.pathOf(end), stateOf(end).error]).toEqual(["/mfa/verify", "unauthorized"]);
    expect((await server.mails()).filter(({ to }) => to === anna.email)).toEqual([]);
  });
});

describe("a stop link", () => {
  // Proves requirement 74.
  test("asks for confirmation, then stops the pending reset: its link is invalid, the factors stay", async () => {
    const before = await factorsOf(server, anna);
    const links = await obtainLinks(server, party, anna);
    const page = await openLink(browser, links.stop);
    expect(page.url).toBe(`${server.url}/mfa-reset/stop`);
    expect(stateOf(page)).toEqual({ xsrf_token: expect.any(String), stop_token: expect.stringMatching(/^[\w-]{43}$/) });
    expect(redirectTarget(await stop(links.stop))).toBe(desk.STOPPED);
    server.clock.advance(WAIT);
    expect((await openLink(browser, links.reset)).url).toBe(`${server.url}${ERROR_TOKEN}`);
    expect(await factorsOf(server, anna)).toEqual(before);
    expect((await openLink(browser, links.stop)).url).toBe(`${server.url}${desk.NOTHING_TO_STOP}`);
  });

  test("stops nothing by GET or HEAD", async () => {
    const links = await obtainLinks(server, party, anna);
    await browser.send("HEAD", links.stop, null);
    await openLink(browser, links.stop);
    server.clock.advance(WAIT);
    expect(redirectTarget(await confirm(browser, await openLink(browser, links.reset)))).toBe(SUCCESS);
  });

  test("is refused without its anti-forgery token, and is not a reset link", async () => {
    const links = await obtainLinks(server, party, anna);
    const page = await openLink(browser, links.stop);
    const refused = await browser.submit(page, page.page().form("/mfa-reset/stop"), { _xsrf: "stale" });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
    const token = new URL(links.stop).searchParams.get("stop_token") ?? "";
    expect(redirectTarget(await browser.get(`/mfa-reset/reset-form?reset_token=${token}`))).toBe(ERROR_TOKEN);
    const other = new URL(links.reset).searchParams.get("reset_token") ?? "";
    expect(redirectTarget(await browser.get(`/mfa-reset/stop?stop_token=${other}`))).toBe(desk.NOTHING_TO_STOP);
  });
});

describe("a thief who reads the mailbox", () => {
  /** Sets a password with a mailed link, as anyone with access to the mailbox can. */
  async function takePassword(on: Browser): Promise<desk.MailedUser> {
    const response = await choose(on, await openLink(on, await obtainLink(server, anna)));
    expect(redirectTarget(response)).toBe(PASSWORD_SUCCESS);
    return { ...anna, password: NEW_PASSWORD };
  }

  // Proves requirement 74.
  test("and has no factor cannot continue: a new password stops at the second step, and no link is sent", async () => {
    const before = await factorsOf(server, anna);
    const thief = server.browser();
    const stolen = await takePassword(thief);
    const end = await signIn(thief, party.request(), stolen);
    expect([end.location, desk.pathOf(end)]).toEqual([null, "/mfa/verify"]);

    const refused = await followRedirects(thief, await openLostPage(thief, party, stolen));
    expect([refused.status, stateOf(refused)]).toEqual([400, { status: "refused" }]);
    expect(refused.body).toContain(CONTACT);
    expect(
      refused
        .page()
        .all("form")
        .filter(({ attributes }) => attributes.action === "/mfa/lost"),
    ).toEqual([]);

    const step = await openStep(thief, party.request().url, stolen);
    expect(statusOf(await step.post("/mfa/lost"))).toBe("refused");
    const mails = (await mailsTo(server, anna.email)).map(({ subject }) => subject);
    expect(mails).not.toContain("Reset your second factors");
    expect(await factorsOf(server, anna)).toEqual(before);
    expect(await findSignedInUser(party, thief)).toBe("login_required");
  });

  test("cannot use a link that was requested before the password was set by mail", async () => {
    const { reset } = await obtainLinks(server, party, anna);
    await takePassword(server.browser());
    server.clock.advance(WAIT);
    expect((await openLink(browser, reset)).url).toBe(`${server.url}${ERROR_TOKEN}`);
  });

  test("does not affect a user who has since signed in with a factor: this user can request again", async () => {
    const owner = await takePassword(browser);
    server.clock.advance(60);
    await followRedirects(browser, await desk.signInWithCode(browser, party, owner, app));
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    const elsewhere = server.browser();
    expect(statusOf(await requestLink(elsewhere, await openLostPage(elsewhere, party, owner)))).toBe("success");
  });

  test("is as far with a password of the same moment as the last factor: not one step", async () => {
    await followRedirects(browser, await desk.signInWithCode(browser, party, anna, app));
    const stolen = await takePassword(server.browser());
    const thief = server.browser();
    expect(statusOf(await openLostPage(thief, party, stolen))).toBe("refused");
  });
});
