import { beforeEach, describe, expect, test } from "vitest";
import { PENDING_SECONDS } from "#app/domain/pending-sign-in/pending.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp, type TestApp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { statusAndBody, tokenOf } from "./calls.ts";
import { finish, type OpenStep, openStep, readStep } from "./steps.ts";

const PAGES = ["/mfa/verify", "/mfa/setup", "/mfa/recovery-codes"] as const;
let anna: TestUser;
let app: TestApp;
let browser: Browser;
let step: OpenStep;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  app = await giveTotp(server, anna);
  browser = server.browser();
  step = await openStep(browser, party.request().url, anna);
});

async function reload(): Promise<OpenStep> {
  const page = await browser.get(step.page.url);
  expect([page.status, stateOf(page).error]).toEqual([200, undefined]);
  return readStep(browser, page);
}

async function expectSignedIn(response: HttpResponse) {
  codeOf(await followRedirects(browser, response));
  expect(await findSignedInUser(party, browser)).toBe(anna.id);
}

describe("the page of the second step", () => {
  test("works after it was loaded again, with another token", async () => {
    const again = await reload();
    expect(again.mfaToken).not.toBe(step.mfaToken);
    await expectSignedIn(await again.post("/mfa/verify", { code: await app.code() }));
  });

  test("in two tabs: the older one's form is a 403 page whose own token works", async () => {
    const newer = await reload();
    const refused = await step.post("/mfa/verify", { code: await app.code() });
    expect(refusalOf(refused)).toEqual({ status: 403, error: "xsrf" });
    expect(refused.page().text).toContain("This page was open for too long. Please enter a new code.");
    // The code was not verified, so it is still valid.
    const reloaded = readStep(browser, refused);
    expect([step.mfaToken, newer.mfaToken]).not.toContain(reloaded.mfaToken);
    await expectSignedIn(await reloaded.post("/mfa/verify", { code: await app.code() }));
  });

  test("in two tabs of two requests: each ends its own", async () => {
    const other = await openStep(browser, party.request().url, anna);
    await expectSignedIn(await step.post("/mfa/verify", { code: await app.code() }));
    server.clock.advance(30);
    await expectSignedIn(await other.post("/mfa/verify", { code: await app.code() }));
  });

  test("reloaded after a right code continues without another", async () => {
    tokenOf(await step.call("/mfa/verify-totp", { code: await app.code() }));
    const again = await reload();
    expect(again.page.page().text).toContain("Your second factor is confirmed.");
    await expectSignedIn(await again.post("/mfa/verify"));
  });

  test("reloaded after the sign-in shows that the user is signed in, as does the form sent again", async () => {
    await expectSignedIn(await step.post("/mfa/verify", { code: await app.code() }));
    for (const response of [await browser.get(step.page.url), await step.post("/mfa/verify", { code: "000000" })]) {
      const end = await followRedirects(browser, response);
      expect([end.status, new URL(end.url).pathname]).toEqual([200, "/login"]);
      expect(stateOf(end).login_result).toMatchObject({ status: "success" });
    }
  });

  test("reloaded many times lives no longer than ten minutes from the password", async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      server.clock.advance(PENDING_SECONDS / 4);
      await reload();
    }
    server.clock.advance(PENDING_SECONDS / 4);
    expect(refusalOf(await browser.get(step.page.url))).toEqual({ status: 400, error: "unauthorized" });
  });
});

describe("after its ten minutes", () => {
  test("the page leads back to the password form, which continues the same request", async () => {
    server.clock.advance(PENDING_SECONDS);
    const over = await browser.get(step.page.url);
    expect(refusalOf(over)).toEqual({ status: 400, error: "unauthorized" });
    expect(over.page().text).toContain("This sign-in has expired. Please start again.");
    const [link] = over
      .page()
      .all("a")
      .filter(({ attributes }) => attributes.href?.startsWith("/login"));
    const form = await open(browser, new URL(link?.attributes.href ?? "", server.url).href);
    const { username, password } = anna;
    const secondStep = await browser.submit(form, form.page().form("/login/native"), { username, password });
    const again = readStep(browser, await followRedirects(browser, secondStep));
    await expectSignedIn(await again.post("/mfa/verify", { code: await app.code() }));
  });

  test("the form and the calls are refused, with the right code too", async () => {
    server.clock.advance(PENDING_SECONDS);
    const code = await app.code();
    expect(statusAndBody(await step.call("/mfa/verify-totp", { code }))).toEqual([401, { error: "unauthorized" }]);
    expect(refusalOf(await step.post("/mfa/verify", { code }))).toEqual({ status: 400, error: "unauthorized" });
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  // Proves requirement 56.
  test("a right code has to be followed by the form in time", async () => {
    server.clock.advance(PENDING_SECONDS - 1);
    const token = tokenOf(await step.call("/mfa/verify-totp", { code: await app.code() }));
    server.clock.advance(1);
    const late = await step.post("/mfa/verify", { mfa_token: token });
    expect(refusalOf(late)).toEqual({ status: 400, error: "unauthorized" });
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("one second before, everything works", async () => {
    server.clock.advance(PENDING_SECONDS - 1);
    await expectSignedIn(await step.post("/mfa/verify", { code: await app.code() }));
  });
});

describe.each(PAGES)("%s without a sign-in that waits", (path) => {
  const at = (challenge: string, query = "method=totp") => `${path}?${query}&login_challenge=${challenge}`;

  test("of this browser leads to the password form", async () => {
    const stranger = server.browser();
    const form = await open(stranger, party.request().url);
    const challenge = String(stateOf(form).login_challenge);
    const end = await open(stranger, at(challenge));
    expect(refusalOf(end)).toEqual({ status: 400, error: "unauthorized" });
    expect(
      end
        .page()
        .all("a")
        .some(({ attributes }) => attributes.href?.startsWith("/login")),
    ).toBe(true);
    expect(hasForm(await open(stranger, `/login?login_challenge=${challenge}`), "/login/native")).toBe(true);
  });

  test("in another browser shows no data of the user, and has no effect", async () => {
    const stranger = server.browser();
    const end = await open(stranger, at(step.challenge));
    expect(new URL(end.url).pathname).toBe("/login");
    expect(end.body).not.toContain(anna.displayName);
    expect(end.body).not.toContain(anna.username);
    codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
  });

  test("of an unknown request leads to the error page", async () => {
    for (const challenge of ["", "nonsense", "a".repeat(5_000), "%ff", step.xsrf, step.mfaToken]) {
      const end = await open(browser, at(challenge));
      expect([end.status, new URL(end.url).pathname]).toEqual([400, "/login"]);
    }
    expect(refusalOf(await open(browser, path))).toEqual({ status: 400, error: "challenge" });
    const posted = await followRedirects(
      browser,
      await browser.post(path, { login_challenge: "nonsense", _xsrf: step.xsrf }),
    );
    expect([posted.status, new URL(posted.url).pathname]).toEqual([400, "/login"]);
  });

  test("accepts no form without or with a foreign anti-forgery token", async () => {
    for (const _xsrf of ["", "x", (await openStep(server.browser(), party.request().url, anna)).xsrf]) {
      const response = await step.post(path, { _xsrf, code: await app.code(), method: "totp" });
      expect((await followRedirects(browser, response)).location).toBeNull();
    }
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    const again = await reload();
    codeOf(await finish(again, await again.call("/mfa/verify-totp", { code: await app.code() })));
  });
});
