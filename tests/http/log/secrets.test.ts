import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokensOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";

const WRONG = "Wrong-Window-27-Oak";

let server: TestServer;
let anna: TestUser;
let party: RelyingParty;
/** Secrets that must not occur in the log, by description. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  server = await startServer();
  anna = await server.users.create();
  const client = await server.clients.create({ scopes: ["openid", "profile", "offline"] });
  party = createRelyingParty({ issuer: server.url, client });
  keep("the application's secret", client.clientSecret);
  keep("the password", anna.password);
  keep("a wrong password", WRONG);
  await everythingThatHappens(server.browser());
  await everythingThatFails(server.browser());
}, 60_000);

afterAll(() => server?.close());

/** Records a secret; short ones are skipped because they could occur by chance. */
function keep(what: string, value: string | null | undefined) {
  if (value && value.length >= 16) secrets.set(`${what} (${secrets.size})`, value);
}

function keepOf(response: HttpResponse, browser: Browser): HttpResponse {
  if (response.location === null && response.headers["content-type"]?.startsWith("text/html")) {
    for (const [name, value] of Object.entries(tokensOf(response))) {
      keep(name, value);
      for (const part of value.split(".")) keep(`a part of ${name}`, part);
    }
  }
  for (const { name, value } of browser.jar.all()) keep(`the cookie ${name}`, value);
  if (response.location !== null) {
    const { searchParams } = new URL(response.location);
    for (const [name, value] of searchParams)
      if (!/^(iss|error.*|client_id|redirect_uri|scope)$/.test(name)) keep(name, value);
  }
  return response;
}

async function everythingThatHappens(browser: Browser) {
  const request = party.request({ scope: "openid profile offline" });
  keep("the verifier", request.verifier);
  keep("the nonce", request.nonce);
  const form = keepOf(await open(browser, request.url), browser);
  const question = keepOf(await typePassword(browser, form, anna), browser);
  const accepted = keepOf(await browser.submit(question, question.page().form("/consent/accept")), browser);
  const end = keepOf(await followRedirects(browser, accepted), browser);
  const code = codeOf(end);
  keep("the code", code);
  const tokens = readTokens(await party.exchange(code, request));
  for (const [what, token] of Object.entries(tokens)) keep(what, String(token));
  keep("a part of the ID token", tokens.idToken.split(".")[2]);

  await party.userinfo(tokens.accessToken);
  await party.introspect(tokens.accessToken);
  const renewed = readTokens(await party.refresh(tokens.refreshToken));
  for (const [what, token] of Object.entries(renewed)) keep(`renewed ${what}`, String(token));
  const pushed = (await party.push(party.request())).json();
  keep("a pushed request", String(pushed.request_uri).split(":").at(-1));
  await party.revoke(renewed.refreshToken);

  const again = keepOf(await open(browser, party.request({ prompt: "select_account" }).url), browser);
  keepOf(await browser.submit(again, again.page().form("/login/proceed"), {}, "Proceed"), browser);
  const logout = keepOf(await open(browser, `/oauth2/sessions/logout?id_token_hint=${tokens.idToken}`), browser);
  keepOf(logout, browser);
}

async function everythingThatFails(browser: Browser) {
  const form = keepOf(await open(browser, party.request().url), browser);
  const { login_challenge, xsrf_token: _xsrf } = tokensOf(form);
  const typed = { _xsrf, login_challenge, username: anna.username, password: WRONG };
  keepOf(await browser.post("/login/native", typed), browser);
  await browser.post("/login/native", { ...typed, _xsrf: "x" });
  await browser.post("/login/native", { ...typed, login_challenge: `${login_challenge}x` });
  await browser.post("/login/native", typed, { headers: { origin: "https://evil.example" } });
  await browser.post("/login/native", { ...typed, unknown: WRONG });
  await browser.get(`/login/native?${new URLSearchParams(typed)}`);
  await browser.get(`/nowhere?${new URLSearchParams(typed)}`);
  await browser.get(`/oauth2/auth?${new URLSearchParams({ ...typed, client_id: "nobody" })}`);

  const forged = "forged-code-0123456789-forged";
  keep("a forged code", forged);
  await party.exchange(forged, party.request());
  await party.refresh("forged-refresh-token-0123456789");
  keep("a forged token", "forged-refresh-token-0123456789");
  await party.userinfo("forged-access-token-0123456789");
  keep("a forged access token", "forged-access-token-0123456789");
  const wrongSecret = {
    clientId: party.clientId,
    clientSecret: "wrong-secret-0123456789",
    redirectUri: party.redirectUri,
  };
  keep("a wrong client secret", wrongSecret.clientSecret);
  for (const authMethod of ["basic", "post", "jwt"] as const) {
    await createRelyingParty({ issuer: server.url, client: wrongSecret, authMethod }).exchange(forged, party.request());
  }
  await browser.get(`/oauth2/sessions/logout?id_token_hint=${forged}`);
  await failInside(browser, typed);
}

/** Provokes internal errors, which are logged with many details. */
async function failInside(browser: Browser, typed: Record<string, string>) {
  for (const table of ["users", "oidc_records", "known_browsers", "rate_limits", "audit_events"]) {
    await server.context.store.execute(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    try {
      await browser.post("/login/native", { ...typed, password: anna.password });
      await browser.get(party.request().url);
      await party.exchange("forged-code-0123456789-forged", party.request());
    } finally {
      await server.context.store.execute(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    }
  }
}

describe("the log of all that happens and fails", () => {
  const written = () => server.lines().map((line) => JSON.stringify(line));

  test("has been written, also about defects", () => {
    expect(secrets.size).toBeGreaterThan(40);
    expect(written().length).toBeGreaterThan(60);
    expect(written().filter((line) => line.includes('"level":50')).length).toBeGreaterThan(5);
  });

  // Proves requirement 122.
  test("contains no password, code, token, secret, cookie, anti-forgery token or challenge", () => {
    const found = [...secrets].flatMap(([what, secret]) =>
      written()
        .filter((line) => line.includes(secret) || line.includes(encodeURIComponent(secret)))
        .map((line) => `${what}: ${line.replaceAll(secret, "SECRET").slice(0, 300)}`),
    );
    expect(found).toEqual([]);
  });

  test("contains no password hash and no key", () => {
    const found = written().filter((line) =>
      /\$argon2|BEGIN [A-Z ]*PRIVATE|"d":"|SECRET_KEYS|only the tests know/.test(line),
    );
    expect(found).toEqual([]);
  });

  test("contains no query string", () => {
    expect(server.lines().filter(({ path }) => String(path ?? "").includes("?"))).toEqual([]);
  });
});

describe("the database", () => {
  test("contains no password and no unescaped User-Agent", async () => {
    const { t, q } = server.context.store;
    const rows = [
      await q.select().from(t.users),
      await q.select().from(t.knownBrowsers),
      await q.select().from(t.auditEvents),
      await q.select().from(t.rateLimits),
      await q.select().from(t.clients),
    ];
    const kept = JSON.stringify(rows);
    const plain = [...secrets].filter(([what]) => /password|gatehouse_browser|application's secret|token/.test(what));
    expect(plain.length).toBeGreaterThan(10);
    for (const [what, secret] of plain) expect([what, kept.includes(secret)]).toEqual([what, false]);
  });
});
