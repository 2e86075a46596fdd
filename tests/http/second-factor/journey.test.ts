import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import { type AuthorizationRequest, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { openStep, readStep } from "./steps.ts";

let server: TestServer;
let party: RelyingParty;

async function startWith(env: Record<string, string> = {}) {
  server = await startServer({ env });
  party = await server.parties.create({ firstParty: true });
}

const at = eachTest(async () => ({
  browser: server.browser(),
  anna: await server.users.create(),
  request: party.request(),
}));

/** Returns the ID token's claims at the end of a sign-in. */
async function claimsAfter(response: HttpResponse): Promise<Record<string, unknown>> {
  const tokens = readTokens(await party.exchange(codeOf(await followRedirects(at.browser, response)), at.request));
  return (await party.verifyIdToken(String(tokens.idToken))).payload;
}

describe("a sign-in with a second factor", () => {
  beforeAll(() => startWith());
  afterAll(() => server?.close());

  test("ends with a code of the authenticator app, as a plain form", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openStep(at.browser, at.request.url, at.anna);
    expect(stateOf(step.page)).toMatchObject({ totpRegistered: true, totp_registered: true, fido2Registered: false });
    const claims = await claimsAfter(await step.post("/mfa/verify", { code: await app.code() }));
    expect(claims).toMatchObject({ sub: at.anna.id, amr: ["pwd", "otp", "mfa"], acr: ACR_MFA });
  });

  test("ends with a code checked by a JSON call, and the form with its token", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openStep(at.browser, at.request.url, at.anna);
    const response = await step.call("/mfa/verify-totp", { code: await app.code() });
    expect([response.status, response.json()]).toEqual([200, { token: expect.stringMatching(/^[\w-]{43}$/) }]);
    const { token } = Object(response.json());
    const claims = await claimsAfter(await step.post("/mfa/verify", { mfa_token: token }));
    expect(claims).toMatchObject({ sub: at.anna.id, amr: ["pwd", "otp", "mfa"], acr: ACR_MFA });
  });

  test("ends with a recovery code", async () => {
    await giveTotp(server, at.anna);
    const [code = ""] = await giveRecoveryCodes(server, at.anna);
    const step = await openStep(at.browser, at.request.url, at.anna);
    const claims = await claimsAfter(await step.post("/mfa/verify", { code, method: "recovery" }));
    expect(claims).toMatchObject({ sub: at.anna.id, acr: ACR_MFA });
  });

  test("reports a wrong code on the same page, with its token still valid", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openStep(at.browser, at.request.url, at.anna);
    const again = await step.post("/mfa/verify", { code: "000000" });
    expect([again.status, stateOf(again).error]).toEqual([400, "invalid verification code"]);
    const end = await followRedirects(
      at.browser,
      await readStep(at.browser, again).post("/mfa/verify", { code: await app.code() }),
    );
    expect(redirectParameters(end)).toHaveProperty("code");
  });

  test("requires only the second step for a session from before the factor, and keeps its auth_time", async () => {
    const first = party.request();
    await followRedirects(at.browser, await (await openStepless(first)).post());
    server.clock.advance(60);
    const app = await giveTotp(server, at.anna);
    const page = await open(at.browser, at.request.url);
    expect(new URL(page.url).pathname).toBe("/mfa/verify");
    const began = Math.floor(server.clock.now().getTime() / 1000) - 60;
    const claims = await claimsAfter(await readStep(at.browser, page).post("/mfa/verify", { code: await app.code() }));
    expect(claims).toMatchObject({ sub: at.anna.id, amr: ["pwd", "otp", "mfa"], auth_time: began });
  });

  async function openStepless({ url }: AuthorizationRequest) {
    const page = await open(at.browser, url);
    const { username, password } = at.anna;
    return { post: () => at.browser.submit(page, page.page().form("/login/native"), { username, password }) };
  }

  test("is cancelled by the user: the application gets access_denied, and there is no session", async () => {
    await giveTotp(server, at.anna);
    const step = await openStep(at.browser, at.request.url, at.anna);
    const end = await followRedirects(at.browser, await step.post("/mfa/verify", { cancel: "1" }));
    expect(redirectParameters(end)).toMatchObject({ error: "access_denied" });
  });
});

describe("with MFA_POLICY=required", () => {
  beforeAll(() => startWith({ MFA_POLICY: "required" }));
  afterAll(() => server?.close());

  test("an authenticator app is set up during the sign-in, with plain forms, and recovery codes are shown once", async () => {
    const step = await openStep(at.browser, at.request.url, at.anna);
    expect(stateOf(step.page)).toMatchObject({ totpRegistered: false, fido2Registered: false });
    const setUp = await followRedirects(at.browser, await step.post("/mfa/setup", { method: "totp" }));
    const [, secret = ""] = /secret=([A-Z2-7]+)/.exec(setUp.body) ?? [];
    const app = testApp(server.clock, secret);
    const offer = await followRedirects(
      at.browser,
      await readStep(at.browser, setUp).post("/mfa/setup", { code: await app.code() }),
    );
    expect(new URL(offer.url).pathname).toBe("/mfa/recovery-codes");
    const shown = await readStep(at.browser, offer).post("/mfa/recovery-codes");
    const codes = shown.body.match(/\b[0-9A-Z]{5}-[0-9A-Z]{5}\b/g) ?? [];
    expect([shown.status, new Set(codes).size]).toEqual([200, 10]);
    expect((await readStep(at.browser, offer).post("/mfa/recovery-codes")).status).toBe(403);
    const last = readStep(at.browser, await at.browser.get(offer.url));
    expect(last.page.body).not.toContain(codes[0]);
    const claims = await claimsAfter(await last.post("/mfa/verify"));
    expect(claims).toMatchObject({ sub: at.anna.id, amr: ["pwd", "otp", "mfa"], acr: ACR_MFA });
    const { t, q } = server.context.store;
    expect(await q.$count(t.totpCredentials, eq(t.totpCredentials.userId, at.anna.id))).toBe(1);
  });

  test("an authenticator app is set up by JSON calls", async () => {
    const step = await openStep(at.browser, at.request.url, at.anna);
    const started = Object((await step.call("/mfa/init-totp")).json());
    expect(started).toEqual({
      qr_code: expect.stringMatching(/^iVBOR/),
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    });
    const code = await testApp(server.clock, started.secret).code();
    const { token } = Object((await step.call("/mfa/setup-totp", { code })).json());
    expect(await claimsAfter(await step.post("/mfa/verify", { mfa_token: token }))).toMatchObject({ sub: at.anna.id });
  });
});
