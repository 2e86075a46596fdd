import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { openForm, stateOf, tokensOf } from "#tests/http/login/open-form.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { createRelyingParty, encodeParameters, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { followRedirects, hasForm, open, redirectParameters, seedSignIn, typePassword } from "./browser-steps.ts";

const FREE_BYTES = 4096;
const DAY_SECONDS = 24 * 60 * 60;
const PER_ADDRESS = 300;
const WINDOW_SECONDS = 10 * 60;

let server: TestServer;
let anna: TestUser;
let party: RelyingParty;
let spa: RelyingParty;
/** A client whose requests need the user's consent. */
let stranger: RelyingParty;

beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: "127.0.0.1" } });
  anna = await server.users.create();
  const client = await server.clients.create({
    firstParty: true,
    registrationUrl: "http://localhost:9/new",
    regHints: ["email"],
  });
  party = createRelyingParty({ issuer: server.url, client });
  const isPublic = await server.clients.create({ firstParty: true, public: true });
  spa = createRelyingParty({ issuer: server.url, client: isPublic });
  const thirdParty = await server.clients.create({ scopes: ["openid", "profile"] });
  stranger = createRelyingParty({ issuer: server.url, client: thirdParty });
});
afterAll(() => server?.close());

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

const typedBy = ({ username, password }: TestUser) => ({ username, password });

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
    const uid = challenge.split(".").find((part) => part.length > 20) ?? "";
    const rows = await q.select().from(t.oidcRecords).where(eq(t.oidcRecords.model, "Interaction"));
    return rows.find(({ id }) => challenge.includes(id)) ?? rows.find(({ id }) => id === uid) ?? null;
  };

  test("are kept for a day after expiry if they are small, otherwise not", async () => {
    const few = await openForm(server.browser(), party.request().url);
    const many = await openForm(server.browser(), party.request({ state: "s".repeat(4000) }).url);
    server.clock.advance(60 * 60 + 1);
    await createCleanUp(server.context).run();
    expect(await interaction(few.challenge)).not.toBeNull();
    expect(await interaction(many.challenge)).toBeNull();
    const page = await many.browser.get(`/login?${encodeParameters({ login_challenge: many.challenge })}`);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    server.clock.advance(DAY_SECONDS);
  });

  test("are not kept after completion if they are large; the page still shows that the request was used", async () => {
    const browser = server.browser();
    const form = await openForm(browser, party.request({ state: "s".repeat(4000) }).url);
    expect(
      redirectParameters(
        await followRedirects(browser, await form.post({ username: anna.username, password: anna.password })),
      ),
    ).toHaveProperty("code");
    const stored = await interaction(form.challenge);
    expect(JSON.stringify(stored?.payload)).not.toContain("sssss");
    const page = await browser.get(`/login?${encodeParameters({ login_challenge: form.challenge })}`);
    expect(stateOf(page)).toMatchObject({ login_result: { status: "success" } });
  });
});

describe("an address", () => {
  /** Opens a sign-in form, posts these fields with its tokens, and resumes the request. */
  async function submitForm(browser: Browser, path: string, typed: FormValues) {
    const { location } = await browser.get(party.request({ prompt: "login" }).url, from);
    const { login_challenge, xsrf_token: _xsrf } = tokensOf(await browser.get(location ?? "", from));
    const posted = await browser.post(path, { _xsrf, login_challenge, ...typed }, from);
    expect(posted.location).toContain("/oauth2/auth/");
    return browser.get(posted.location ?? "", from);
  }

  async function openAll(count: number) {
    for (let opened = 0; opened < count; opened += 1) {
      expect((await get(party.request().url)).location).toContain("/login?");
    }
  }

  test("may leave 300 requests open in ten minutes; the next one gets 429, other addresses do not, and the limit expires", async () => {
    const signedIn = server.browser();
    await seedSignIn(server, signedIn, party.request(), anna);
    await openAll(PER_ADDRESS);
    const before = await records();
    const refused = await get(party.request().url);
    expect([refused.status, refused.location]).toEqual([429, null]);
    expect(stateOf(refused)).toMatchObject({ server_error: { code: 429 } });
    const wait = Number(refused.headers["retry-after"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(WINDOW_SECONDS);
    const minutes = Math.ceil(wait / 60);
    expect(minutes).toBeGreaterThan(1);
    expect(refused.page().title).toBe("Error: Too many sign-ins from this network | Gatehouse");
    expect(refused.page().text).toContain(`Too many sign-ins from this network Please wait ${minutes} min`);
    const german = await server.browser("de").get(party.request().url, from);
    expect(german.page().text).toContain("Zu viele Anmeldungen aus diesem Netzwerk");
    expect(german.page().text).toContain(`Bitte warten Sie ${minutes} Minuten`);
    expect((await records()).count).toBe(before.count);
    // The limit applies neither to live sessions nor to other addresses.
    expect(redirectParameters(await signedIn.get(party.request({ prompt: "none" }).url, from))).toHaveProperty("code");
    expect((await signedIn.get(party.request({ prompt: "login" }).url, from)).location).toContain("/login?");
    expect(redirectParameters(await submitForm(signedIn, "/login/native", typedBy(anna)))).toHaveProperty("code");
    // A sign-in with a session does not free a place of the address.
    expect((await get(party.request().url)).status).toBe(429);
    expect((await server.browser().get(party.request().url)).location).toContain("/login?");
    server.clock.advance(wait);
    expect((await get(party.request().url)).location).toContain("/login?");
  }, 120_000);

  test("may open as many again for each completed sign-in and for requests without interaction, but not for cancelled ones", async () => {
    await openAll(PER_ADDRESS - 1);
    for (let round = 0; round < 3; round += 1) {
      expect(redirectParameters(await get(party.request({ prompt: "none" }).url))).toMatchObject({
        error: "login_required",
      });
      expect(redirectParameters(await submitForm(server.browser(), "/login/native", typedBy(anna)))).toHaveProperty(
        "code",
      );
    }
    const cancelled = await submitForm(server.browser(), "/mfa/verify", { cancel: "1" });
    expect(redirectParameters(cancelled)).toMatchObject({ error: "access_denied" });
    expect((await get(party.request().url)).status).toBe(429);
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
    const client = await server.clients.create();
    const partyWithHints = createRelyingParty({ issuer: server.url, client });
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
      expect([response.status, response.location]).toEqual([303, opened.location]);
    }
    expect(await records()).toEqual(before);
    expect((await browser.get(opened.location ?? "", from)).status).toBe(200);
  });
});
