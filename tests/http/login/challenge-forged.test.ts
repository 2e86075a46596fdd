import { beforeEach, describe, expect, test } from "vitest";
import { allow, followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { findSignedInUser } from "./live-session.ts";
import { type OpenForm, openForm, stateOf, tokensOf } from "./open-form.ts";

let anna: TestUser;
let browser: Browser;
let form: OpenForm;

const server = await serverOfFile();
const party = await server.parties.create();

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
  form = await openForm(browser, party.request().url);
});

const typed = () => ({ username: anna.username, password: anna.password });

/** Manipulations of a valid challenge. */
const FORGERIES: Readonly<Record<string, (challenge: string) => string>> = {
  "another MAC": (challenge) => challenge.replace(/\.(.)/, (_, first) => (first === "A" ? ".B" : ".A")),
  "a MAC of zeros": (challenge) => challenge.replace(/\..*/, `.${"A".repeat(43)}`),
  "a MAC cut short": (challenge) => challenge.slice(0, -1),
  "an empty MAC": (challenge) => challenge.replace(/\..*/, "."),
  "no MAC": (challenge) => challenge.replace(/\..*/, ""),
  "another id under the same MAC": (challenge) => challenge.replace(/^./, (first) => (first === "a" ? "b" : "a")),
  "an id cut short": (challenge) => challenge.slice(1),
  "a third part": (challenge) => `${challenge}.${challenge}`,
  "itself twice": (challenge) => `${challenge}${challenge}`,
  "other letters of the same value": (challenge) => `${challenge}=`,
  "upper case": (challenge) => challenge.toUpperCase(),
  "a space before": (challenge) => ` ${challenge}`,
  "ten thousand letters": (challenge) => challenge + "A".repeat(10_000),
  "a JSON object": () => '{"uid":"x"}',
  "a path": () => "../../../../etc/passwd",
  "a statement of SQL": () => "' OR '1'='1",
};

describe.each(Object.entries(FORGERIES))("a challenge with %s", (_what, forge) => {
  test("opens no form and accepts no password", async () => {
    const login_challenge = forge(form.challenge);
    const page = await browser.get(`/login?${new URLSearchParams({ login_challenge })}`);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expect(
      page
        .page()
        .form("/login/native")
        .buttons.every(({ disabled }) => disabled),
    ).toBe(true);
    const posted = await form.post({ login_challenge, ...typed() });
    expect([posted.status, posted.location, stateOf(posted).error]).toEqual([400, null, "challenge"]);
    expect(posted.setCookies).toEqual([]);
  });
});

test("a challenge that is sent twice is read once, and changes nothing", async () => {
  const posted = await form.post({ login_challenge: [form.challenge, "another"], ...typed() });
  expect(posted.location).toBeNull();
  expect(posted.status).toBeGreaterThanOrEqual(400);
  expect(posted.status).toBeLessThan(500);
});

describe("a challenge of the other kind", () => {
  test("a consent challenge is not a login challenge: no password, no account", async () => {
    const question = await typePassword(browser, form.page, anna);
    const { consent_challenge, xsrf_token: _xsrf } = tokensOf(question);
    const page = await browser.get(`/login?login_challenge=${consent_challenge}`);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    for (const [url, fields] of [
      ["/login/native", typed()],
      ["/login/proceed", { user: anna.id, proceed: "1" }],
    ] as const) {
      const posted = await browser.post(url, { _xsrf, login_challenge: consent_challenge, ...fields });
      expect([url, posted.status, posted.location]).toEqual([url, 400, null]);
    }
    expect((await allow(browser, question)).location).toContain("code=");
  });

  test("a login challenge is not a consent challenge: it grants nothing", async () => {
    const other = await server.parties.create();
    await allow(browser, await typePassword(browser, form.page, anna));
    const { challenge, xsrf: _xsrf } = await openForm(browser, other.request({ prompt: "login" }).url);
    for (const url of ["/consent/accept", "/consent/reject"]) {
      const posted = await browser.post(url, { _xsrf, consent_challenge: challenge, scopes: "openid" });
      expect([url, posted.status, stateOf(posted).error]).toEqual([url, 400, "challenge"]);
    }
    expect(await findSignedInUser(other, browser)).toBe("consent_required");
  });

  test("a logout challenge is neither", async () => {
    await allow(browser, await typePassword(browser, form.page, anna));
    const { logout_challenge, xsrf_token: _xsrf } = tokensOf(await open(browser, "/oauth2/sessions/logout"));
    const login = await browser.post("/login/native", { _xsrf, login_challenge: logout_challenge, ...typed() });
    const consent = await browser.post("/consent/accept", { _xsrf, consent_challenge: logout_challenge });
    expect([login.status, consent.status]).toEqual([400, 400]);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });
});

describe("a challenge that was used", () => {
  test("accepts no other password", async () => {
    const bernd = await server.users.create();
    await allow(browser, await typePassword(browser, form.page, anna));
    const posted = await form.post({ username: bernd.username, password: bernd.password });
    expect(posted.location).toBeNull();
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("starts nothing again", async () => {
    await allow(browser, await typePassword(browser, form.page, anna));
    const posted = await browser.post("/login", { _xsrf: form.xsrf, login_challenge: form.challenge });
    expect(posted.location).toBeNull();
  });

  test("of another browser starts nothing again either", async () => {
    await allow(browser, await typePassword(browser, form.page, anna));
    const thief = server.browser();
    const page = await thief.get(form.page.url);
    const fields = { _xsrf: tokensOf(page).xsrf_token, login_challenge: form.challenge };
    const posted = await followRedirects(thief, await thief.post("/login", fields));
    expect([posted.status, stateOf(posted).error]).toEqual([400, "challenge"]);
  });
});
