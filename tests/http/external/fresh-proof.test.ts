import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { changeLanguage } from "#tests/http/login/change-language.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf, tokensOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import { readStep } from "#tests/http/second-factor/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp, testApp } from "#tests/support/factors.ts";
import { createRelyingParty, type Parameters, readTokens } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { chooseUser, goToProvider, linkTo, returnFromProvider, signInAt } from "./steps.ts";

const TWO_DAYS = 2 * 24 * 60 * 60;
const MFA = "urn:gatehouse:acr:mfa";
let browser: Browser;
let anna: TestUser;
let sub: string;

const setup = await providersOfFile();
const party = await setup.server.parties.create({ firstParty: true });

beforeEach(async () => {
  const { server, upstream } = setup;
  browser = server.browser();
  anna = await server.users.create();
  const providerUser = addProviderUser(upstream.google);
  await connect(server, upstream.google, providerUser, anna.id);
  sub = providerUser.sub;
});
afterEach(() => setup.upstream.google.clearFaults());

const nowSeconds = () => Math.floor(setup.server.clock.now().getTime() / 1000);

/** Sets auth_time of the provider's next ID tokens to `secondsAgo`; null omits it. */
function signedInThere(secondsAgo: number | null): void {
  setup.upstream.google.setFaults({
    claims: ({ auth_time: _auth_time, ...claims }) =>
      secondsAgo === null ? claims : { ...claims, auth_time: nowSeconds() - secondsAgo },
  });
}

async function arrive(parameters: Parameters = {}, on = browser) {
  const request = party.request(parameters);
  return { request, end: await signInAt(on, request.url, setup.upstream.google, sub) };
}

async function authTimeOf({ request, end }: Awaited<ReturnType<typeof arrive>>): Promise<unknown> {
  const { idToken } = readTokens(await party.exchange(codeOf(end), request));
  return (await party.verifyIdToken(idToken)).payload["auth_time"];
}

/** Removes the password, as for a user who registered with a provider. */
async function removePassword(): Promise<void> {
  const { t, q } = setup.server.context.store;
  await q.update(t.users).set({ passwordHash: null, passwordSetAt: null }).where(eq(t.users.id, anna.id)).returning();
}

describe("the authorization request to the provider", () => {
  test.each([
    ["prompt=login", { prompt: "login" }, "0"],
    ["max_age", { max_age: "300" }, "300"],
  ])("for %s: max_age, and auth_time as an essential claim", async (_what, parameters, maxAge) => {
    const page = await open(browser, party.request(parameters).url);
    const left = await browser.get(linkTo(page, "google"));
    const query = new URL(left.location ?? "").searchParams;
    expect(query.get("max_age")).toBe(maxAge);
    expect(JSON.parse(query.get("claims") ?? "")).toEqual({ id_token: { auth_time: { essential: true } } });
  });

  test("for the settings: a sign-in of now", async () => {
    const page = await open(browser, "/manage/open?to=/manage");
    const left = await browser.get(linkTo(page, "google"));
    expect(new URL(left.location ?? "").searchParams.get("max_age")).toBe("0");
  });

  test("for a sign-in that need not be recent: no max_age", async () => {
    const page = await open(browser, party.request().url);
    const left = await browser.get(linkTo(page, "google"));
    expect(new URL(left.location ?? "").searchParams.has("max_age")).toBe(false);
  });
});

describe.each([
  ["prompt=login", { prompt: "login" }],
  ["max_age", { max_age: "300" }],
])("%s, at a provider", (_what, parameters) => {
  test("with a sign-in of now is met, and auth_time is the provider's", async () => {
    signedInThere(5);
    expect(await authTimeOf(await arrive(parameters))).toBe(nowSeconds() - 5);
  });

  test("whose clock runs ahead yields no auth_time in the future", async () => {
    signedInThere(-30);
    expect(await authTimeOf(await arrive(parameters))).toBe(nowSeconds());
  });

  // Proves requirement 133.
  test.each([
    ["an old auth_time", TWO_DAYS],
    ["no auth_time", null],
  ])("with %s is not satisfied by the provider, but by the password", async (_how, secondsAgo) => {
    signedInThere(secondsAgo);
    const { request, end: page } = await arrive(parameters);
    expect(hasForm(page, "/login/native")).toBe(true);
    expect(page.page().text).toContain("Google");
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    const german = await changeLanguage(browser, page, {
      to: "de",
      username: "typed",
      password: "Typed-Window-27-Oak",
    });
    expect(german.page().one("input", { name: "username" }).attributes.value).toBe("typed");
    expect(german.page().one("div", { "data-code": "proof-not-recent" }).text).toContain("Google");
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    const { username, password } = anna;
    const end = await followRedirects(
      browser,
      await browser.submit(page, page.page().form("/login/native"), { username, password }),
    );
    expect(await authTimeOf({ request, end })).toBe(nowSeconds());
  });

  test("with an old auth_time is met by our own second factor", async () => {
    const app = await giveTotp(setup.server, anna);
    signedInThere(TWO_DAYS);
    const { request, end: page } = await arrive(parameters);
    expect(new URL(page.url).pathname).toBe("/mfa/verify");
    const values = { code: await app.code() };
    const end = await followRedirects(browser, await browser.submit(page, page.page().form("/mfa/verify"), values));
    expect(await authTimeOf({ request, end })).toBe(nowSeconds());
  });

  test("without auth_time is refused for a user without password and factor, with the reason", async () => {
    await removePassword();
    signedInThere(null);
    const { end: page } = await arrive(parameters);
    expect(page.location).toBeNull();
    expect(page.page().text).toContain("Google did not confirm");
    const [form] = page
      .page()
      .forms()
      .filter(({ buttons }) => buttons[0]?.label === "Choose a password");
    expect(form?.action).toMatch(/^\/password-reset\/request-form\?login_challenge=[^&]+$/);
    expect(form?.fields).toContainEqual(["username", anna.username]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });
});

describe("a sign-in at a provider that need not be recent", () => {
  const essential = { claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) };

  test("lasts, and auth_time is the provider's, however long ago", async () => {
    signedInThere(TWO_DAYS);
    expect(await authTimeOf(await arrive(essential))).toBe(nowSeconds() - TWO_DAYS);
    setup.server.clock.advance(60 * 60);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    setup.server.clock.advance(12 * 60 * 60);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  // Proves requirement 133.
  test("has no auth_time where the provider gave none, and meets no max_age", async () => {
    signedInThere(null);
    expect(await authTimeOf(await arrive(essential))).toBeUndefined();
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    expect(
      redirectParameters(await browser.get(party.request({ prompt: "none", max_age: "36000" }).url)),
    ).toMatchObject({
      error: "login_required",
    });
  });

  // Proves requirement 148.
  test("without auth_time does not match an ID token of another such sign-in: the sign-out asks for confirmation", async () => {
    signedInThere(null);
    const { request, end } = await arrive({}, setup.server.browser());
    const { idToken } = readTokens(await party.exchange(codeOf(end), request));
    codeOf((await arrive()).end);
    const page = await open(browser, party.logoutUrl({ id_token_hint: idToken }));
    expect(hasForm(page, "/logout/accept")).toBe(true);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  // Proves requirement 133.
  test("without auth_time is not a fresh sign-in either when the request ends before the sign-in policy", async () => {
    signedInThere(null);
    codeOf((await arrive()).end);
    const client = await setup.server.clients.create({ firstParty: true });
    const removed = createRelyingParty({ issuer: setup.server.url, client });
    const { login_challenge } = tokensOf(await open(browser, removed.request({ prompt: "select_account" }).url));
    const form = await open(browser, `/login/native?${new URLSearchParams({ login_challenge, proceed: "0" })}`);
    const there = await walkTo(await browser.get(linkTo(form, "google")));
    const back = there.location === null ? await chooseUser(browser, there, sub) : there;
    const returned = await browser.get(back.location ?? "");
    expect(returned.location).toMatch(/\/oauth2\/auth\//);
    await removeClient(setup.server.context, client.clientId);
    expect((await open(browser, returned.location ?? "")).status).toBe(400);
    const page = await open(browser, "/manage/open?to=/manage/credentials/username");
    expect(hasForm(page, "/login/native")).toBe(true);
  });

  test.each([
    ["an old auth_time", TWO_DAYS],
    ["no auth_time", null],
  ])("with %s alone does not open the settings", async (_how, secondsAgo) => {
    signedInThere(secondsAgo);
    codeOf((await arrive()).end);
    const page = await open(browser, "/manage/open?to=/manage/credentials/username");
    expect(hasForm(page, "/login/native")).toBe(true);
    const back = await signInAgainAt(page);
    expect([hasForm(back, "/login/native"), new URL(back.url).pathname]).toEqual([true, "/login/google/account"]);
    const { username, password } = anna;
    const values = { username, password };
    const open2 = await followRedirects(browser, await browser.submit(back, back.page().form("/login/native"), values));
    expect([open2.status, new URL(open2.url).pathname]).toEqual([200, "/manage/credentials/username"]);
  });
});

/** Presses the provider's button on this page and returns to us, through the provider's page if it shows one. */
async function signInAgainAt(page: HttpResponse): Promise<HttpResponse> {
  const there = await walkTo(await browser.get(linkTo(page, "google")));
  return there.location === null
    ? returnFromProvider(browser, await chooseUser(browser, there, sub))
    : returnFromProvider(browser, there);
}

/** Follows redirects at the provider, up to its page or the redirect back to us. */
async function walkTo(from: HttpResponse): Promise<HttpResponse> {
  let response = from;
  for (
    let steps = 0;
    steps < 5 && response.location !== null && !response.location.includes("/callback?");
    steps += 1
  ) {
    response = await browser.get(response.location);
  }
  return response;
}

describe("the first factor, set up after a sign-in at a provider", () => {
  const wantsMfa = { acr_values: MFA };

  test.each([
    ["an old auth_time", TWO_DAYS],
    ["no auth_time", null],
  ])("with %s asks for the password first", async (_how, secondsAgo) => {
    signedInThere(secondsAgo);
    const { end: page } = await arrive(wantsMfa);
    expect(hasForm(page, "/login/native")).toBe(true);
    const { username, password } = anna;
    const secondStep = await followRedirects(
      browser,
      await browser.submit(page, page.page().form("/login/native"), { username, password }),
    );
    expect(hasForm(secondStep, "/mfa/setup")).toBe(true);
  });

  test("requests a fresh sign-in from the provider as well, which leads to the set-up", async () => {
    signedInThere(TWO_DAYS);
    const { end: page } = await arrive(wantsMfa);
    const left = await browser.get(linkTo(page, "google"));
    expect(new URL(left.location ?? "").searchParams.get("max_age")).toBe("0");
    signedInThere(5);
    const secondStep = await signInAgainAt(page);
    const step = readStep(browser, secondStep);
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(setup.server.clock, String(secret)).code();
    expect((await step.call("/mfa/setup-totp", { code })).status).toBe(200);
  });

  test("in an old session requests a fresh sign-in from the provider with the first click", async () => {
    signedInThere(5);
    codeOf((await arrive()).end);
    setup.server.clock.advance(60 * 60);
    const page = await open(browser, party.request(wantsMfa).url);
    expect(hasForm(page, "/login/native")).toBe(true);
    const left = await browser.get(linkTo(page, "google"));
    expect(new URL(left.location ?? "").searchParams.get("max_age")).toBe("0");
    const step = readStep(browser, await signInAgainAt(page));
    expect((await step.call("/mfa/init-totp")).status).toBe(200);
  });

  test("after a fresh sign-in at the provider starts at once", async () => {
    signedInThere(5);
    const { end: page } = await arrive(wantsMfa);
    expect(hasForm(page, "/mfa/setup")).toBe(true);
  });
});

test("several accounts: the same applies to the chosen one", async () => {
  const { server, upstream } = setup;
  const { name: groupName } = await server.groups.create();
  const other = await server.users.create({ groupName });
  await connect(server, upstream.google, { sub }, other.id);
  signedInThere(TWO_DAYS);
  const { end: page } = await arrive({ prompt: "login" });
  const { action, fields } = page.page().form("/login/google/account");
  const secondStep = await followRedirects(
    browser,
    await browser.post(action, { ...Object.fromEntries(fields), username: other.id }),
  );
  expect(hasForm(secondStep, "/login/native")).toBe(true);
  expect(stateOf(secondStep).error).toBeUndefined();
  expect(await findSignedInUser(party, browser)).toBe("login_required");
});

test("an identity without an account is reported, regardless of auth_time", async () => {
  const stranger = addProviderUser(setup.upstream.google);
  signedInThere(TWO_DAYS);
  const page = await goToProvider(browser, party.request({ prompt: "login" }).url, "google");
  const end = await returnFromProvider(browser, await chooseUser(browser, page, stranger.sub));
  expect(stateOf(end).error).toBe("credentials");
});
