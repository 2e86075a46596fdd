import { beforeEach, describe, expect, test } from "vitest";
import { pressKeepName } from "#tests/http/login/change-language.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm } from "#tests/http/login/open-form.ts";
import { followRedirects, open, signIn as signInAs, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { linkOf } from "#tests/support/mails.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { choose, mailsTo, NEW_PASSWORD, openLink, redirectTarget } from "./steps.ts";

let browser: Browser;
let anna: TestUser & { email: string };

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

let count = 0;

beforeEach(async () => {
  count += 1;
  browser = server.browser();
  const email = `returning-${count}@office.example`;
  anna = { ...(await server.users.create({ email })), email };
  server.clock.advance(2 * 60 * 60);
});

/** Returns the targets of the page's links and of the buttons that look like links, without the host. */
function targetsOn(page: HttpResponse): string[] {
  const hrefs = page
    .page()
    .all("a")
    .map(({ attributes }) => attributes.href ?? "");
  return [
    ...hrefs,
    ...page
      .page()
      .all("button")
      .map(({ attributes }) => attributes.formaction ?? ""),
  ];
}

/** Returns the page's ways to a sign-in form, each as the URL that shows it without a user name. */
function signInLinks(page: HttpResponse): string[] {
  return targetsOn(page)
    .filter((target) => /^\/login(\/native)?\?(?!.*lng=)/.test(target))
    .map((target) => target.replace("/login/native?", "/login?"));
}

/** Returns the uids of the requests that these links lead to. A mailed link leads to a shorter challenge. */
function requestsOf(links: readonly string[]): (string | undefined)[] {
  return links.map((link) => new URL(link, server.url).searchParams.get("login_challenge")?.split(".")[0]);
}

/** Returns the link to the form that requests a mail. */
function requestFormHref(page: HttpResponse): string {
  return targetsOn(page).find((target) => target.startsWith("/password-reset/request-form")) ?? "";
}

/** Opens the sign-in form of a new request and follows "Forgot your password?". */
async function openRequestForm(parameters: Record<string, string> = {}) {
  const request = party.request(parameters);
  const { page, challenge } = await openForm(browser, request.url);
  return {
    page: await browser.get(requestFormHref(page)),
    challenge,
    signIn: `/login?${new URLSearchParams({ login_challenge: challenge })}`,
    state: request.state,
  };
}

/** Submits the form that requests a link, and returns the next page. */
async function submitRequest(page: HttpResponse, username = anna.username): Promise<HttpResponse> {
  const response = await browser.submit(page, page.page().form("/password-reset/request"), { username });
  return browser.follow(response);
}

/** Returns the user name in the page's form. */
function usernameAt(page: HttpResponse): string | undefined {
  return page.page().one("input", { name: "username" }).attributes.value;
}

async function mailedLink(): Promise<string> {
  return linkOf((await mailsTo(server, anna.email)).at(-1) ?? { text: "" });
}

describe("a password reset that was opened from a sign-in", () => {
  test("returns to that sign-in from every page, and the application gets its response", async () => {
    const { page, signIn, state } = await openRequestForm();
    expect(signInLinks(page)).toEqual([signIn]);
    const again = await submitRequest(page, " ");
    expect([again.status, signInLinks(again)]).toEqual([400, [signIn]]);
    const sent = await submitRequest(again);
    expect([sent.status, signInLinks(sent)]).toEqual([200, [signIn]]);
    expect([sent.url.includes(anna.username), usernameAt(await browser.get(signIn))]).toEqual([false, anna.username]);
    expect(usernameAt(await browser.get(requestFormHref(sent)))).toBe(anna.username);
    const form = await openLink(browser, await mailedLink());
    expect(requestsOf(signInLinks(form))).toEqual(requestsOf([signIn]));
    const back = await pressKeepName(browser, form, "sign-in");
    expect(usernameAt(back)).toBe(anna.username);
    const refused = await choose(browser, form, { password: "short", password_repeat: "short" });
    expect([refused.status, requestsOf(signInLinks(refused))]).toEqual([400, requestsOf([signIn])]);
    const done = await browser.follow(await choose(browser, refused));
    const [link = ""] = signInLinks(done);
    expect([done.status, requestsOf([link])]).toEqual([200, requestsOf([signIn])]);
    expect(done.url).not.toContain(anna.username);
    const signInForm = await browser.get(link);
    expect([usernameAt(signInForm), usernameAt(await browser.get(signIn))]).toEqual([anna.username, anna.username]);
    const response = await typePassword(browser, signInForm, { ...anna, password: NEW_PASSWORD });
    expect(redirectParameters(response)).toMatchObject({ code: expect.any(String), state });
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("returns to that sign-in from the page of a link that is used up", async () => {
    const { page, signIn } = await openRequestForm();
    await submitRequest(page);
    const form = await openLink(browser, await mailedLink());
    await choose(browser, form);
    const dead = await browser.follow(await choose(browser, form));
    expect([dead.status, requestsOf(signInLinks(dead))]).toEqual([400, requestsOf([signIn])]);
    expect(requestsOf(signInLinks(await browser.get(requestFormHref(dead))))).toEqual(requestsOf([signIn]));
  });

  test("restarts the request after the hour of a challenge", async () => {
    const { page, signIn, state } = await openRequestForm();
    server.clock.advance(30 * 60);
    await submitRequest(page);
    server.clock.advance(45 * 60);
    const done = await browser.follow(await choose(browser, await openLink(browser, await mailedLink())));
    const [link = ""] = signInLinks(done);
    expect(requestsOf([link])).toEqual(requestsOf([signIn]));
    const expired = await browser.get(link);
    const again = await followRedirects(browser, await browser.submit(expired, expired.page().form("/login")));
    expect([again.url.includes(anna.username), usernameAt(again)]).toEqual([false, anna.username]);
    const response = await typePassword(browser, again, { ...anna, password: NEW_PASSWORD });
    expect(redirectParameters(response)).toMatchObject({ code: expect.any(String), state });
  });

  test("returns to a request with prompt=login of a signed-in user", async () => {
    await signInAs(browser, party.request(), anna);
    const { page, signIn, state } = await openRequestForm({ prompt: "login" });
    await submitRequest(page);
    const done = await browser.follow(await choose(browser, await openLink(browser, await mailedLink())));
    const [link = ""] = signInLinks(done);
    expect(requestsOf([link])).toEqual(requestsOf([signIn]));
    const form = await open(browser, link);
    const response = await typePassword(browser, form, { ...anna, password: NEW_PASSWORD });
    expect(redirectParameters(response)).toMatchObject({ code: expect.any(String), state });
  });

  test("continues no sign-in in another browser, and has no challenge in the mail", async () => {
    const { page, challenge } = await openRequestForm();
    await submitRequest(page);
    const link = await mailedLink();
    const [mail] = await mailsTo(server, anna.email);
    expect(JSON.stringify(mail)).not.toContain(challenge.split(".")[0]);
    browser = server.browser();
    const form = await openLink(browser, link);
    expect([form.url, signInLinks(form)]).toEqual([`${server.url}/password-reset/reset-form`, []]);
    const response = await choose(browser, form);
    expect(redirectTarget(response)).toBe("/password-reset/reset-status?status=success");
    expect(signInLinks(await browser.follow(response))).toEqual([]);
  });

  // Proves requirement 149.
  test("shows no challenge of another browser, nor other parameters", async () => {
    const { challenge } = await openRequestForm();
    const stranger = server.browser();
    for (const path of ["request-form", "request-status?status=success", "reset-status?status=success"]) {
      for (const value of [challenge, "https://evil.example/", "//evil.example"]) {
        const query = new URLSearchParams({ login_challenge: value });
        const page = await stranger.get(`/password-reset/${path}${path.includes("?") ? "&" : "?"}${query}`);
        expect(signInLinks(page)).toEqual([]);
        expect(page.body).not.toContain('href="//evil');
        expect(page.body).not.toContain('href="https://evil');
      }
    }
  });
});
