import { describe, expect, test } from "vitest";
import { setClient } from "#app/domain/client/set.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openStep, readStep } from "#tests/http/second-factor/steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedTokens, typePassword } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const server = await serverOfFile({ env: { MFA_REMEMBER_DAYS: "30" } });
const { context } = server;

const at = eachTest(async () => {
  const scopes = ["openid", "offline"];
  return {
    anna: await server.users.create(),
    browser: server.browser(),
    strict: await server.parties.create({ scopes, firstParty: true, requireMfa: true }),
    usual: await server.parties.create({ scopes, firstParty: true }),
  };
});

const pathOf = ({ url }: { url: string }) => new URL(url).pathname;

describe("an application that requires a second factor", () => {
  test("lets a user set one up after the password, who has none, and gets amr and acr of two factors", async () => {
    const response = await typePassword(at.browser, await open(at.browser, at.strict.request().url), at.anna);
    expect(pathOf(response)).toMatch(/^\/mfa\//);
    const app = await giveTotp(server, at.anna);
    const request = at.strict.request();
    const step = await openStep(server.browser(), request.url, at.anna);
    const end = await followRedirects(step.browser, await step.post("/mfa/verify", { code: await app.code() }));
    const { payload } = await at.strict.verifyIdToken(
      readTokens(await at.strict.exchange(codeOf(end), request)).idToken,
    );
    expect(payload).toMatchObject({ acr: "urn:gatehouse:acr:mfa", amr: expect.arrayContaining(["mfa"]) });
  });

  // Proves requirement 179.
  test("does not accept a session of one factor; other applications do", async () => {
    await seedTokens(server, at.browser, at.usual, at.usual.request(), at.anna);
    expect(pathOf(await open(at.browser, at.strict.request().url))).toMatch(/^\/mfa\//);
    expect(await findSignedInUser(at.usual, at.browser)).toBe(at.anna.id);
  });

  // Proves requirement 179.
  test("gets login_required with prompt=none and a session of one factor", async () => {
    await seedTokens(server, at.browser, at.usual, at.usual.request(), at.anna);
    expect(await findSignedInUser(at.strict, at.browser)).toBe("login_required");
  });

  test("accepts a session of two factors, and with prompt=none", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await openStep(at.browser, at.usual.request().url, at.anna);
    codeOf(await followRedirects(at.browser, await step.post("/mfa/verify", { code: await app.code() })));
    expect(codeOf(await open(at.browser, at.strict.request().url))).not.toBe("");
    expect(await findSignedInUser(at.strict, at.browser)).toBe(at.anna.id);
  });

  // Proves requirement 179.
  test("does not accept a remembered device in place of the factor; other applications do", async () => {
    const app = await giveTotp(server, at.anna);
    const first = await openStep(at.browser, at.usual.request().url, at.anna);
    const typed = { code: await app.code(), remember_device: "yes" };
    codeOf(await followRedirects(at.browser, await first.post("/mfa/verify", typed)));
    for (const { name } of at.browser.jar.all()) {
      if (!/^gatehouse_(browser|device_)/.test(name)) at.browser.jar.clear(name);
    }
    server.clock.advance(60);
    const skipped = await typePassword(at.browser, await open(at.browser, at.usual.request().url), at.anna);
    expect(codeOf(skipped)).not.toBe("");
    const asked = await open(at.browser, at.strict.request().url);
    expect(pathOf(asked)).toBe("/mfa/verify");
    const step = readStep(at.browser, asked);
    const end = await followRedirects(at.browser, await step.post("/mfa/verify", { code: await app.code() }));
    expect(codeOf(end)).not.toBe("");
  });
});

describe("when an application begins to require a second factor", () => {
  // Proves requirement 179.
  test("codes and refresh tokens of sign-ins with one factor are invalid, until it ends", async () => {
    const { clientId } = at.usual;
    const tokens = await seedTokens(
      server,
      at.browser,
      at.usual,
      at.usual.request({ scope: "openid offline" }),
      at.anna,
    );
    const request = at.usual.request();
    const code = codeOf(await open(at.browser, request.url));
    await setClient(context, clientId, { requireMfa: true });
    expect((await at.usual.exchange(code, request)).error()).toBe("invalid_grant");
    expect((await at.usual.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
    await setClient(context, clientId, { requireMfa: false });
    expect(codeOf(await open(at.browser, at.usual.request().url))).not.toBe("");
  });

  test("refresh tokens of sign-ins with two factors stay valid", async () => {
    const app = await giveTotp(server, at.anna);
    const request = at.usual.request({ scope: "openid offline" });
    const step = await openStep(at.browser, request.url, at.anna);
    const end = await followRedirects(at.browser, await step.post("/mfa/verify", { code: await app.code() }));
    const tokens = readTokens(await at.usual.exchange(codeOf(end), request));
    await setClient(context, at.usual.clientId, { requireMfa: true });
    expect((await at.usual.refresh(tokens.refreshToken)).status).toBe(200);
  });
});
