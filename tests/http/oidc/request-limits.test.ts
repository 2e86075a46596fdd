// Proves requirement 142.
import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY_SECONDS } from "#app/durations.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { openForm, stateOf, tokensOf } from "#tests/http/login/open-form.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { encodeParameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedSignIn, typePassword } from "./browser-steps.ts";
import { hasForm, redirectParameters } from "./responses.ts";

const FREE_BYTES = 4096;
const PER_ADDRESS = 300;
const WINDOW_SECONDS = 10 * 60;

const server = await serverOfFile({ env: { TRUST_PROXY: "127.0.0.1" } });
const anna = await server.users.create();
const party = await server.parties.create({
  firstParty: true,
  registrationUrl: "http://localhost:9/new",
  regHints: ["email"],
});
const spa = await server.parties.create({ firstParty: true, public: true });
/** A client whose requests need the user's consent. */
const stranger = await server.parties.create({ scopes: ["openid", "profile"] });

let addresses = 0;
let from: { headers: { "x-forwarded-for": string } };
beforeEach(() => {
  addresses += 1;
  from = { headers: { "x-forwarded-for": `198.51.100.${addresses}` } };
});

async function records() {
  const { q, t } = server.context.store;
  const rows = await q.select({ payload: t.oidcRecords.payload }).from(t.oidcRecords);
  return { count: rows.length, bytes: JSON.stringify(rows).length };
}

/** Returns a text that no compression shortens much. */
const incompressible = (length: number) => randomBytes(length).toString("base64url").slice(0, length);

const get = (url: string) => server.browser().get(url, from);

describe("an authorization request", () => {
  test("with a state of 50 KB writes nothing: 300 of them leave the database unchanged", async () => {
    const before = await records();
    const { url } = party.request({ state: "s".repeat(50_000) });
    for (let sent = 0; sent < 300; sent += 1) {
      const { status, location } = await get(url);
      expect([status, new URL(location ?? "").pathname]).toEqual([303, "/error"]);
    }
    expect(await records()).toEqual(before);
  }, 120_000);

  const long = "x".repeat(FREE_BYTES + 1);
  test.each([
    ["nonce", long],
    ["login_hint", long],
    ["claims", JSON.stringify({ userinfo: { [long]: null } })],
    ["reg_hints[email]", long],
    ["reg_hints[undeclared]", long],
    ["login_hint", "ü".repeat(FREE_BYTES / 2 + 1)],
    ["scope", `openid ${long}`],
    ["acr_values", long],
    ["ui_locales", long],
    ["gatehouse_refused_scope", long],
    ["max_age", `${"0".repeat(FREE_BYTES)}60`],
  ])("with a long %s is refused: the application gets invalid_request and its complete state", async (name, value) => {
    const before = await records();
    const state = "state-".repeat(100);
    const redirectParams = redirectParameters(await get(party.request({ [name]: value, state }).url));
    expect(redirectParams).toMatchObject({ error: "invalid_request", state, iss: server.url });
    expect((await records()).count).toBe(before.count);
  });

  test("is measured by the sum of its parameters", async () => {
    const half = "x".repeat(FREE_BYTES / 2);
    const redirectParams = redirectParameters(await get(party.request({ login_hint: half, nonce: half }).url));
    expect(redirectParams).toMatchObject({ error: "invalid_request" });
  });

  test("of 4 KB is accepted", async () => {
    const request = party.request({ nonce: "n" });
    const state = "s".repeat(FREE_BYTES - 1);
    const end = await seedSignIn(
      server,
      server.browser(),
      { ...request, url: party.request({ nonce: "n", state }).url, state },
      anna,
    );
    expect(redirectParameters(end)).toMatchObject({ code: expect.any(String), state });
  });

  test("by POST, or pushed, has the same limit", async () => {
    const before = await records();
    const request = party.request({ nonce: long });
    const posted = await server.browser().send("POST", "/oauth2/auth", encodeParameters(request.parameters), {
      headers: { ...from.headers, "content-type": "application/x-www-form-urlencoded" },
    });
    expect(redirectParameters(await get(posted.location ?? ""))).toMatchObject({ error: "invalid_request" });
    for (const pushing of [party, spa]) {
      for (const changes of [{ state: long }, { nonce: long }, { acr_values: long }, { "reg_hints[email]": long }]) {
        const response = await pushing.push(pushing.request(changes));
        expect([response.status, response.error()]).toEqual([400, "invalid_request"]);
      }
    }
    expect((await records()).count).toBe(before.count);
  });
});

describe("the parameters of a request", () => {
  const interaction = async (challenge: string) => {
    const { q, t } = server.context.store;
    const [uid] = challenge.split(".");
    const rows = await q.select().from(t.oidcRecords).where(eq(t.oidcRecords.model, "Interaction"));
    return rows.find(({ id }) => id === uid) ?? null;
  };

  test("are stored without an answer only if they are too large for a URL, and then not after expiry", async () => {
    const few = await openForm(server.browser(), party.request().url);
    const many = await openForm(server.browser(), party.request({ state: incompressible(4000) }).url);
    expect(await interaction(few.challenge)).toBeNull();
    expect(await interaction(many.challenge)).not.toBeNull();
    server.clock.advance(60 * 60 + 1);
    await createCleanUp(server.context).run();
    expect(await interaction(many.challenge)).toBeNull();
    const restartable = await few.browser.get(`/login?${encodeParameters({ login_challenge: few.challenge })}`);
    expect(hasForm(restartable, "/login")).toBe(true);
    const page = await many.browser.get(`/login?${encodeParameters({ login_challenge: many.challenge })}`);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    server.clock.advance(DAY_SECONDS);
  });

  test("are not kept after completion if they are large; the page still shows that the request was used", async () => {
    const browser = server.browser();
    const state = incompressible(4000);
    const form = await openForm(browser, party.request({ state }).url);
    expect(
      redirectParameters(
        await followRedirects(browser, await form.post({ username: anna.username, password: anna.password })),
      ),
    ).toHaveProperty("code");
    const stored = await interaction(form.challenge);
    expect(JSON.stringify(stored?.payload)).not.toContain(state);
    const page = await browser.get(`/login?${encodeParameters({ login_challenge: form.challenge })}`);
    expect(stateOf(page)).toMatchObject({ login_result: { status: "success" } });
  });
});

describe("an address", () => {
  /** A request that is stored, because it is too large for a URL. */
  const large = (changes: Record<string, string> = {}) =>
    party.request({ state: incompressible(4000), ...changes }).url;

  async function openAll(count: number, url: () => string) {
    for (let opened = 0; opened < count; opened += 1) {
      expect((await get(url())).location).toContain("/login?");
    }
  }

  test("may open any number of requests that fit into a URL: nothing is stored", async () => {
    const before = await records();
    await openAll(PER_ADDRESS + 1, () => party.request().url);
    expect(await records()).toEqual(before);
  }, 120_000);

  test("may store 300 large requests in ten minutes; the next one gets 429, smaller ones and other addresses do not, and the limit expires", async () => {
    const signedIn = server.browser();
    await seedSignIn(server, signedIn, party.request(), anna);
    await openAll(PER_ADDRESS, large);
    const before = await records();
    const refused = await get(large());
    expect([refused.status, refused.location]).toEqual([429, null]);
    expect(stateOf(refused)).toMatchObject({ server_error: { code: 429 } });
    const wait = Number(refused.headers["retry-after"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(WINDOW_SECONDS);
    const minutes = Math.ceil(wait / 60);
    expect(minutes).toBeGreaterThan(1);
    expect(refused.page().title).toBe("Error: Too many sign-ins from this network | Gatehouse");
    expect(refused.page().text).toContain(`Too many sign-ins from this network Please wait ${minutes} min`);
    const german = await server.browser("de").get(large(), from);
    expect(german.page().text).toContain("Zu viele Anmeldungen aus diesem Netzwerk");
    expect(german.page().text).toContain(`Bitte warten Sie ${minutes} Minuten`);
    expect((await records()).count).toBe(before.count);
    // The limit applies neither to small requests, nor to live sessions, nor to other addresses.
    expect((await get(party.request().url)).location).toContain("/login?");
    expect(redirectParameters(await signedIn.get(large({ prompt: "none" }), from))).toHaveProperty("code");
    expect((await signedIn.get(large({ prompt: "login" }), from)).location).toContain("/login?");
    expect((await server.browser().get(large())).location).toContain("/login?");
    server.clock.advance(wait);
    expect((await get(large())).location).toContain("/login?");
  }, 120_000);

  test("has the same limit for registrations and password resets, which refer to their request", async () => {
    await openAll(PER_ADDRESS, large);
    const browser = server.browser();
    const page = await browser.get(String((await browser.get(party.request().url, from)).location), from);
    const { login_challenge, xsrf_token: _xsrf } = tokensOf(page);
    const before = await records();
    expect((await browser.post("/register", { _xsrf, login_challenge }, from)).status).toBe(429);
    const reset = `/password-reset/request?${encodeParameters({ login_challenge })}`;
    expect((await browser.post(reset, { _xsrf, username: anna.username }, from)).status).toBe(429);
    expect(await records()).toEqual(before);
  }, 120_000);
});

describe("a request that is restarted in another browser", () => {
  type Restart = { browser: Browser; post(): Promise<HttpResponse> };

  /** Opens a URL of another browser's request in this browser; `post` submits the form that restarts the request. */
  async function restartOf(browser: Browser, path: string, parameters: Record<string, string>): Promise<Restart> {
    const page = await browser.get(`${path}?${encodeParameters(parameters)}`, from);
    const fields = { _xsrf: tokensOf(page).xsrf_token, ...parameters };
    return { browser, post: () => browser.post(path, fields, from) };
  }

  const state = "s".repeat(2000);

  async function loginChallenge() {
    return { login_challenge: (await openForm(server.browser(), party.request({ state }).url)).challenge };
  }

  async function consentChallenge() {
    const partyWithHints = await server.parties.create();
    const browser = server.browser();
    const page = await typePassword(browser, await open(browser, partyWithHints.request({ state }).url), anna);
    expect(hasForm(page, "/consent/accept")).toBe(true);
    return { consent_challenge: tokensOf(page).consent_challenge };
  }

  test.each([
    ["/login", loginChallenge],
    ["/consent", consentChallenge],
  ])(
    "counts: the 301st of an address in ten minutes writes nothing (%s)",
    async (path, challenge) => {
      const parameters = await challenge();
      const signedIn = server.browser();
      await seedSignIn(server, signedIn, party.request(), anna);
      const stranger = await restartOf(server.browser(), path, parameters);
      for (let restarted = 0; restarted < PER_ADDRESS; restarted += 1) {
        expect((await stranger.post()).location).toContain("/oauth2/auth?");
      }
      const before = await records();
      const refused = await stranger.post();
      expect([refused.status, refused.location]).toEqual([429, null]);
      const wait = Number(refused.headers["retry-after"]);
      expect(wait).toBeGreaterThan(60);
      expect(wait).toBeLessThanOrEqual(WINDOW_SECONDS);
      expect(refused.page().text).toContain(`Please wait ${Math.ceil(wait / 60)} minutes`);
      const thirdResponse = await restartOf(server.browser(), path, parameters);
      expect((await thirdResponse.post()).status).toBe(429);
      expect((await records()).count).toBe(before.count);
      // The limit does not apply to live sessions, and ends for the address after the wait.
      const { post } = await restartOf(signedIn, path, parameters);
      expect((await post()).location).toContain("/oauth2/auth?");
      server.clock.advance(wait);
      expect((await (await restartOf(server.browser(), path, parameters)).post()).location).toContain("/oauth2/auth?");
    },
    120_000,
  );

  test("counts together with the requests that public clients push", async () => {
    const stranger = await restartOf(server.browser(), "/login", await loginChallenge());
    for (let restarted = 0; restarted < PER_ADDRESS; restarted += 1) await stranger.post();
    const body = encodeParameters({ ...spa.request().parameters });
    const headers = { ...from.headers, "content-type": "application/x-www-form-urlencoded" };
    const pushed = await server.browser().send("POST", "/oauth2/par", body, { headers });
    expect([pushed.status, pushed.json()]).toEqual([429, { error: "temporarily_unavailable" }]);
  }, 120_000);
});

describe("the URL that resumes a request", () => {
  test.each([
    ["sign-in", "login", () => party.request({ prompt: "login" })],
    ["consent", "consent", () => stranger.request()],
  ])("does nothing while the %s is open: nothing is finished, opened or stored", async (_what, page, request) => {
    const browser = server.browser();
    await seedSignIn(server, browser, party.request(), anna);
    const opened = await browser.get(request().url, from);
    expect(opened.location).toContain(`/${page}?`);
    const { searchParams } = new URL(opened.location ?? "");
    const [uid] = searchParams.get(`${page}_challenge`)?.split(".") ?? [];
    const before = await records();
    for (let again = 0; again < 3; again += 1) {
      const response = await browser.get(`/oauth2/auth/${uid}`, from);
      expect([response.status, new URL(response.location ?? "").pathname]).toEqual([303, "/error"]);
    }
    expect(await records()).toEqual(before);
    expect((await browser.get(opened.location ?? "", from)).status).toBe(200);
  });
});
