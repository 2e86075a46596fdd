import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { expectDocumented } from "#tests/http/settings/api-contract.ts";
import type { HttpResponse, RequestOptions } from "#tests/support/browser-jar.ts";
import { giveKey, giveTotp, type TestApp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { statusAndBody, tokenOf } from "./calls.ts";
import { type OpenStep, openStep } from "./steps.ts";

/** Every JSON call of the step, with a valid body. */
const CALLS: Readonly<Record<string, unknown>> = {
  "/mfa/verify-totp": { code: "000000" },
  "/mfa/init-totp": {},
  "/mfa/setup-totp": { code: "000000" },
  "/mfa/init-fido2": {},
  "/mfa/verify-fido2": { id: "aaaa" },
  "/mfa/init-fido2-registration": {},
  "/mfa/setup-fido2": { sessionId: "aaaa", credentialJson: "{}" },
};

/** The calls whose payload is "none": section 7 of the specification, and the set-up during a sign-in. */
const NO_PAYLOAD = ["/mfa/init-totp", "/mfa/init-fido2", "/mfa/init-fido2-registration"];
let app: TestApp;
let step: OpenStep;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Opens the step as a new user. Tests whose calls are refused share one step. */
async function openNewStep() {
  const anna = await server.users.create();
  app = await giveTotp(server, anna);
  await giveKey(server, anna);
  step = await openStep(server.browser(), party.request().url, anna);
}

const TOKENS = () => ({ authorization: `Bearer ${step.mfaToken}`, "x-xsrf-token": step.xsrf });

/** Sends a call with valid tokens and these changed headers; null omits a header. */
async function send(path: string, changes: Record<string, string | null> = {}, body: unknown = CALLS[path]) {
  const headers = { ...TOKENS(), "content-type": "application/json", origin: server.url, ...changes };
  const sent = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  const options: RequestOptions = { headers: Object.fromEntries(sent) };
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await step.browser.send("POST", path, text, options);
  expectDocumented("POST", path, response);
  return response;
}

const errorOf = ({ status, json }: HttpResponse) => [status, Object(json()).error];

describe.each(Object.keys(CALLS))("%s", (path) => {
  beforeAll(openNewStep);

  test.each([
    ["a form", "application/x-www-form-urlencoded"],
    ["plain text, as another site could send it", "text/plain"],
    ["plain text that looks like JSON", "text/plain; application/json"],
    ["of no type", null],
  ])("accepts only JSON: 415 for %s", async (_what, type) => {
    const response = await send(path, { "content-type": type });
    expect(response.status).toBe(415);
  });

  test("is a 403 xsrf without the anti-forgery token, and with a wrong or foreign one", async () => {
    const foreign = await openStep(server.browser(), party.request().url, await withFactor());
    for (const token of [null, "", "x", randomBytes(32).toString("base64url"), foreign.xsrf]) {
      expect(errorOf(await send(path, { "x-xsrf-token": token }))).toEqual([403, "xsrf"]);
    }
  });

  test("reads the anti-forgery token from its header only, and the bearer token from no cookie, field or URL", async () => {
    const fields = { _xsrf: step.xsrf, mfa_token: step.mfaToken, ...Object(CALLS[path]) };
    expect(errorOf(await send(path, { "x-xsrf-token": null }, fields))).toEqual([403, "xsrf"]);
    const bare = await send(`${path}?mfa_token=${step.mfaToken}`, { authorization: null }, fields);
    expect(errorOf(bare)).toEqual([401, "unauthorized"]);
  });

  test("is a 401 without a bearer token, and with a wrong one", async () => {
    const wrong = [null, "", "Bearer", "Bearer ", `Basic ${step.mfaToken}`, step.mfaToken, `Bearer ${step.mfaToken}x`];
    for (const authorization of wrong) {
      expect([authorization, ...errorOf(await send(path, { authorization }))]).toEqual([
        authorization,
        401,
        "unauthorized",
      ]);
    }
  });

  test("is a 403 from another site", async () => {
    expect((await send(path, { origin: "https://evil.example" })).status).toBe(403);
    expect((await send(path, { origin: "null" })).status).toBe(403);
  });

  test("is a 400 for a body that is not valid JSON for it", async () => {
    const empty = NO_PAYLOAD.includes(path) ? [] : [""];
    for (const body of [
      ...empty,
      "{",
      "null",
      "7",
      '"code"',
      "[]",
      "\0",
      '{"code":',
      Buffer.from([0xff, 0xfe, 0x7b]),
    ]) {
      expect([body, (await send(path, {}, body)).status]).toEqual([body, 400]);
    }
  });

  test("is a 405 for a GET, without an effect", async () => {
    const response = await step.browser.get(path, { headers: TOKENS() });
    expect([response.status, response.headers.allow, response.setCookies]).toEqual([405, "POST", []]);
  });

  test.each(["PUT", "PATCH", "DELETE"])("is a 405 for a %s", async (method) => {
    const headers = { ...TOKENS(), "content-type": "application/json", origin: server.url };
    const response = await step.browser.send(method, path, JSON.stringify(CALLS[path]), { headers });
    expect(response.status).toBe(405);
  });

  test("is a 413 for a megabyte", async () => {
    expect((await send(path, {}, JSON.stringify({ code: "a".repeat(1024 * 1024) }))).status).toBe(413);
  });

  test("never fails for 60 KB of garbage", async () => {
    for (const body of GARBAGE) expect((await send(path, {}, body)).status).toBeLessThan(500);
  });

  test("sets no cookie, is not cached, and responds in JSON, for every outcome", async () => {
    for (const response of [await send(path), await send(path, { authorization: null }), await send(path, {}, "{")]) {
      expect(response.setCookies).toEqual([]);
      expect(response.headers["cache-control"]).toBe("no-store");
      expect(response.headers["content-type"]).toMatch(/^application\/json/);
      expect(response.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("accepts no preflight of another site", async () => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    const response = await step.browser.send("OPTIONS", path, null, { headers: headers });
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

const SIZE = 60 * 1024;

/** Malicious bodies of 60 KB. */
const GARBAGE: readonly (string | Uint8Array)[] = [
  Buffer.from(randomBytes(SIZE)),
  "[".repeat(SIZE),
  `${'{"a":'.repeat(10_000)}1`,
  JSON.stringify({ code: "1".repeat(SIZE - 20) }),
  JSON.stringify({ code: Array.from({ length: 20_000 }, () => 1) }),
  JSON.stringify({ code: { $ne: null }, sessionId: [], credentialJson: {}, name: 7 }),
  JSON.stringify({ sessionId: "a", credentialJson: "[".repeat(SIZE - 60) }),
  JSON.stringify({ sessionId: "\0", credentialJson: '{"id":"\\u0000"}', name: "\0" }),
  JSON.stringify({
    id: "A".repeat(1_300),
    rawId: "A",
    type: "public-key",
    response: { clientDataJSON: "A".repeat(8_000) },
  }),
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"code":"000000"}',
  `{"code":"${"\\ud800".repeat(9_000)}"}`,
];

describe.each(NO_PAYLOAD)("%s has no payload", (path) => {
  beforeAll(openNewStep);

  const EXPECTED = path === "/mfa/init-fido2" ? [200, undefined] : [403, "factor already registered"];

  test.each([
    ["an empty body without a content type", "", null],
    ["an empty body of type JSON", "", "application/json"],
    ["an empty body of type JSON with a charset", "", "application/json; charset=utf-8"],
    ["an empty body with the content type that a library adds", "", "application/x-www-form-urlencoded"],
    ["an empty object", "{}", "application/json"],
  ])("and accepts %s", async (_what, body, type) => {
    expect(errorOf(await send(path, { "content-type": type }, body))).toEqual(EXPECTED);
  });

  test("but an empty body still needs both tokens", async () => {
    expect(errorOf(await send(path, { "content-type": null, "x-xsrf-token": null }, ""))).toEqual([403, "xsrf"]);
    const unauthorized = [401, "unauthorized"];
    expect(errorOf(await send(path, { "content-type": null, authorization: null }, ""))).toEqual(unauthorized);
  });
});

async function withFactor() {
  const user = await server.users.create();
  await giveTotp(server, user);
  return user;
}

test("afterwards the right code is still accepted, no user is signed in yet, and nothing failed", async () => {
  await openNewStep();
  for (const path of Object.keys(CALLS)) await send(path, { authorization: null });
  expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  tokenOf(await step.call("/mfa/verify-totp", { code: await app.code() }));
  expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  expect(Object.prototype).not.toHaveProperty("polluted");
});

test("a call with a lower-case scheme is understood (RFC 9110 section 11.1)", async () => {
  await openNewStep();
  const headers = { authorization: `bearer ${step.mfaToken}` };
  expect(statusAndBody(await send("/mfa/verify-totp", headers, { code: await app.code() }))[0]).toBe(200);
});
