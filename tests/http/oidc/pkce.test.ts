import { describe, expect, test } from "vitest";
import type { Parameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn } from "./browser-steps.ts";
import { codeOf, redirectParameters } from "./responses.ts";

const WITHOUT_PKCE = { code_challenge: undefined, code_challenge_method: undefined };

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });
const publicParty = await server.parties.create({ firstParty: true, public: true });
const exempt = await server.parties.create({ firstParty: true, requirePkce: false });

describe("a request without PKCE", () => {
  // Proves requirement 82.
  test("is refused for every application, also confidential ones", async () => {
    for (const one of [party, publicParty]) {
      const request = one.request(WITHOUT_PKCE);
      const parameters = redirectParameters(await open(server.browser(), request.url));
      expect(parameters).toMatchObject({ error: "invalid_request", state: request.state, iss: server.url });
      expect(parameters).not.toHaveProperty("code");
    }
  });

  // Proves requirement 82.
  test("is accepted for an application that an administrator exempted", async () => {
    const request = exempt.request(WITHOUT_PKCE);
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    expect((await exempt.exchange(code, request, { code_verifier: undefined })).status).toBe(200);
  });
});

describe("a request with a wrong challenge is refused:", () => {
  const refusals: [string, Parameters][] = [
    ["the method plain", { code_challenge_method: "plain" }],
    ["no method, which means plain", { code_challenge_method: undefined }],
    ["an unknown method", { code_challenge_method: "S512" }],
    ["another case of the method", { code_challenge_method: "s256" }],
    ["too short", { code_challenge: "short" }],
    ["too long", { code_challenge: "x".repeat(200) }],
    ["letters that no challenge has", { code_challenge: `${"x".repeat(42)}=` }],
    ["a method without a challenge", { code_challenge: undefined }],
  ];

  test.each(refusals)("%s", async (_name, changes) => {
    for (const one of [party, exempt]) {
      const parameters = redirectParameters(await open(server.browser(), one.request(changes).url));
      expect(parameters).toMatchObject({ error: "invalid_request", iss: server.url });
    }
  });
});

describe("an exchange is refused", () => {
  const refusals: [string, (challenge: string) => Parameters][] = [
    ["without a verifier", () => ({ code_verifier: undefined })],
    ["with an empty verifier", () => ({ code_verifier: "" })],
    ["with another verifier", () => ({ code_verifier: "v".repeat(43) })],
    ["with the challenge as verifier", (challenge) => ({ code_verifier: challenge })],
    ["with two verifiers", (challenge) => ({ code_verifier: [challenge, challenge] })],
  ];

  test.each(refusals)("%s, and the code is invalid afterwards", async (_name, changes) => {
    for (const one of [party, publicParty]) {
      const request = one.request();
      const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
      const response = await one.exchange(code, request, changes(String(request.parameters.code_challenge)));
      expect(response.status).toBe(400);
      expect(response.error()).toMatch(/^(invalid_grant|invalid_request)$/);
      expect(response.body).not.toContain("access_token");
    }
  });

  // Proves requirement 83.
  test("with a verifier if the request had no challenge, against downgrade (RFC 9700 section 4.8)", async () => {
    const request = exempt.request(WITHOUT_PKCE);
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    const response = await exempt.exchange(code, request);
    expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
  });

  test("without a verifier if the exempted application sent a challenge", async () => {
    const request = exempt.request();
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    const response = await exempt.exchange(code, request, { code_verifier: undefined });
    expect([response.status, response.error()]).toEqual([400, "invalid_grant"]);
  });
});
