import { expect, test } from "vitest";
import { createRelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, signIn } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const client = await server.clients.create({ scopes: ["openid", "offline"] });
const clientSecret = client.clientSecret ?? "";
const party = createRelyingParty({ issuer: server.url, client });
const browser = server.browser();
const request = party.request({ scope: "openid offline" });
const code = codeOf(await signIn(browser, request, anna));
const tokens = readTokens(await party.exchange(code, request));
await party.userinfo(tokens.accessToken);
await party.refresh(tokens.refreshToken);
await party.refresh(tokens.refreshToken);
await party.exchange(code, request);
await party.introspect(tokens.accessToken);
await party.revoke(tokens.accessToken);
await party.post("/oauth2/token", { grant_type: "refresh_token", refresh_token: "a-token-that-never-was" });
await open(browser, party.request({ prompt: "none", id_token_hint: tokens.idToken, scope: "openid nonsense" }).url);
await open(browser, party.request({ redirect_uri: "https://evil.example/?secret=in-the-address" }).url);
await open(browser, party.logoutUrl({ id_token_hint: tokens.idToken }));

test("no log line contains a password, a code, a token, a secret, a verifier or a cookie value", () => {
  const text = JSON.stringify(server.lines());
  const secrets = {
    password: anna.password,
    code,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    idToken: tokens.idToken.split(".")[2] ?? "",
    unknownToken: "a-token-that-never-was",
    verifier: request.verifier,
    nonce: request.nonce,
    clientSecret,
    inTheAddress: "in-the-address",
    ...Object.fromEntries(browser.jar.all().map(({ name, value }) => [`cookie ${name}`, value])),
  };
  const found = Object.entries(secrets).filter(([, secret]) => text.includes(secret));
  expect(found.map(([name]) => name)).toEqual([]);
});

test("no log line contains the browser cookie under any name", () => {
  expect(server.lines().filter((line) => "browser" in line)).toEqual([]);
});

test.each([
  ["authorization.succeeded", "ok"],
  ["token.issued", "ok"],
  ["authorization.refused", "refused"],
  ["token.refused", "refused"],
])("%s is one line with user, application, address and outcome", (event, outcome) => {
  const line = server.lines().find((one) => one.event === event && one.clientId === party.clientId);
  expect(line).toMatchObject({ outcome, address: "127.0.0.1", requestId: expect.any(String), time: expect.anything() });
});

test("a sign-out is a line with user and address", () => {
  const line = server.lines().find(({ event }) => event === "sign-out");
  expect(line).toMatchObject({ outcome: "ok", userId: anna.id, address: "127.0.0.1", requestId: expect.any(String) });
});

test("the reason of a refused token request is in the log, though the response contains little", () => {
  const lines = server.lines().filter(({ event }) => event === "token.refused");
  expect(lines).toEqual(
    expect.arrayContaining([expect.objectContaining({ error: "invalid_grant", detail: expect.any(String) })]),
  );
});
