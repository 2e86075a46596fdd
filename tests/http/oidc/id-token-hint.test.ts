import { createPublicKey } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import { eachTest } from "#tests/support/each-test.ts";
import { fetchKeys } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedTokens, typePassword } from "./browser-steps.ts";
import { foreignKeyToken } from "./foreign-key-token.ts";
import { hasForm, redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

const at = eachTest(async () => {
  const browser = server.browser();
  const hint = (await seedTokens(server, browser, party, party.request(), anna)).idToken;
  return { browser, hint };
});

describe("an id_token_hint", () => {
  test("of the signed-in user is accepted", async () => {
    expect(redirectParameters(await open(at.browser, party.request({ id_token_hint: at.hint }).url))).toHaveProperty(
      "code",
    );
    const silent = party.request({ id_token_hint: at.hint, prompt: "none" });
    expect(redirectParameters(await open(at.browser, silent.url))).toHaveProperty("code");
  });

  test("is accepted after its expiry too", async () => {
    server.clock.advance(3_600);
    const silent = party.request({ id_token_hint: at.hint, prompt: "none" });
    expect(redirectParameters(await open(at.browser, silent.url))).toHaveProperty("code");
  });

  test("of another user is login_required with prompt=none", async () => {
    const bernds = server.browser();
    await seedTokens(server, bernds, party, party.request(), await server.users.create());
    const request = party.request({ id_token_hint: at.hint, prompt: "none" });
    expect(redirectParameters(await open(bernds, request.url))).toMatchObject({
      error: "login_required",
      state: request.state,
    });
  });

  // Proves requirement 107.
  test("of another user requires a sign-in, and is login_required if another one signs in", async () => {
    const bernd = await server.users.create();
    const bernds = server.browser();
    await seedTokens(server, bernds, party, party.request(), bernd);

    const request = party.request({ id_token_hint: at.hint });
    const form = await open(bernds, request.url);
    expect(hasForm(form, "/login/native")).toBe(true);
    const end = await typePassword(bernds, form, bernd);
    expect(redirectParameters(end)).toMatchObject({ error: "login_required", state: request.state, iss: server.url });
  });

  test("of another user is accepted once that user signs in", async () => {
    const bernds = server.browser();
    await seedTokens(server, bernds, party, party.request(), await server.users.create());
    const form = await open(bernds, party.request({ id_token_hint: at.hint }).url);
    expect(redirectParameters(await typePassword(bernds, form, anna))).toHaveProperty("code");
  });

  test("issued to another application is not accepted", async () => {
    const other = await server.parties.create({ firstParty: true });
    const response = await open(at.browser, other.request({ id_token_hint: at.hint, prompt: "none" }).url);
    expect(redirectParameters(response)).not.toHaveProperty("code");
  });
});

// Proves requirement 100.
describe("an id_token_hint is refused with invalid_request when it", () => {
  const forgeries: [string, () => Promise<string>][] = [
    ["is garbage", async () => "no.token.here"],
    ["is not even three parts", async () => "garbage"],
    ["is not signed (alg none)", async () => new UnsecuredJWT(decodeJwt(at.hint)).encode()],
    ["is signed with the public key as a shared secret (HS256)", signedWithPublicKey],
    ["names a key that is not published", async () => foreignKeyToken(decodeJwt(at.hint), { kid: "unknown" })],
    [
      "is signed by another key under a published kid",
      async () => foreignKeyToken(decodeJwt(at.hint), { kid: kidOf(at.hint) }),
    ],
    ["brings its own key in the header (jwk)", async () => foreignKeyToken(decodeJwt(at.hint), { withJwk: true })],
    [
      "tells where its key is to be fetched (jku)",
      async () => foreignKeyToken(decodeJwt(at.hint), { kid: kidOf(at.hint), jku: `${server.url}/keys.json` }),
    ],
    ["has another person's subject under the old signature", async () => withOtherPayload(at.hint)],
    [
      "comes from another issuer",
      async () => foreignKeyToken({ ...decodeJwt(at.hint), iss: "https://else.example" }, {}),
    ],
  ];

  test.each(forgeries)("%s", async (_name, forge) => {
    const request = party.request({ id_token_hint: await forge(), prompt: "none" });
    expect(redirectParameters(await open(at.browser, request.url))).toMatchObject({
      error: "invalid_request",
      state: request.state,
    });
  });
});

function kidOf(token: string) {
  return decodeProtectedHeader(token).kid ?? "";
}

async function signedWithPublicKey() {
  const { keys } = await fetchKeys(server.url);
  const published = keys.find(({ kid }) => kid === kidOf(at.hint));
  if (!published) throw new Error("The key of the ID token is not published.");
  await importJWK(published, "RS256");
  const pem = createPublicKey({ key: published, format: "jwk" }).export({ type: "spki", format: "pem" });
  return new SignJWT(decodeJwt(at.hint))
    .setProtectedHeader({ alg: "HS256", kid: published.kid })
    .sign(Buffer.from(pem));
}

function withOtherPayload(token: string) {
  const [header, , signature] = token.split(".");
  const payload = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: "somebody-else" })).toString("base64url");
  return `${header}.${payload}.${signature}`;
}
