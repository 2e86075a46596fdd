import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lastAuditEvents } from "#app/domain/audit-trail/read.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import {
  createRelyingParty,
  encodeParameters,
  type Parameters,
  type RelyingParty,
  sendApiRequest,
} from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";
import { open, seedSignIn, seedTokens } from "./browser-steps.ts";
import { codeOf, redirectParameters } from "./responses.ts";

const REDIRECT_URI = "http://localhost:8080/login/oauth2/code/gatehouse";

let server: TestServer;
let anna: TestUser;
let party: RelyingParty;
let line: number;

beforeAll(async () => {
  server = await startServer();
  anna = await server.users.create();
});

afterAll(() => server?.close());

beforeEach(async () => {
  party = await createParty({ redirectUris: [REDIRECT_URI], scopes: ["openid", "offline", "offline_access"] });
  line = server.lines().length;
});

async function createParty(input: object): Promise<RelyingParty> {
  const client = await server.clients.create({ firstParty: true, ...input });
  return createRelyingParty({ issuer: server.url, client });
}

/** Returns the only line of this event since the start of the test. */
function lineOf(event: string) {
  const [found, ...others] = server
    .lines()
    .slice(line)
    .filter((one) => one.event === event);
  expect([event, others]).toEqual([event, []]);
  expect(found).toMatchObject({ requestId: expect.stringMatching(/^[0-9a-z]{4}-[0-9a-z]{4}$/), address: "127.0.0.1" });
  return found;
}

/** Returns the recorded refusals of a client, oldest first. */
async function recordedOf(clientId: string) {
  const events = await lastAuditEvents(server.context, { types: ["client.refused"] }, 1000);
  return events.filter((event) => event.clientId === clientId);
}

const openPage = (by: RelyingParty, changes: Parameters) => open(server.browser(), by.request(changes).url);

describe("a redirect URI that is not registered", () => {
  const sent = "http://user:hush-1@127.0.0.1:8080/login/oauth2/code/gatehouse?state=hush-2#hush-3";

  test("is found in the log by the reference on the page, with what was sent and what is registered", async () => {
    const page = await openPage(party, { redirect_uri: sent });
    expect(new URL(page.url).pathname).toBe("/error");
    const [reference] = /\b[0-9a-z]{4}-[0-9a-z]{4}\b/.exec(page.page().one("p", { id: "reference" }).text) ?? [];
    const found = lineOf("authorization.refused");
    expect(found).toMatchObject({
      requestId: reference,
      clientId: party.clientId,
      error: "invalid_redirect_uri",
      cause: "redirect uri",
      redirectUri: "http://127.0.0.1:8080/login/oauth2/code/gatehouse",
    });
    expect(found?.fix).toContain("The sent URI differs in: host.");
    expect(found?.fix).toContain(`Registered: ${REDIRECT_URI}.`);
    expect(found?.fix).toContain(`gatehouse client set ${party.clientId} --redirect-uri URI`);
    expect(JSON.stringify(server.lines().slice(line))).not.toContain("hush");
  });

  test("is an audit event with client, redirect URI and reference", async () => {
    await openPage(party, { redirect_uri: sent });
    expect(await recordedOf(party.clientId)).toEqual([
      expect.objectContaining({
        outcome: "refused",
        address: "127.0.0.1",
        requestId: lineOf("authorization.refused")?.requestId,
        detail: { reason: "redirect uri", redirectUri: "http://127.0.0.1:8080/login/oauth2/code/gatehouse" },
      }),
    ]);
  });

  test.each([
    "https:\\\\user:hush-4@evil.example/",
    "https://user:hush-5@evil.example",
    "HTTPS:user:hush-6@evil.example/x",
  ])("is logged without user info: %s", async (uri) => {
    await openPage(party, { redirect_uri: uri });
    expect(lineOf("authorization.refused")?.redirectUri).toContain("evil.example");
    expect(JSON.stringify(server.lines().slice(line))).not.toContain("hush");
  });

  test("cannot put line breaks, a command or a long text into the log", async () => {
    const hostile = `https://evil.example/\u202e$(reboot)\n{"event":"forged"}${"x".repeat(2_000)}`;
    await openPage(party, { redirect_uri: hostile });
    const found = lineOf("authorization.refused");
    expect(String(found?.redirectUri).length).toBeLessThan(250);
    expect(found?.redirectUri).toContain("\\u{202e}");
    expect(found?.redirectUri).toContain("\\u{a}");
    expect(found?.fix).not.toContain("reboot");
  });
});

test("the reference of a page is taken from the URL only if this server signed it for this browser", async () => {
  const browser = server.browser();
  const refused = await browser.get(party.request({ redirect_uri: "https://evil.example/" }).url);
  const signed = new URL(refused.location ?? "");
  const reference = signed.searchParams.get("reference") ?? "";
  const shownIn = async (url: URL, by = browser) => (await by.get(url.href)).page().one("p", { id: "reference" }).text;
  expect(await shownIn(signed)).toContain(reference);
  expect(await shownIn(signed, server.browser())).not.toContain(reference);
  signed.searchParams.set("reference", "aaaa-bbbb");
  expect(await shownIn(signed)).not.toContain("aaaa-bbbb");
});

test.each([
  ["http", REDIRECT_URI.replace("http:", "https:"), "scheme."],
  ["the port", REDIRECT_URI.replace("8080", "8081"), "port."],
  ["a slash", `${REDIRECT_URI}/`, "path."],
  ["several parts", "https://evil.example/", "scheme, host, port, path."],
  ["a query", `${REDIRECT_URI}?x=1`, "query, fragment or spelling."],
])("the log names the parts that differ: %s", async (_name, sent, parts) => {
  await openPage(party, { redirect_uri: sent });
  expect(lineOf("authorization.refused")?.fix).toContain(`The sent URI differs in: ${parts}`);
});

describe("the audit trail", () => {
  test("gets one row per client and cause in an hour, however often strangers repeat a request", async () => {
    const repeat = async () => {
      for (let count = 0; count < 5; count += 1) {
        await openPage(party, { redirect_uri: `https://evil.example/${count}` });
        await openPage(party, { code_challenge: undefined, code_challenge_method: undefined });
      }
    };
    await repeat();
    expect((await recordedOf(party.clientId)).map(({ detail }) => detail.reason)).toEqual(["redirect uri", "pkce"]);
    server.clock.advance(3601);
    await repeat();
    expect(await recordedOf(party.clientId)).toHaveLength(4);
  });

  test("gets no row for client ids that do not exist; the log has them", async () => {
    const before = (await lastAuditEvents(server.context, { types: ["client.refused"] }, 1000)).length;
    await openPage(party, { client_id: "no-such-desk" });
    expect(lineOf("authorization.refused")).toMatchObject({ cause: "unknown client", sentClientId: "no-such-desk" });
    expect(await lastAuditEvents(server.context, { types: ["client.refused"] }, 1000)).toHaveLength(before);
  });
});

test("a client id that has the form of a secret is not logged", async () => {
  const secret = "s".repeat(43);
  await openPage(party, { client_id: secret });
  const response = await sendApiRequest(server.url + ENGINE_ROUTES.token, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `Basic ${Buffer.from(`${secret}:x`).toString("base64")}`,
    },
    body: "grant_type=authorization_code&code=x",
  });
  expect(response.status).toBe(401);
  expect(JSON.stringify(server.lines().slice(line))).not.toContain(secret);
  expect(lineOf("token.refused")?.sentClientId).toBe("(has the form of a client secret)");
});

describe("a request without PKCE", () => {
  const WITHOUT = { code_challenge: undefined, code_challenge_method: undefined };

  test("gets a description that names the parameters to send", async () => {
    const parameters = redirectParameters(await openPage(party, WITHOUT));
    expect(parameters.error).toBe("invalid_request");
    expect(parameters.error_description).toContain("requires PKCE");
    expect(parameters.error_description).toContain("code_challenge_method=S256");
  });

  test.each([
    ["a confidential client may be exempted", {}, true],
    ["a public client may not", { public: true }, false],
  ])("is logged with the solution: %s", async (_name, input, isExemptible) => {
    const one = await createParty(input);
    await openPage(one, WITHOUT);
    const found = lineOf("authorization.refused");
    expect(found).toMatchObject({ cause: "pkce", clientId: one.clientId });
    expect(found?.fix).toContain("send code_challenge");
    expect(String(found?.fix).includes(`gatehouse client set ${one.clientId} --no-pkce`)).toBe(isExemptible);
  });
});

test.each([
  ["plain", { code_challenge_method: "plain" }],
  ["no method", { code_challenge_method: undefined }],
  ["no challenge", { code_challenge: undefined }],
])("wrong PKCE is logged with the solution: %s", async (_name, changes) => {
  await openPage(party, changes);
  expect(lineOf("authorization.refused")).toMatchObject({ cause: "pkce", fix: expect.stringContaining("S256") });
});

test.each([
  ["code_verifier must be provided", { code_verifier: undefined }],
  ["code_verifier does not match code_challenge", { code_verifier: "v".repeat(43) }],
])("an exchange gets the reason, and the log the solution: %s", async (reason, changes) => {
  const request = party.request();
  const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
  const response = await party.exchange(code, request, changes);
  expect([response.status, response.json()]).toEqual([
    400,
    { error: "invalid_grant", error_description: `${reason} (RFC 7636 section 4.6)` },
  ]);
  expect(lineOf("token.refused")).toMatchObject({
    cause: "pkce",
    detail: reason,
    fix: expect.stringContaining("S256"),
  });
});

test.each([
  ["client secret", "basic", "gatehouse client rotate-secret"],
  ["authentication method", "none", "registered with client_secret_basic"],
  ["authentication method", "jwt", "registered with client_secret_basic"],
] as const)("a wrong %s (%s) is logged with the solution", async (cause, authMethod, fix) => {
  const client = { clientId: party.clientId, clientSecret: "w".repeat(43), redirectUri: REDIRECT_URI };
  const wrong = createRelyingParty({ issuer: server.url, client, authMethod });
  expect((await wrong.refresh("no-token")).status).toBe(401);
  expect(lineOf("token.refused")).toMatchObject({ cause, clientId: party.clientId, fix: expect.stringContaining(fix) });
  expect(await recordedOf(party.clientId)).toHaveLength(1);
});

test("a user who may not use the client is logged as the reason, with the solution", async () => {
  const closed = await createParty({ access: "groups", groups: [(await server.groups.create()).name] });
  const browser = server.browser();
  await seedSession(server, browser, anna, { clientId: closed.clientId });
  const response = await open(browser, closed.request({ prompt: "none" }).url);
  expect(redirectParameters(response)).toMatchObject({ error: "access_denied" });
  const found = lineOf("authorization.refused");
  expect(found).toMatchObject({ cause: "access", clientId: closed.clientId, error: "access_denied" });
  expect(found?.fix).toContain(`gatehouse client set ${closed.clientId} --allow-group NAME`);
  expect(await recordedOf(closed.clientId)).toHaveLength(1);
});

describe("scopes", () => {
  test("that the client must not request are logged when the consent page shows them", async () => {
    await openPage(party, { scope: "openid orders nonsense" });
    const found = lineOf("scope.refused");
    expect(found).toMatchObject({ cause: "scope", refusedScopes: "orders nonsense", clientId: party.clientId });
    expect(found?.fix).toContain(`gatehouse client set ${party.clientId} --scope openid`);
    expect((await recordedOf(party.clientId)).map(({ detail }) => detail)).toEqual([
      { reason: "scope", refusedScopes: "orders nonsense" },
    ]);
  });

  test.each([
    ["dropped", { scope: "openid offline_access" }, 1],
    ["kept with prompt=consent", { scope: "openid offline_access", prompt: "consent" }, 0],
    ["not requested", { scope: "openid offline" }, 0],
  ])("offline_access is logged if it is dropped: %s", async (_name, changes, count) => {
    await seedSignIn(server, server.browser(), party.request(changes), anna);
    const lines = server
      .lines()
      .slice(line)
      .filter(({ event }) => event === "scope.dropped");
    expect(lines).toHaveLength(count);
    for (const one of lines) {
      expect(one).toMatchObject({ clientId: party.clientId, fix: expect.stringContaining("prompt=consent") });
    }
  });

  test("offline_access is logged once if the request was pushed", async () => {
    const request = party.request({ scope: "openid offline_access" });
    const pushed = (await party.push(request)).json();
    await open(
      server.browser(),
      `${server.url}${ENGINE_ROUTES.authorization}?${encodeParameters({
        client_id: party.clientId,
        request_uri: String(pushed.request_uri),
      })}`,
    );
    expect(lineOf("scope.dropped")).toMatchObject({ clientId: party.clientId, refusedScopes: "offline_access" });
  });
});

describe("introspection", () => {
  test("of a token of another client is logged with the setting that is missing", async () => {
    const other = await createParty({});
    const scope = "openid offline";
    const tokens = await seedTokens(server, server.browser(), party, party.request({ scope }), anna);
    expect((await other.introspect(tokens.accessToken)).json()).toEqual({ active: false });
    const found = lineOf("introspection.withheld");
    expect(found).toMatchObject({ cause: "introspection", clientId: other.clientId });
    expect(found?.fix).toContain(`gatehouse client set ${other.clientId} --may-introspect`);
    expect(await recordedOf(other.clientId)).toHaveLength(1);
    line = server.lines().length;
    expect((await other.introspect(tokens.refreshToken)).json()).toEqual({ active: false });
    expect(lineOf("introspection.withheld")?.fix).toContain("Send the access token");
  });

  test("of an unknown token is not", async () => {
    await party.introspect("no-such-token");
    expect(
      server
        .lines()
        .slice(line)
        .filter(({ event }) => event === "introspection.withheld"),
    ).toEqual([]);
  });
});

describe("a script in a browser", () => {
  const exchange = (clientId: string, origin: string) =>
    sendApiRequest(server.url + ENGINE_ROUTES.token, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin },
      body: encodeParameters({ grant_type: "authorization_code", code: "x", client_id: clientId }),
    });

  test.each([
    ["of a client with a secret", {}, "http://localhost:8080", "gatehouse client add --public"],
    ["of an origin without redirect URI", { public: true }, "http://localhost:5173", "--redirect-uri URI"],
  ])("that cannot read the response is logged with the solution: %s", async (_name, input, origin, fix) => {
    const one = await createParty({ redirectUris: [REDIRECT_URI], ...input });
    await exchange(one.clientId, `${origin}/${"x".repeat(2_000)}`);
    expect(
      JSON.stringify(
        server
          .lines()
          .slice(line)
          .map(({ detail }) => detail),
      ).length,
    ).toBeLessThan(500);
    line = server.lines().length;
    expect((await exchange(one.clientId, origin)).headers.get("access-control-allow-origin")).toBeNull();
    expect(lineOf("token.refused")).toMatchObject({
      cause: "cors",
      clientId: one.clientId,
      detail: expect.stringContaining(origin),
      fix: expect.stringContaining(fix),
    });
  });
});
