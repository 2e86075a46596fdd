import { describe, expect, test } from "vitest";
import {
  type AuthorizationRequest,
  encodeParameters,
  type Parameters,
  type RelyingParty,
  readTokens,
} from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

/** Pushes a request; returns the authorization request that refers to it. */
async function push(changes: Parameters = {}): Promise<AuthorizationRequest & { requestUri: string }> {
  const request = party.request(changes);
  const { request_uri: requestUri } = (await party.push(request)).json();
  return { ...request, requestUri: String(requestUri), url: urlFor(String(requestUri), party) };
}

function urlFor(request_uri: string, { clientId: client_id }: RelyingParty) {
  return `${server.url}/oauth2/auth?${encodeParameters({ client_id, request_uri })}`;
}

describe("a pushed request", () => {
  test("returns a reference that is valid for a minute", async () => {
    const response = await party.push(party.request());
    expect([response.status, response.json()]).toEqual([
      201,
      { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{16,}$/), expires_in: 60 },
    ]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("signs a user in with its own parameters", async () => {
    const request = await push({ scope: "openid email" });
    const end = await seedSignIn(server, server.browser(), request, anna);
    expect(redirectParameters(end)).toMatchObject({ state: request.state, iss: server.url });
    const tokens = readTokens(await party.exchange(codeOf(end), request));
    expect(tokens.scope).toBe("openid email");
    expect((await party.verifyIdToken(tokens.idToken)).payload.nonce).toBe(request.nonce);
  });

  test("ignores parameters beside the reference", async () => {
    const request = await push();
    const more = encodeParameters({ scope: "openid profile", redirect_uri: "https://evil.example/", state: "evil" });
    const end = await seedSignIn(server, server.browser(), { ...request, url: `${request.url}&${more}` }, anna);
    expect(end.location).toContain(party.redirectUri);
    expect(redirectParameters(end)).toMatchObject({ state: request.state });
  });

  test("is single-use", async () => {
    const request = await push();
    const browser = server.browser();
    await seedSignIn(server, browser, request, anna);
    const again = await open(browser, request.url);
    expect(again.location === null || !again.location.includes("code=")).toBe(true);
  });

  test("is bound to one browser", async () => {
    const request = await push();
    const first = server.browser();
    const form = await open(first, request.url);
    expect(hasForm(form, "/login/native")).toBe(true);
    await typePassword(first, form, anna);
    expect(hasForm(await open(server.browser(), request.url), "/login/native")).toBe(false);
  });

  test("expires after a minute", async () => {
    const request = await push();
    server.clock.advance(80);
    const page = await open(server.browser(), request.url);
    expect([page.status, new URL(page.url).pathname]).toEqual([400, "/error"]);
  });

  test("is not valid for another application", async () => {
    const request = await push();
    const other = await server.parties.create({ firstParty: true });
    const response = await open(server.browser(), urlFor(request.requestUri, other));
    expect(response.location).toBeNull();
    expect([response.status, new URL(response.url).pathname]).toEqual([400, "/error"]);
  });

  test("with a forged reference is refused", async () => {
    const response = await open(server.browser(), urlFor("urn:ietf:params:oauth:request_uri:invented", party));
    expect([response.status, new URL(response.url).pathname]).toEqual([400, "/error"]);
  });
});

describe("a pushed request is refused", () => {
  test.each<[string, Parameters, string]>([
    ["with a foreign redirect URI", { redirect_uri: "https://evil.example/" }, "invalid_request"],
    ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["with another response type", { response_type: "token" }, "unsupported_response_type"],
    [
      "with a reference to another",
      { request_uri: "urn:ietf:params:oauth:request_uri:x" },
      "request_uri_not_supported",
    ],
    ["with a request object", { request: "e30.e30.e30" }, "request_not_supported"],
    ["with a parameter twice", { nonce: ["one", "two"] }, "invalid_request"],
  ])("%s", async (_name, changes, error) => {
    const response = await party.push(party.request(changes));
    expect([response.status, response.error()]).toEqual([400, error]);
  });

  test("in the name of another application", async () => {
    const client = await server.clients.create();
    const response = await party.push(party.request(), { client_id: client.clientId });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body).not.toContain("request_uri:");
  });
});

test("an unknown scope of a pushed request is shown to the user like one in the URL", async () => {
  const request = await push({ scope: "openid nonsense" });
  const browser = server.browser();
  const page = await typePassword(browser, await open(browser, request.url), anna);
  expect(page.page().state()).toMatchObject({ error: "invalid-scope-requested", scopes: [] });
});
