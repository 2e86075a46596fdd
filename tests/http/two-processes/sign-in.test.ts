import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addProviderUser, connect } from "#tests/http/external/providers.ts";
import { chooseUser, goToProvider, returnFromProvider } from "#tests/http/external/steps.ts";
import { copyOf, findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { allow, followRedirects, obtainTokens, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm } from "#tests/http/oidc/responses.ts";
import { startCeremony } from "#tests/http/second-factor/calls.ts";
import { finish, openStep } from "#tests/http/second-factor/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { giveKey, giveRecoveryCodes, giveTotp, newKey, testApp } from "#tests/support/factors.ts";
import { freePort } from "#tests/support/free-port.ts";
import { encodeParameters, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD, type TestUser } from "#tests/support/server.ts";
import { startUpstream, type TestUpstream } from "#tests/support/upstream.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

const WRONG = "Wrong-Window-27-Oak";

let server: TwoServers;
let google: TestUpstream;
/** A first-party client, which needs no consent. */
let party: RelyingParty;
let anna: TestUser;

beforeAll(async () => {
  const port = await freePort();
  google = await startUpstream("google", { appUrl: `http://localhost:${port}` });
  server = await startTwoServers(google.env, port);
  party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });
}, 120_000);

afterAll(async () => {
  await server?.close();
  await google?.close();
});

beforeEach(async () => {
  anna = await server.users.create();
});

/** Signs out; repeats because a concurrent silent request may save the session without the logout's state. */
async function signOut(browser: Browser): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const page = await open(browser, party.logoutUrl());
    if (!hasForm(page, "/logout/accept")) continue;
    if ((await browser.submit(page, page.page().form("/logout/accept"))).status === 303) return;
  }
  throw new Error("The sign-out was never accepted.");
}

describe("tokens", () => {
  test("are issued, accepted, refreshed and revoked by both processes; consent is requested once", async () => {
    const otherParty = await server.parties.create({ scopes: ["openid", "profile", "offline"], mayIntrospect: true });
    const browser = server.browser();
    const request = otherParty.request({ scope: "openid profile offline" });
    const question = await typePassword(browser, await open(browser, request.url), anna);
    const first = readTokens(await otherParty.exchange(codeOf(await allow(browser, question)), request));
    expect((await otherParty.verifyIdToken(first.idToken)).payload.sub).toBe(anna.id);
    expect((await otherParty.userinfo(first.accessToken)).json()).toMatchObject({ sub: anna.id });
    expect((await otherParty.introspect(first.accessToken)).json()).toMatchObject({ active: true, sub: anna.id });
    const second = readTokens(await otherParty.refresh(first.refreshToken));
    expect((await otherParty.revoke(second.accessToken)).status).toBe(200);
    for (let calls = 0; calls < 2; calls += 1) {
      expect((await otherParty.userinfo(second.accessToken)).status).toBe(401);
      expect((await otherParty.introspect(second.accessToken)).json()).toEqual({ active: false });
    }
    expect(hasForm(await open(browser, otherParty.request({ scope: "openid profile" }).url), "/consent/accept")).toBe(
      false,
    );
    const [one = 0, other = 0] = server.counts();
    expect(Math.abs(one - other)).toBeLessThanOrEqual(1);
  });

  test("of a family in which one was reused are invalid at both processes", async () => {
    const first = await obtainTokens(server.browser(), party, party.request({ scope: "openid offline" }), anna);
    const second = readTokens(await party.refresh(first.refreshToken));
    const third = readTokens(await party.refresh(second.refreshToken));
    for (let calls = 0; calls < 2; calls += 1) {
      expect((await party.refresh(first.refreshToken)).error()).toBe("invalid_grant");
    }
    for (let calls = 0; calls < 2; calls += 1) {
      expect((await party.refresh(third.refreshToken)).error()).toBe("invalid_grant");
      expect((await party.userinfo(third.accessToken)).status).toBe(401);
    }
  });

  // Proves requirement 140.
  test("are refreshed by six simultaneous requests at both processes, with one successor", async () => {
    const { refreshToken } = await obtainTokens(
      server.browser(),
      party,
      party.request({ scope: "openid offline" }),
      anna,
    );
    const responses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => party.refresh(refreshToken)));
    const all = responses.map(readTokens);
    expect(new Set(all.map((tokens) => tokens.refreshToken)).size).toBe(1);
    for (const { accessToken } of all) expect((await party.userinfo(accessToken)).status).toBe(200);
    expect((await party.refresh(all[0]?.refreshToken ?? "")).status).toBe(200);
  });

  // Proves requirement 128.
  test("are not issued for a session that was ended at the other process", async () => {
    const browser = server.browser();
    const { idToken } = await obtainTokens(browser, party, party.request(), anna);
    const copies = [copyOf(browser, server.url), copyOf(browser, server.url), copyOf(browser, server.url)];
    let ended = false;
    const silent = copies.map(async (copy) => {
      while (!ended) await copy.get(party.request({ prompt: "none", id_token_hint: idToken }).url);
    });
    await signOut(browser);
    ended = true;
    await Promise.all(silent);
    for (const copy of copies) expect(await findSignedInUser(party, copy)).toBe("login_required");
  });

  test("are issued at most once for a code that is sent to both processes simultaneously", async () => {
    const browser = server.browser();
    const app = await server.parties.create({ firstParty: true, public: true });
    const request = app.request();
    const fields = {
      grant_type: "authorization_code",
      code: codeOf(await signIn(browser, request, anna)),
      redirect_uri: app.redirectUri,
      code_verifier: request.verifier,
      client_id: app.clientId,
    };
    const body = encodeParameters(fields);
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const responses = await server.sendToBoth(server.browser(), (at, { headers = {} }) =>
      at.send("POST", "/oauth2/token", body, { headers: { ...headers, ...type } }),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const response of refused) expect(response.json()).toMatchObject({ error: "invalid_grant" });
  });
});

describe("one request that is completed at both processes simultaneously", () => {
  test("by two users signs in one of them", async () => {
    const browser = server.browser();
    const form = await openForm(browser, party.request().url);
    const bernd = await server.users.create();
    const testUsers = [anna, bernd];
    const responses = await server.sendToBoth(browser, (at, options) => {
      const { username = "", password = "" } = testUsers.pop() ?? {};
      return at.post(
        "/login/native",
        { _xsrf: form.xsrf, login_challenge: form.challenge, username, password },
        {
          headers: { ...options.headers, origin: server.url },
        },
      );
    });
    const paths = responses.map(({ location }) => new URL(location ?? "").pathname);
    expect(paths.filter((path) => path.startsWith("/oauth2/auth/"))).toHaveLength(1);
    expect(paths.filter((path) => path === "/login")).toHaveLength(1);
  });

  test("is resumed once", async () => {
    const browser = server.browser();
    const form = await openForm(browser, party.request().url);
    const finish = (await form.post({ username: anna.username, password: anna.password })).location ?? "";
    const responses = await server.sendToBoth(browser, (at, options) => at.get(new URL(finish).pathname, options));
    expect(responses.map(({ status }) => status)).toEqual([303, 303]);
    expect(responses.filter(({ location }) => location?.startsWith(party.redirectUri))).toHaveLength(1);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });
});

describe("a session", () => {
  test("that began at one process is valid at the other, and ends at both", async () => {
    const browser = server.browser();
    await signIn(browser, party.request(), anna);
    for (let calls = 0; calls < 2; calls += 1) expect(await findSignedInUser(party, browser)).toBe(anna.id);
    const copy = copyOf(browser, server.url);
    const page = await open(browser, party.logoutUrl());
    await browser.submit(page, page.page().form("/logout/accept"));
    // whoIsSignedIn makes an even number of requests, so the extra one shifts the check to the other process.
    for (let calls = 0; calls < 2; calls += 1) {
      expect(await findSignedInUser(party, copy)).toBe("login_required");
      await server.browser().get("/healthz");
    }
  });
});

describe("a second step", () => {
  test("is set up during sign-in, started at one process and finished at the other, with an app", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    const bernd = await server.users.create({ groupName });
    const step = await openStep(server.browser(), party.request().url, bernd);
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const app = testApp(server.clock, String(secret));
    codeOf(await finish(step, await step.call("/mfa/setup-totp", { code: await app.code() })));
    expect(await findSignedInUser(party, step.browser)).toBe(bernd.id);
  });

  test("accepts a code once, at either process", async () => {
    const app = await giveTotp(server, anna);
    const code = await app.code();
    const step = await openStep(server.browser(), party.request().url, anna);
    codeOf(await followRedirects(step.browser, await step.post("/mfa/verify", { code })));
    for (let tries = 0; tries < 2; tries += 1) {
      const again = await openStep(server.browser(), party.request().url, anna);
      expect((await again.post("/mfa/verify", { code })).status).toBe(400);
    }
  });

  test("accepts a security key that is registered at one process and responds at the other", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    const carla = await server.users.create({ groupName });
    const key = newKey(server);
    const step = await openStep(server.browser(), party.request().url, carla);
    const { sessionId, ...asked } = await startCeremony(step, "/mfa/init-fido2-registration");
    const credentialJson = JSON.stringify(key.register(asked));
    codeOf(await finish(step, await step.call("/mfa/setup-fido2", { sessionId, credentialJson })));
    const again = await openStep(server.browser(), party.request().url, carla);
    codeOf(await finish(again, await again.call("/mfa/verify-fido2", key.assert(await startCeremony(again)))));
  });

  test("accepts each recovery code once", async () => {
    await giveKey(server, anna);
    const [code = ""] = await giveRecoveryCodes(server, anna);
    const step = await openStep(server.browser(), party.request().url, anna);
    codeOf(await followRedirects(step.browser, await step.post("/mfa/verify", { code, method: "recovery" })));
    for (let tries = 0; tries < 2; tries += 1) {
      const again = await openStep(server.browser(), party.request().url, anna);
      expect((await again.post("/mfa/verify", { code, method: "recovery" })).status).toBe(400);
    }
  });
});

test("a sign-in at a provider starts at one process and returns to the other, once", async () => {
  const person = addProviderUser(google);
  await connect(server, google, person, anna.id);
  const browser = server.browser();
  const request = party.request();
  const page = await goToProvider(browser, request.url, "google");
  // One request in between, so that the provider's response goes to the other process.
  await server.browser().get("/healthz");
  const response = await chooseUser(browser, page, person.sub);
  const end = await returnFromProvider(browser, response);
  const { idToken } = readTokens(await party.exchange(codeOf(end), request));
  expect((await party.verifyIdToken(idToken)).payload).toMatchObject({ sub: anna.id, amr: ["fed"] });
  for (let tries = 0; tries < 2; tries += 1) {
    expect((await returnFromProvider(browser, response)).location ?? "").not.toContain("code=");
  }
});

test("failed attempts are counted across both processes", async () => {
  const form = await openForm(server.browser(), party.request().url);
  const statuses: number[] = [];
  for (let tries = 0; tries < 12; tries += 1) {
    statuses.push((await form.post({ username: anna.username, password: WRONG })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  const response = await form.post({ username: anna.username, password: TEST_PASSWORD });
  expect([response.status, stateOf(response).error]).toEqual([429, "throttled"]);
});
