import { describe, expect, test } from "vitest";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { endOwnSession } from "#app/domain/session/end.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, redirectParameters } from "#tests/http/oidc/responses.ts";
import { METADATA, sessionsOf, settingsOf } from "#tests/http/settings-domain/steps.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveKey, giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { startCeremony, tokenOf } from "./calls.ts";
import { finish, type OpenStep, readStep } from "./steps.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Anna is signed in with her password only. */
const at = eachTest(async () => {
  const anna = await server.users.create();
  const bert = await server.users.create();
  const browser = server.browser();
  codeOf(await signIn(browser, party.request(), anna));
  return { anna, bert, browser };
});

/** Opens the second step that an application demands of the session. */
async function openStepUp(): Promise<OpenStep> {
  return readStep(at.browser, await open(at.browser, party.request({ acr_values: ACR_MFA }).url));
}

/** The ways in which the session of the step ends, each in another tab or browser. */
const ENDINGS: readonly [name: string, end: () => Promise<unknown>][] = [
  [
    "a sign-out",
    async () => {
      const page = await open(at.browser, party.logoutUrl());
      return at.browser.submit(page, page.page().form("/logout/accept"));
    },
  ],
  [
    "'End this session' in the settings",
    async () => {
      const [id = ""] = await sessionsOf(server, at.anna);
      const access = await settingsOf(server, at.anna, `other than ${id}`);
      expect(await endOwnSession(server.context, access, { ...METADATA, id })).toEqual({ kind: "done" });
    },
  ],
  [
    "the sign-in of another user in this browser",
    async () => typePassword(at.browser, await open(at.browser, party.request({ prompt: "login" }).url), at.bert),
  ],
];

/** Opens the page of the step again, whose anti-forgery token is that of the browser as it is now. */
async function reopen({ challenge, mfaToken }: OpenStep): Promise<OpenStep> {
  const page = await at.browser.get(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`);
  expect(page.page().text).not.toContain(at.anna.displayName);
  expect(page.page().state()).toMatchObject({ error: "unauthorized", token: "" });
  const step = readStep(at.browser, page);
  return {
    ...step,
    mfaToken,
    post: (path, typed = {}) => step.post(path, { mfa_token: mfaToken, ...typed }),
    call: (path, body = {}) => step.call(path, body, { mfaToken }),
  };
}

/** Expects that the response is not a redirect with a code, and that Anna has no session. */
async function expectNoSession(response: HttpResponse): Promise<void> {
  const end = await followRedirects(at.browser, response);
  expect(end.location, "stays at this server").toBeNull();
  expect(await findSignedInUser(party, at.browser)).not.toBe(at.anna.id);
  expect(await sessionsOf(server, at.anna)).toEqual([]);
}

describe.each(ENDINGS)("after %s, a second step that the session began", (_name, end) => {
  test("accepts no code", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openStepUp();
    await end();
    const again = await reopen(step);
    expect((await again.call("/mfa/verify-totp", { code: await app.code() })).status).toBe(401);
    await expectNoSession(await again.post("/mfa/verify", { code: await app.code() }));
  });

  test("accepts no security key", async () => {
    const key = await giveKey(server, at.anna);
    const step = await openStepUp();
    const options = await startCeremony(step);
    await end();
    const again = await reopen(step);
    const response = await again.call("/mfa/verify-fido2", key.assert(options));
    expect(response.status).toBe(401);
    await expectNoSession(await again.post("/mfa/verify"));
  });

  test("accepts no recovery code, which stays unused", async () => {
    await giveTotp(server, at.anna);
    const [code = ""] = await giveRecoveryCodes(server, at.anna);
    const step = await openStepUp();
    await end();
    await expectNoSession(await (await reopen(step)).post("/mfa/verify", { code, method: "recovery" }));
    const { q, t } = server.context.store;
    expect(
      (await q.select().from(t.recoveryCodes)).filter(({ userId, usedAt }) => userId === at.anna.id && usedAt),
    ).toEqual([]);
  });

  // Proves requirement 59.
  test("sets up no first factor", async () => {
    const step = await openStepUp();
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(server.clock, String(secret)).code();
    await end();
    const again = await reopen(step);
    expect((await again.call("/mfa/setup-totp", { code })).status).toBe(401);
    expect((await again.call("/mfa/init-totp")).status).toBe(401);
    await expectNoSession(await again.post("/mfa/verify"));
  });

  // Proves requirement 59.
  test("does not revive the session by a result that was accepted before", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openStepUp();
    const verified = await step.call("/mfa/verify-totp", { code: await app.code() });
    const accepted = await step.post("/mfa/verify", { mfa_token: tokenOf(verified) });
    expect(new URL(accepted.location ?? "", server.url).pathname).toMatch(/^\/oauth2\/auth\//);
    await end();
    await expectNoSession(accepted);
  });
});

test("a second step continues the session in which it began, also with a first factor that is set up in it", async () => {
  const step = await openStepUp();
  const [uid] = await sessionsOf(server, at.anna);
  const { secret } = Object((await step.call("/mfa/init-totp")).json());
  const code = await testApp(server.clock, String(secret)).code();
  expect(redirectParameters(await finish(step, await step.call("/mfa/setup-totp", { code })))).toHaveProperty("code");
  expect(await sessionsOf(server, at.anna)).toEqual([uid]);
});
