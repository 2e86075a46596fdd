import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { Parameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open } from "./browser-steps.ts";
import { redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

const sign = (payload: JWTPayload) =>
  new SignJWT(payload).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from("a key of the application, long enough"));
const leaveUnsigned = async (payload: JWTPayload) => new UnsecuredJWT(payload).encode();

/** Sends a request object; `state` and `response_mode` of the query are left out unless `changes` has them. */
async function send(object: string, changes: Parameters = {}) {
  const request = party.request({ state: undefined, request: object, ...changes });
  return open(server.browser(), request.url);
}

describe.each([
  { kind: "a signed request object", encode: sign },
  { kind: "an unsigned request object", encode: leaveUnsigned },
])("$kind is refused", ({ encode }) => {
  test("in the response mode and with the state that it has", async () => {
    const page = await send(await encode({ response_mode: "form_post", state: "from-the-object" }));
    expect(page.status).toBe(400);
    const [form] = page.page().forms();
    expect(form).toMatchObject({ action: party.redirectUri, method: "post" });
    const expected = { error: "request_not_supported", state: "from-the-object", iss: server.url };
    expect(Object.fromEntries(form?.fields ?? [])).toMatchObject(expected);
  });

  test("with its own state, not the one of the query (RFC 9101 section 5)", async () => {
    const response = await send(await encode({ state: "from-the-object" }), { state: "from-the-query" });
    expect(redirectParameters(response)).toMatchObject({ error: "request_not_supported", state: "from-the-object" });
  });

  test("to the redirect URI of the query, whatever it contains", async () => {
    const object = await encode({ redirect_uri: "https://evil.example/", client_id: "app-else", state: "s" });
    const response = await send(object);
    expect(new URL(response.location ?? "").origin).toBe(new URL(party.redirectUri).origin);
    expect(redirectParameters(response)).toMatchObject({ error: "request_not_supported", state: "s" });
    const lacking = await send(object, { redirect_uri: undefined });
    expect([lacking.status, new URL(lacking.url).pathname]).toEqual([400, "/error"]);
    const unregistered = await send(object, { redirect_uri: "https://evil.example/" });
    expect([unregistered.status, new URL(unregistered.url).pathname]).toEqual([400, "/error"]);
  });
});

describe("what a request object contains is ignored", () => {
  test.each<[string, string | Promise<string>]>([
    ["if it is no JWT", "nonsense"],
    ["if it is encrypted", "a.b.c.d.e"],
    ["if it is not JSON", `${Buffer.from("{}").toString("base64url")}.${Buffer.from("[").toString("base64url")}.`],
    ["if it is a list", `e30.${Buffer.from("[1]").toString("base64url")}.`],
    ["if state is no text", leaveUnsigned({ state: ["a", "b"], response_mode: { a: 1 } })],
    ["if state is a lone surrogate", `e30.${Buffer.from('{"state":"\\ud800"}').toString("base64url")}.`],
    ["if state is longer than four kilobytes", leaveUnsigned({ state: "ü".repeat(2_100) })],
    ["if the response mode is unknown", leaveUnsigned({ response_mode: "web_message" })],
  ])("%s", async (_name, object) => {
    const response = await send(await object, { state: "from-the-query", response_mode: "fragment" });
    expect(new URL(response.location ?? "").hash).not.toBe("");
    expect(redirectParameters(response)).toMatchObject({ error: "request_not_supported", state: "from-the-query" });
  });

  test("if the request has two", async () => {
    const [first, second] = [await sign({ state: "one" }), await sign({ state: "two" })];
    const response = await open(server.browser(), party.request({ request: [first, second] }).url);
    expect(redirectParameters(response)).toMatchObject({ error: "invalid_request" });
  });

  test("in a pushed request, whose error is JSON", async () => {
    const response = await party.push(party.request({ request: await sign({ response_mode: "form_post" }) }));
    expect([response.status, response.error()]).toEqual([400, "request_not_supported"]);
  });
});
