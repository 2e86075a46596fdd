import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { openStep, readStep } from "./steps.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Anna has entered her password and is at the code form. */
const at = eachTest(async () => {
  const anna = await server.users.create();
  const app = await giveTotp(server, anna);
  const browser = server.browser();
  const step = await openStep(browser, party.request().url, anna);
  return { anna, app, browser, step };
});

/** Expects a page of the server and no session. */
async function expectNoAccess(response: HttpResponse) {
  const end = await followRedirects(at.browser, response);
  expect([end.location, new URL(end.url).origin]).toEqual([null, server.url]);
  expect(end.setCookies.join()).not.toContain("session");
  expect(await findSignedInUser(party, at.browser)).toBe("login_required");
}

/** Expects that the user's code still completes the open sign-in. */
async function expectStepWorks() {
  const again = readStep(at.browser, await at.browser.get(`/mfa/verify?login_challenge=${at.step.challenge}`));
  codeOf(await followRedirects(at.browser, await again.post("/mfa/verify", { code: await at.app.code() })));
}

async function uidOf({ id }: TestUser): Promise<string> {
  const { t, q } = server.context.store;
  const rows = await q
    .select({ slot: t.oneTimeTokens.slot })
    .from(t.oneTimeTokens)
    .where(and(eq(t.oneTimeTokens.userId, id), eq(t.oneTimeTokens.kind, "mfa")));
  return String(rows[0]?.slot);
}

describe("after the password alone", () => {
  // Proves requirement 25.
  test("the form of the step without a code is refused", async () => {
    const response = await at.step.post("/mfa/verify");
    expect(refusalOf(response)).toEqual({ status: 400, error: "invalid verification code" });
    await expectNoAccess(response);
    await expectStepWorks();
  });

  // Proves requirement 24.
  test("no hint and no security question replaces the factor", () => {
    const fields = at.step.page
      .page()
      .forms()
      .flatMap((form) => form.fields.map(([name]) => name));
    expect(new Set(fields)).toEqual(new Set(["_xsrf", "login_challenge", "mfa_token", "method", "code"]));
    const columns = Object.keys(server.context.store.t.users);
    expect(columns).toContain("passwordHash");
    expect(columns.filter((name) => /hint|question|answer|birth|maiden/i.test(name))).toEqual([]);
  });

  test("no cookie of a session was set", () => {
    expect(at.browser.jar.all().filter(({ name }) => name.includes("session"))).toEqual([]);
  });

  // Proves requirement 25.
  test("the resume URL of the engine redirects to the sign-in", async () => {
    const uid = await uidOf(at.anna);
    expect(uid).toMatch(/^[\w-]{20,}$/);
    await expectNoAccess(await at.browser.get(`${ENGINE_ROUTES.authorization}/${uid}`));
  });

  test("the repeated request asks for the password again", async () => {
    const end = await followRedirects(at.browser, await at.browser.get(party.request().url));
    expect(new URL(end.url).pathname).toBe("/login");
    await expectNoAccess(end);
  });

  // Proves requirement 25.
  test("consent to the request is refused", async () => {
    const fields = { _xsrf: at.step.xsrf, consent_challenge: at.step.challenge, scopes: "openid" };
    const response = await at.browser.post("/consent/accept", fields);
    expect(refusalOf(response)).toEqual({ status: 400, error: "challenge" });
    await expectNoAccess(response);
    await expectStepWorks();
  });

  test("'Proceed' finds no session", async () => {
    const fields = { _xsrf: at.step.xsrf, login_challenge: at.step.challenge, user: at.anna.id, proceed: "1" };
    const response = await at.browser.post("/login/proceed", fields);
    expect([response.status, response.location]).toEqual([400, null]);
    await expectNoAccess(response);
    await expectStepWorks();
  });

  test.each(["totp", "fido2"])("a factor of one's own cannot be set up in place of the code: %s", async (method) => {
    await expectNoAccess(await at.step.post("/mfa/setup", { method }));
    await expectStepWorks();
  });

  test("no recovery codes are created, and existing ones stay valid", async () => {
    const [code = ""] = await giveRecoveryCodes(server, at.anna);
    const response = await at.step.post("/mfa/recovery-codes");
    expect(response.body).not.toMatch(/\b[0-9A-Z]{5}-[0-9A-Z]{5}\b/);
    await expectNoAccess(response);
    const again = readStep(at.browser, await at.browser.get(`/mfa/verify?login_challenge=${at.step.challenge}`));
    codeOf(await followRedirects(at.browser, await again.post("/mfa/verify", { code })));
  });

  test("the end of a set-up cannot be requested", async () => {
    await expectNoAccess(await at.step.post("/mfa/setup"));
    await expectStepWorks();
  });

  test("reading any page of the step changes nothing", async () => {
    for (const path of ["/mfa/setup?method=totp&", "/mfa/setup?method=fido2&", "/mfa/recovery-codes?"]) {
      await expectNoAccess(await at.browser.get(`${path}login_challenge=${at.step.challenge}`));
    }
    await expectStepWorks();
  });
});
