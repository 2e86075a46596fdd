// Proves requirement 142.
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY_SECONDS, HOUR_SECONDS } from "#app/durations.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { allow, followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { encodeParameters } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { openForm, stateOf, tokensOf } from "./open-form.ts";

/** Default of nginx's `proxy_buffer_size`, which has to hold the status line and all headers of a response. */
const RESPONSE_HEAD_BYTES = 4096;
let anna: TestUser;
let browser: Browser;

const server = await serverOfFile();
const create = (input: object) => server.parties.create(input);
/** First party, without consent. */
const party = await create({ firstParty: true });
/** First party that registers users. */
const newcomers = await create({ firstParty: true, registrationUrl: "http://localhost:9/new" });
/** Third party, with consent. */
const stranger = await create({ scopes: ["openid", "profile"] });

beforeEach(async () => {
  anna = await server.users.create();
  browser = server.browser();
});

const typed = () => ({ username: anna.username, password: anna.password });

/** Returns the stored authorization requests. */
async function interactions() {
  const { q, t } = server.context.store;
  return q.select().from(t.oidcRecords).where(eq(t.oidcRecords.model, "Interaction"));
}

async function countRecords() {
  const { q, t } = server.context.store;
  return q.$count(t.oidcRecords);
}

/** More bytes on https: prefix and `Secure` of each cookie, and Strict-Transport-Security. */
const [COOKIE_ON_HTTPS, HSTS] = ["__Secure-; Secure", "strict-transport-security: max-age=31536000\r\n"];

/** Returns the bytes of a response's status line and headers, as they would be on https. */
function headBytes({ headers, setCookies }: HttpResponse): number {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  return Buffer.byteLength(
    ["HTTP/1.1 303 See Other", ...lines, "", ""].join("\r\n") + HSTS + COOKIE_ON_HTTPS.repeat(setCookies.length),
  );
}

describe("an authorization request of which the user has completed no step", () => {
  test.each([
    ["a sign-in", () => server.browser(), () => party.request()],
    ["a new sign-in", () => browser, () => party.request({ prompt: "login" })],
    ["a choice of the account", () => browser, () => party.request({ prompt: "select_account" })],
    ["a consent", () => browser, () => stranger.request()],
  ])("writes nothing: %s", async (_what, browserOf, request) => {
    await signIn(browser, party.request(), anna);
    const before = await countRecords();
    expect((await open(browserOf(), request().url)).status).toBe(200);
    expect(await countRecords()).toBe(before);
  });

  test("writes nothing after a wrong password either, and one row with the right one", async () => {
    const before = (await interactions()).length;
    const form = await openForm(browser, party.request().url);
    expect((await form.post({ ...typed(), password: "Wrong-Window-27-Oak" })).status).toBe(401);
    expect(await interactions()).toHaveLength(before);
    expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
    expect(await interactions()).toHaveLength(before + 1);
  });

  test("shows nothing of its parameters in the challenge", async () => {
    const request = party.request({ login_hint: "somebody" });
    const { challenge } = await openForm(browser, request.url);
    const parts = challenge.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
    for (const text of [challenge, ...parts]) {
      for (const value of [request.state, request.nonce, "somebody"]) expect(text).not.toContain(value);
    }
  });
});

describe("a challenge", () => {
  test("that was altered at any place opens nothing and signs nobody in", async () => {
    const form = await openForm(browser, party.request().url);
    const before = await countRecords();
    const places = Array.from({ length: 24 }, (_, at) => Math.floor((at * (form.challenge.length - 1)) / 23));
    for (const place of places) {
      const other = form.challenge[place] === "A" ? "B" : "A";
      const login_challenge = form.challenge.slice(0, place) + other + form.challenge.slice(place + 1);
      const posted = await form.post({ ...typed(), login_challenge });
      expect([place, posted.status, posted.location, stateOf(posted).error]).toEqual([place, 400, null, "challenge"]);
    }
    expect(await countRecords()).toBe(before);
  });

  test("with the parameters of another request of the same browser opens neither", async () => {
    const one = await openForm(browser, party.request().url);
    const other = await openForm(browser, party.request().url);
    const [uid, mac, ...sealed] = one.challenge.split(".");
    const [otherUid, otherMac, ...otherSealed] = other.challenge.split(".");
    for (const parts of [
      [uid, mac, ...otherSealed],
      [uid, otherMac, ...sealed],
      [otherUid, mac, ...sealed],
      [uid, otherMac, ...otherSealed],
      [uid, mac],
    ]) {
      const posted = await one.post({ ...typed(), login_challenge: parts.join(".") });
      expect([posted.status, posted.location, stateOf(posted).error]).toEqual([400, null, "challenge"]);
    }
  });

  test("is used once: neither the form nor its page starts anything until it is a day too old, also after clean-ups", async () => {
    const form = await openForm(browser, party.request().url);
    expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
    /** Third party, with consent. */
    const stranger = server.browser();
    const { xsrf_token: _xsrf } = tokensOf(await stranger.get(form.page.url));
    for (const seconds of [0, HOUR_SECONDS + 1, DAY_SECONDS - 2 * HOUR_SECONDS, HOUR_SECONDS - 2, 1, HOUR_SECONDS]) {
      server.clock.advance(seconds);
      await createCleanUp(server.context).run();
      const page = await browser.get(form.page.url);
      const fresh = { _xsrf: tokensOf(page).xsrf_token, login_challenge: form.challenge };
      for (const answer of [
        await browser.post("/login/native", { ...fresh, ...typed() }),
        await browser.post("/login", fresh),
        await stranger.post("/login", { _xsrf, login_challenge: form.challenge }),
      ]) {
        expect([answer.status >= 200, answer.location]).toEqual([true, null]);
      }
    }
  });

  test("is answered once when a page stores its request at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      browser = server.browser();
      const form = await openForm(browser, newcomers.request().url);
      const fields = { _xsrf: form.xsrf, login_challenge: form.challenge };
      const [signedIn, registering] = await Promise.all([form.post(typed()), browser.post("/register", fields)]);
      expect(registering.location).toContain("registration_token=");
      expect(redirectParameters(await followRedirects(browser, signedIn))).toHaveProperty("code");
    }
  });

  test("that was cancelled is used as well", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const rejected = await followRedirects(browser, await browser.submit(page, page.page().form("/consent/reject")));
    expect(redirectParameters(rejected)).toMatchObject({ error: "access_denied" });
    const posted = await browser.submit(page, page.page().form("/consent/accept"));
    expect(posted.location).toBeNull();
    expect(hasForm(posted, "/consent/accept")).toBe(false);
  });

  test("is too old after an hour, in which nothing was stored, and starts its request again", async () => {
    const request = party.request();
    const form = await openForm(browser, request.url);
    const before = await countRecords();
    server.clock.advance(HOUR_SECONDS);
    const page = await form.post(typed());
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expect(await countRecords()).toBe(before);
    const again = await followRedirects(browser, await browser.submit(page, page.page().form("/login")));
    const end = await typePassword(browser, again, anna);
    expect(redirectParameters(end)).toMatchObject({ state: request.state, code: expect.any(String) });
  });
});

describe("the redirect to the page", () => {
  test("is short for a usual request", async () => {
    const { location } = await browser.get(party.request({ scope: "openid profile email", ui_locales: "de" }).url);
    expect(location?.length).toBeLessThan(1200);
  });

  test("fits into a proxy's buffer of 4 KB with all headers and cookies, whatever the request's length", async () => {
    let [sealed, stored] = [0, 0];
    for (let length = 50; length <= 4000; length += 250) {
      const before = (await interactions()).length;
      const state = randomText(length);
      const request = party.request({ state, ui_locales: "de" });
      const response = await browser.get(request.url);
      expect([length, headBytes(response) <= RESPONSE_HEAD_BYTES]).toEqual([length, true]);
      const isStored = (await interactions()).length > before;
      if (isStored) stored += 1;
      else sealed += 1;
      const end = await typePassword(browser, await open(browser, response.location ?? ""), anna);
      expect(redirectParameters(end)).toMatchObject({ state, code: expect.any(String) });
      browser = server.browser();
    }
    expect(sealed).toBeGreaterThan(4);
    expect(stored).toBeGreaterThan(4);
  }, 60_000);

  test("fits beside a live session too", async () => {
    await signIn(browser, party.request(), anna);
    for (let length = 50; length <= 4000; length += 500) {
      const response = await browser.get(party.request({ state: randomText(length), prompt: "login" }).url);
      expect(response.location).toContain("/login?");
      expect([length, headBytes(response) <= RESPONSE_HEAD_BYTES]).toEqual([length, true]);
    }
  });

  test("fits after a sign-in too, in front of the consent", async () => {
    for (const length of [50, 600, 1200, 1800, 4000]) {
      browser = server.browser();
      const form = await openForm(browser, stranger.request({ state: randomText(length), prompt: "consent" }).url);
      const posted = await form.post(typed());
      const resumed = await browser.get(posted.location ?? "");
      expect(resumed.location).toContain("/consent?");
      expect([length, headBytes(resumed) <= RESPONSE_HEAD_BYTES]).toEqual([length, true]);
      const end = await allow(browser, await open(browser, resumed.location ?? ""));
      expect(redirectParameters(end)).toHaveProperty("code");
    }
  });
});

/** Returns a text that no compression shortens much. */
function randomText(length: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(length * 0.75))))
    .toString("base64url")
    .slice(0, length);
}

test("a challenge as a parameter is not taken for another page's", async () => {
  const { challenge } = await openForm(browser, party.request().url);
  const page = await browser.get(`/consent?${encodeParameters({ consent_challenge: challenge })}`);
  expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
});
