import { beforeEach, describe, expect, test } from "vitest";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { type OpenForm, openForm, stateOf } from "./open-form.ts";

let browser: Browser;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ name: "Tidewater Claims", firstParty: true });

beforeEach(() => {
  browser = server.browser();
});

const typed = () => ({ username: anna.username, password: anna.password });
const restartOf = (page: HttpResponse) => page.page().form("/login");

/** Opens a sign-in form and lets time pass. */
async function leaveOpen(seconds: number, changes: Parameters<RelyingParty["request"]>[0] = {}) {
  const request = party.request(changes);
  const form = await openForm(browser, request.url);
  server.clock.advance(seconds);
  return { request, form };
}

/** Posts the form with a fresh anti-forgery token, so that only the challenge is too old. */
async function post(form: OpenForm) {
  const { xsrf_token } = stateOf(await browser.get(form.page.url));
  return form.post({ ...typed(), _xsrf: String(xsrf_token) });
}

describe("a sign-in page that was open for more than an hour", () => {
  test("works up to then", async () => {
    const { form } = await leaveOpen(59 * MINUTE_SECONDS);
    expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
  });

  test("is switched off when it is loaded again, names the application, and offers to start again", async () => {
    const { form } = await leaveOpen(61 * MINUTE_SECONDS);
    const page = await browser.get(form.page.url);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expect(page.page().text).toContain("This page was open for too long");
    expect(
      page
        .page()
        .form("/login/native")
        .buttons.every(({ disabled }) => disabled),
    ).toBe(true);
    expect(restartOf(page).buttons.map(({ label }) => label)).toEqual(["Start again", "Deutsch"]);
  });

  test("checks no password", async () => {
    const { form } = await leaveOpen(61 * MINUTE_SECONDS);
    const line = server.lines().length;
    const page = await post(form);
    expect([page.status, page.location, stateOf(page).error]).toEqual([400, null, "challenge"]);
    expect(page.body).not.toContain(anna.password);
    const checked = server
      .lines()
      .slice(line)
      .filter(({ event }) => String(event).startsWith("sign-in"));
    expect(checked).toEqual([]);
  });

  test("starts again with one click, keeps the typed user name, and ends where the request wanted to", async () => {
    const { request, form } = await leaveOpen(61 * MINUTE_SECONDS, { scope: "openid profile", ui_locales: "en" });
    const page = await post(form);
    const again = await followRedirects(browser, await browser.submit(page, restartOf(page)));
    expect([again.status, stateOf(again).error]).toEqual([200, undefined]);
    expect(again.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);

    const end = await typePassword(browser, again, anna);
    expect(end.location).toMatch(new RegExp(`^${party.redirectUri}\\?`));
    expect(redirectParameters(end)).toMatchObject({ state: request.state, iss: server.url });
    const tokens = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(tokens.idToken);
    expect([payload.sub, payload.nonce, tokens.scope]).toEqual([anna.id, request.nonce, "openid profile"]);
  });

  test("starts again without a name that is too long to be one, and does not store it", async () => {
    const { form } = await leaveOpen(61 * MINUTE_SECONDS);
    const page = await form.post({ ...typed(), username: "x".repeat(60_000) });
    const restarted = await browser.submit(page, restartOf(page));
    const { t, q } = server.context.store;
    const pushed = (await q.select().from(t.oidcRecords)).filter(({ model }) => model === "PushedAuthorizationRequest");
    expect(pushed).not.toEqual([]);
    for (const { payload } of pushed) expect(JSON.stringify(payload).length).toBeLessThan(8_000);
    const again = await followRedirects(browser, restarted);
    expect(again.page().one("input", { name: "username" }).attributes.value ?? "").toBe("");
  });

  test("starts again by a POST of a password that was typed too late, with tokens as old as the page", async () => {
    const { form } = await leaveOpen(3 * HOUR_SECONDS);
    const page = await form.post(typed());
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    const again = await followRedirects(browser, await browser.submit(page, restartOf(page)));
    expect(again.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    expect(redirectParameters(await typePassword(browser, again, anna))).toHaveProperty("code");
  });

  test("restarts at once if the user has signed in in the meantime", async () => {
    const { request, form } = await leaveOpen(61 * MINUTE_SECONDS);
    await signIn(browser, party.request(), anna);
    const end = await followRedirects(browser, await browser.get(form.page.url));
    expect(redirectParameters(end)).toMatchObject({ state: request.state, code: expect.any(String) });
  });

  test("asks for the password again if the request requires it, also after a restart", async () => {
    const { form } = await leaveOpen(61 * MINUTE_SECONDS, { prompt: "login" });
    await signIn(browser, party.request(), anna);
    const page = await followRedirects(browser, await browser.get(form.page.url));
    expect([page.location, hasForm(page, "/login/native")]).toEqual([null, true]);
  });

  test("can be started again twice, in two tabs", async () => {
    const { request, form } = await leaveOpen(61 * MINUTE_SECONDS);
    const page = await browser.get(form.page.url);
    for (let tab = 0; tab < 2; tab += 1) {
      const again = await followRedirects(browser, await browser.submit(page, restartOf(page)));
      const end = hasForm(again, "/login/native") ? await typePassword(browser, again, anna) : again;
      expect(redirectParameters(end)).toMatchObject({ state: request.state });
    }
  });

  test("restarts with all parameters: claims, hints and response mode", async () => {
    const claims = JSON.stringify({ id_token: { email: { essential: true } } });
    const { request, form } = await leaveOpen(61 * MINUTE_SECONDS, {
      claims,
      response_mode: "fragment",
      max_age: "60",
    });
    const page = await browser.get(form.page.url);
    const again = await followRedirects(browser, await browser.submit(page, restartOf(page)));
    const end = await typePassword(browser, again, anna);
    expect(new URL(end.location ?? "").hash).toContain(`state=${request.state}`);
    const { payload } = await party.verifyIdToken(readTokens(await party.exchange(codeOf(end), request)).idToken);
    expect(payload).toMatchObject({ email: expect.stringContaining("@office.example"), auth_time: expect.any(Number) });
  });
});

describe("what is stored of a request", () => {
  test("is removed a day after its expiry: the page then only links the application", async () => {
    const { form } = await leaveOpen(HOUR_SECONDS + DAY_SECONDS - MINUTE_SECONDS);
    expect(restartOf(await browser.get(form.page.url)).method).toBe("post");
    server.clock.advance(2 * MINUTE_SECONDS);
    const page = await browser.get(form.page.url);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expect(
      page
        .page()
        .forms()
        .map(({ action }) => action),
    ).toEqual(["/login/native"]);
    expect(page.page().one("a", { class: "button" }).attributes.href).toBe(server.context.config.appUrl);
    expect(page.body).not.toContain("Tidewater Claims");
  });

  test("starts nothing when its form is sent after that", async () => {
    const { form } = await leaveOpen(HOUR_SECONDS + DAY_SECONDS + MINUTE_SECONDS);
    const { xsrf_token } = stateOf(await browser.get("/login"));
    const fields = { _xsrf: String(xsrf_token), login_challenge: form.challenge };
    const posted = await browser.post("/login", fields);
    expect([posted.status, posted.location]).toEqual([400, null]);
  });

  test("contains no user and no result", async () => {
    const { form } = await leaveOpen(0);
    await typePassword(browser, form.page, anna);
    const [uid] = form.challenge.split(".");
    const rows = await server.context.store.q.select().from(server.context.store.t.oidcRecords);
    const kept = rows.find(({ model, id }) => model === "Interaction" && id === uid);
    expect(kept?.consumedAt).not.toBeNull();
    expect(JSON.stringify(kept)).not.toContain(anna.id);
    expect(kept?.payload).not.toHaveProperty("result");
  });

  test("is removed by the clean-up once it is too old", async () => {
    const { form } = await leaveOpen(HOUR_SECONDS + DAY_SECONDS + MINUTE_SECONDS);
    const { createRecordRemoval } = await import("#app/oidc/remove-expired.server.ts");
    await createRecordRemoval()(server.context);
    const { t, q } = server.context.store;
    const rows = await q.select({ id: t.oidcRecords.id }).from(t.oidcRecords);
    expect(rows.map(({ id }) => id)).not.toContain(form.challenge.split(".")[0]);
  });
});

test("an expired page of another browser stays closed there", async () => {
  const { form } = await leaveOpen(61 * MINUTE_SECONDS);
  const page = await open(server.browser(), form.page.url);
  expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
  expect(page.body).not.toContain("Tidewater Claims");
});
