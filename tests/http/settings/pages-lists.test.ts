import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { findClient } from "#app/db/repositories/clients.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { allow, followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { mailsTo } from "#tests/http/password-reset/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { fill, statusAndTarget, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const SESSIONS = "/manage/sessions";
const APPLICATIONS = "/manage/applications";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
const thirdParty = await server.parties.create();

const at = eachTest(async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  /** Anna's second browser. */
  const other = server.browser();
  await settingsClient.signIn(other, anna);
  return { anna, visitor, other };
});

const signedIn = (browser: Browser) => findSignedInUser(settingsClient.party, browser);

/** Returns the accessible names of the buttons of a page. */
async function buttonNames(path: string): Promise<string[]> {
  const buttons = (await at.visitor.open(path)).page().all("button");
  return buttons.map(({ attributes, text }) => attributes["aria-label"] ?? text);
}

/** Returns the fields of the form that ends the other session. */
async function otherSession(): Promise<Record<string, string>> {
  const forms = (await at.visitor.open(SESSIONS)).page().forms();
  const fields = forms.map((form) => Object.fromEntries(form.fields.map(([name, value]) => [name, value])));
  const [found] = fields.filter(({ session }) => session !== undefined && session !== "");
  if (!found) throw new Error("no other session is listed");
  return found;
}

describe("the page of sessions", () => {
  // Proves requirement 63.
  test("ends another session with the next request there, and this one stays", async () => {
    expect(await signedIn(at.other)).toBe(at.anna.id);
    const response = await at.visitor.browser.post(SESSIONS, await otherSession());
    expect(statusAndTarget(response)).toEqual([303, `${SESSIONS}?status=session-ended`]);
    expect([await signedIn(at.other), await signedIn(at.visitor.browser)]).toEqual(["login_required", at.anna.id]);
  });

  test("ends all others at once, and the settings stay open", async () => {
    const third = server.browser();
    await settingsClient.signIn(third, at.anna);
    const page = await at.visitor.open(SESSIONS);
    await fill(at.visitor.browser, page, SESSIONS, {}, "others");
    expect([await signedIn(at.other), await signedIn(third)]).toEqual(["login_required", "login_required"]);
    expect((await at.visitor.open(SESSIONS)).status).toBe(200);
  });

  test("names the buttons of sessions of one browser differently, by the time of their sign-in", async () => {
    server.clock.advance(1);
    await settingsClient.signIn(server.browser(), at.anna);
    const names = await buttonNames(SESSIONS);
    expect(names.filter((name) => /^Sign out: session on .+, signed in on .+:\d\d:\d\d$/.test(name))).toHaveLength(2);
    expect(new Set(names).size).toBe(names.length);
  });

  test("numbers the buttons of sessions that one browser opened in the same second", async () => {
    await settingsClient.signIn(server.browser(), at.anna);
    await settingsClient.signIn(server.browser(), at.anna);
    const names = await buttonNames(SESSIONS);
    const [first, ...more] = names.filter((name) => name.startsWith("Sign out: session on "));
    expect(more).toEqual([`${first} (2)`, `${first} (3)`]);
    expect(new Set(names).size).toBe(names.length);
  });

  // Proves requirement 63.
  test("ends no other user's session, even with its id", async () => {
    const mallory = await visit(server, settingsClient, await server.users.create());
    const { session = "" } = await otherSession();
    const _xsrf = String(stateOf(await mallory.open(SESSIONS)).xsrf_token);
    for (const intent of ["one", "others"]) {
      const response = await mallory.browser.post(SESSIONS, { _xsrf, intent, session });
      // Not refused for another reason, such as the token.
      expect([intent, response.status]).toEqual([intent, 303]);
    }
    expect(await signedIn(at.other)).toBe(at.anna.id);
  });

  test("ends nothing with a forged token, from another site, or without open settings", async () => {
    const form = await otherSession();
    const refused = [
      await at.visitor.browser.post(SESSIONS, { ...form, _xsrf: "forged" }),
      await at.visitor.browser.post(SESSIONS, form, { headers: { origin: "https://evil.example" } }),
      await at.other.post(SESSIONS, form),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 303]);
    expect(await signedIn(at.other)).toBe(at.anna.id);
  });
});

test("the activity numbers the buttons that report sign-ins with new browsers in the same second", async () => {
  // Anna's second browser was a new one, too.
  const signIn = { type: "sign-in.succeeded", outcome: "ok", reason: "pwd", browser: "new" } as const;
  await recordEvent(server.context, { ...signIn, userId: at.anna.id, address: "192.0.2.7", requestId: "r" });
  const names = await buttonNames("/manage/activity");
  const [first, ...more] = names.filter((name) => name.startsWith("This was not me"));
  expect(more).toEqual([`${first} (2)`]);
});

test("the overview counts the browsers and the applications", async () => {
  const countsIn = async () => {
    const { text } = (await at.visitor.open("/manage")).page();
    return [/Signed in on \d+ browsers?/, /(No|\d+) applications? ha(s|ve) access/].map((part) => part.exec(text)?.[0]);
  };
  expect(await countsIn()).toEqual(["Signed in on 2 browsers", "No application has access"]);
  await at.visitor.browser.post(SESSIONS, await otherSession());
  expect(await countsIn()).toEqual(["Signed in on 1 browser", "No application has access"]);
});

describe("the page of applications", () => {
  /** Returns whether the third party still gets a code without consent. */
  async function isAllowed(): Promise<boolean> {
    return (await findSignedInUser(thirdParty, at.visitor.browser)) === at.anna.id;
  }

  beforeEach(async () => {
    const { browser } = at.visitor;
    const form = await open(browser, thirdParty.request({ prompt: "login consent" }).url);
    await followRedirects(browser, await allow(browser, await typePassword(browser, form, at.anna)));
    await settingsClient.openSettings(browser, at.anna);
    expect(await isAllowed()).toBe(true);
  });

  // Proves requirement 89.
  test("withdraws the consent: it is requested again at the next sign-in", async () => {
    expect((await at.visitor.open("/manage")).page().text).toContain("1 application has access");
    expect(statusAndTarget(await at.visitor.send(APPLICATIONS))).toEqual([
      303,
      `${APPLICATIONS}?status=consent-withdrawn`,
    ]);
    expect(await isAllowed()).toBe(false);
  });

  test("withdraws nothing with a forged token, from another site, or for another user", async () => {
    const mallory = await visit(server, settingsClient, await server.users.create());
    const page = await at.visitor.open(APPLICATIONS);
    const { client_id = "" } = Object.fromEntries(page.page().form(APPLICATIONS).fields);
    const _xsrf = String(stateOf(page).xsrf_token);
    const foreign = String(stateOf(await mallory.open(APPLICATIONS)).xsrf_token);
    const headers = { origin: "https://evil.example" };
    const responses = [
      await at.visitor.browser.post(APPLICATIONS, { client_id, _xsrf: foreign }),
      await at.visitor.browser.post(APPLICATIONS, { client_id, _xsrf }, { headers }),
      await mallory.browser.post(APPLICATIONS, { client_id, _xsrf: foreign }),
    ];
    expect(client_id).not.toBe("");
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 303]);
    expect(await isAllowed()).toBe(true);
  });
});

test("the overview shows time and browser of the last sign-in", async () => {
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  await recordEvent(server.context, { type: "sign-in.succeeded", outcome: "ok", userAgent, userId: at.anna.id });
  const { text } = (await at.visitor.open("/manage")).page();
  expect(text).toMatch(/Activity\s*Last sign-in today at \d\d:\d\d, Firefox on Linux/);
});

describe("the page of the recent activity", () => {
  const ACTIVITY = "/manage/activity";

  test("groups events by day, with application and method, and shows the chosen kind alone", async () => {
    const yesterday = new Date(server.context.clock.now().getTime() - 24 * 60 * 60 * 1000);
    const context = { ...server.context, clock: { now: () => yesterday } };
    await recordEvent(context, { type: "password.refused", outcome: "refused", userId: at.anna.id });
    const page = (await at.visitor.open(ACTIVITY)).page();
    const headings = page.all("section").map(({ parts: [head] }) => head?.parts[0]?.text);
    // By the order of the audit trail: the event of yesterday was recorded last.
    expect(headings.slice(0, 2)).toEqual([
      expect.stringMatching(/^Yesterday, \w+day \d+ \w+$/),
      expect.stringMatching(/^Today, \w+day \d+ \w+$/),
    ]);
    const rows = page.all("li", { class: "row" }).map(({ text }) => text);
    const client = await findClient(server.context.store, settingsClient.party.clientId);
    expect(rows.find((row) => row.includes("Signed in"))).toMatch(
      new RegExp(`^\\d\\d:\\d\\d .*${client?.name}.*password`, "s"),
    );

    const failures = (await at.visitor.open(`${ACTIVITY}?kind=failures`)).page();
    expect(failures.all("li", { class: "row" })).toHaveLength(1);
    expect(failures.one("option", { value: "failures" }).attributes).toHaveProperty("selected");
    // Without events there is nothing to question.
    const question = "Was some of this not you?";
    const ended = (await at.visitor.open(`${ACTIVITY}?kind=ended-sessions`)).page().text;
    expect([failures.text.includes(question), ended.includes("No entries."), ended.includes(question)]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await at.visitor.open(`${ACTIVITY}?kind=unknown`)).page().all("li", { class: "row" })).toHaveLength(
      rows.length,
    );
  });

  const reportsOn = (page: HttpResponse) =>
    page
      .page()
      .forms()
      .filter(({ action, method }) => action === ACTIVITY && method === "post");

  /** Presses the only such button of the page. */
  async function report(): Promise<HttpResponse> {
    const page = await at.visitor.open(ACTIVITY);
    const [form, ...others] = reportsOn(page);
    if (!form || others.length > 0) throw new Error("not one button");
    return at.visitor.browser.submit(page, form);
  }

  test("marks the sign-in with a new browser, whose button leads to the page that ends all access", async () => {
    const rows = (await at.visitor.open(ACTIVITY)).page().all("li", { class: "row" });
    // The newest first; the user's first browser is not reported.
    const [marked, first] = rows.filter(({ text }) => text.includes("Signed in"));
    expect([marked?.attributes["data-kind"], first?.attributes["data-kind"]]).toEqual(["warn", undefined]);
    expect(marked?.text).toMatch(/Signed in New browser .*This was not me$/);
    const asked = await at.visitor.browser.follow(await report());
    expect(asked.page().one("h1").text).toBe("Was this not you?");
    expect(asked.page().text).toContain(at.anna.username);
    expect([await signedIn(at.other), await signedIn(at.visitor.browser)]).toEqual([at.anna.id, at.anna.id]);

    const form = asked.page().form("/login/not-me");
    const done = await at.visitor.browser.submit(asked, form);
    expect(statusAndTarget(done)).toEqual([303, "/login/not-me?status=success"]);
    expect([await signedIn(at.other), await signedIn(at.visitor.browser)]).toEqual([
      "login_required",
      "login_required",
    ]);
    expect(statusAndTarget(await at.visitor.open(ACTIVITY))).toEqual([303, "/manage/error/unauthorized"]);
    const mails = await mailsTo(server, `${at.anna.username}@office.example`, 2);
    expect(mails.map(({ subject }) => subject).sort()).toEqual(["New sign-in to your account", "Reset your password"]);
    expect(statusAndTarget(await at.visitor.browser.submit(asked, form))).toEqual([
      303,
      "/login/not-me?status=error-token",
    ]);
  });

  test("reports a sign-in only with the anti-forgery token of the settings, and keeps one token per user", async () => {
    const { t, q } = server.context.store;
    const tokens = () => q.select().from(t.oneTimeTokens).where(eq(t.oneTimeTokens.slot, at.anna.id));
    const mallory = await visit(server, settingsClient, await server.users.create());
    const foreign = String(stateOf(await mallory.open(ACTIVITY)).xsrf_token);
    for (const _xsrf of ["", foreign]) {
      const refused = await at.visitor.browser.post(ACTIVITY, { _xsrf });
      expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
      expect(refused.page().one("h1").text).toBe("Recent activity");
    }
    expect(await tokens()).toEqual([]);
    expect(statusAndTarget(await report())).toEqual([303, "/login/not-me"]);
    await report();
    expect(await tokens()).toMatchObject([{ kind: "not-me", userId: at.anna.id, usedAt: null }]);
    expect(await signedIn(at.other)).toBe(at.anna.id);
  });

  test("offers no report to a user without an e-mail address, who could not choose a new password", async () => {
    const { t, q } = server.context.store;
    await q.update(t.users).set({ email: null }).where(eq(t.users.id, at.anna.id));
    const page = await at.visitor.open(ACTIVITY);
    expect(page.page().all("li", { "data-kind": "warn" })).toHaveLength(1);
    expect(reportsOn(page)).toEqual([]);
  });
});
