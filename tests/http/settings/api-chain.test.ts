import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { API, type CallOptions, callWith, NEXT_TOKEN, openChain, openPageChain, statusAndBody } from "./api.ts";
import { createSettingsClient } from "./steps.ts";

const UNAUTHORIZED = [401, { error: "unauthorized" }];
const NEW_PASSWORD = "Harbour-Candle-31-Elm";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create();
  const chain = await openChain(server, settingsClient, anna);
  return { anna, chain };
});

const nameNow = async () => {
  const { store } = server.context;
  const [row] = await store.q.select().from(store.t.users).where(eq(store.t.users.id, at.anna.id));
  return row?.username;
};

/** Expects a refused bearer token: no next token, and a WWW-Authenticate header (RFC 6750 §3). */
async function expectRefused(token: string, path = "userinfo", options?: CallOptions) {
  const response = await callWith(server, token, path, options);
  expect(statusAndBody(response)).toEqual(UNAUTHORIZED);
  expect(response.headers.get(NEXT_TOKEN)).toBeNull();
  expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
}

const EVERY_ANSWER: [number, string, CallOptions][] = [
  [200, "userinfo", {}],
  [200, "mfa-init-totp", { method: "POST" }],
  [400, "username", { method: "PUT", body: { username: "" } }],
  [400, "username", { method: "PUT", body: "{" }],
  [400, "mfa-verify-totp", { method: "POST", body: { code: "1" } }],
  [404, "oauth/myspace", { method: "DELETE" }],
  [405, "userinfo", { method: "POST" }],
  [405, "username", { method: "DELETE" }],
  [405, "password", { method: "GET" }],
  [
    415,
    "username",
    { method: "PUT", body: "username=a", headers: { "content-type": "application/x-www-form-urlencoded" } },
  ],
  [415, "mfa-init-totp", { method: "POST", body: "<a/>", headers: { "content-type": "text/xml" } }],
];

describe.each([
  ["GET", "userinfo", 200],
  ["GET", "mfa-registration-status", 200],
  ["POST", "mfa-init-totp", 200],
  ["POST", "mfa-init-fido2", 200],
  ["GET", "username", 200],
  ["GET", "oauth/accounts", 200],
  ["DELETE", "oauth/google", 400],
])("%s %s has no payload", (method, path, status) => {
  test.each([
    ["no body and no content type", {}],
    ["an empty body of type JSON", { headers: { "content-type": "application/json" } }],
    ["an empty body with a content type", { headers: { "content-type": "text/plain;charset=UTF-8" } }],
    ["an empty object", method === "GET" ? {} : { body: {} }],
  ])("and accepts %s", async (_what, options: CallOptions) => {
    const response = await at.chain.call(path, { method, ...options });
    const error = status === 200 ? null : "account not connected";
    expect([response.status, response.error()]).toEqual([status, error]);
  });
});

describe("the token of the next call", () => {
  test.each(EVERY_ANSWER)("comes with a %i of %s, and invalidates the previous one", async (status, path, options) => {
    const spent = at.chain.token();
    const response = await at.chain.call(path, options);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(at.chain.token()).not.toBe("");
    expect(at.chain.token()).not.toBe(spent);
    await expectRefused(spent, path, options);
    expect((await at.chain.get("userinfo")).status).toBe(200);
  });

  // Proves requirement 67.
  test("comes with 403, 409 and 429 too", async () => {
    const { username } = await server.users.create();
    for (let n = 0; n < 5; n += 1) expect((await at.chain.put("username", { username })).status).toBe(409);
    expect((await at.chain.put("username", { username })).status).toBe(429);
    for (const seconds of [300, 301]) {
      expect((await at.chain.get("userinfo")).status).toBe(200);
      server.clock.advance(seconds);
    }
    expect((await at.chain.put("username", { username })).status).toBe(403);
    expect((await at.chain.get("userinfo")).status).toBe(200);
  });

  test("continues after every change of the account that the chain itself made", async () => {
    expect((await at.chain.put("username", { username: `${at.anna.username}.b` })).status).toBe(200);
    const passwords = { password: at.anna.password, newPassword: NEW_PASSWORD, newPasswordRepeat: NEW_PASSWORD };
    expect((await at.chain.put("password", passwords)).status).toBe(200);
    expect((await at.chain.get("userinfo")).status).toBe(200);
  });
});

describe("a bearer token", () => {
  const put = (username: string): CallOptions => ({ method: "PUT", body: { username } });

  // Proves requirement 67.
  test("has no effect the second time", async () => {
    const token = at.chain.token();
    expect((await callWith(server, token, "username", put(`${at.anna.username}.first`))).status).toBe(200);
    await expectRefused(token, "username", put(`${at.anna.username}.second`));
    expect(await nameNow()).toBe(`${at.anna.username}.first`);
  });

  test.each(["that opens the chain", "later in it"])("%s is good for one of many calls at once", async (where) => {
    if (where === "later in it") await at.chain.get("userinfo");
    const token = at.chain.token();
    const names = ["a", "b", "c", "d", "e", "f"].map((end) => `${at.anna.username}.${end}`);
    const responses = await Promise.all(names.map((name) => callWith(server, token, "username", put(name))));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(responses.filter(({ headers }) => headers.has(NEXT_TOKEN))).toHaveLength(1);
    expect(await nameNow()).toBe(names[responses.findIndex(({ status }) => status === 200)]);
  });

  test("of a lost response is lost with it: the settings have to be opened again", async () => {
    const token = at.chain.token();
    await callWith(server, token, "userinfo");
    await expectRefused(token);
    const again = await openChain(server, settingsClient, at.anna);
    expect((await again.get("userinfo")).status).toBe(200);
  });

  test("is validated before the body: a forged one reveals nothing of either", async () => {
    await expectRefused("x".repeat(43), "username", { method: "PUT", body: "{" });
    await expectRefused("x".repeat(43), "username", { method: "DELETE" });
    await expectRefused("x".repeat(43), "oauth/myspace", { method: "DELETE" });
  });

  test("cannot be made from another: counter, chain and MAC belong together", async () => {
    await at.chain.get("userinfo");
    const [id = "", counter = "", mac = ""] = at.chain.token().split(".");
    const other = await openChain(server, settingsClient, at.anna);
    await other.get("userinfo");
    const [otherId = ""] = other.token().split(".");
    for (const forged of [
      `${id}.${Number(counter) + 1}.${mac}`,
      `${id}.0${counter}.${mac}`,
      `${id}.0.${mac}`,
      `${otherId}.${counter}.${mac}`,
      `${id}.${counter}.${"A".repeat(43)}`,
      `${id}.${counter}.`,
      `${id}.${counter}`,
    ])
      await expectRefused(forged);
    expect((await at.chain.get("userinfo")).status).toBe(200);
  });

  test("of another kind is refused", async () => {
    const browser = server.browser();
    await expectRefused(await settingsClient.signIn(browser, at.anna));
    const berta = await server.users.create();
    await giveTotp(server, berta);
    const { page: step } = await openStep(server.browser(), settingsClient.party.request().url, berta);
    await expectRefused(String(stateOf(step).token));
    const page = await openPageChain(server, settingsClient, at.anna);
    const cookies = page.browser.jar.header(new URL(server.url)) ?? "";
    for (const cookie of cookies.split("; ")) await expectRefused(cookie.slice(cookie.indexOf("=") + 1));
    await expectRefused(String(stateOf(await page.browser.get("/manage")).xsrf_token));
  });

  test("is wanted in its header alone", async () => {
    const token = at.chain.token();
    const { url } = server;
    const requests: [query: string, headers: Record<string, string>][] = [
      ["", {}],
      [`?t=${token}&access_token=${token}`, {}],
      ["", { authorization: token }],
      ["", { authorization: `Basic ${token}` }],
      ["", { cookie: `token=${token}` }],
    ];
    for (const [query, headers] of requests) {
      const response = await fetch(`${url}${API}/userinfo${query}`, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get(NEXT_TOKEN)).toBeNull();
    }
    expect((await at.chain.get("userinfo")).status).toBe(200);
  });

  test("expires after ten minutes without a call, and half an hour after the first one", async () => {
    await at.chain.get("userinfo");
    server.clock.advance(9 * 60);
    for (let minutes = 9; minutes < 27; minutes += 9) {
      expect((await at.chain.get("userinfo")).status).toBe(200);
      server.clock.advance(9 * 60);
    }
    expect((await at.chain.get("userinfo")).status).toBe(200);
    server.clock.advance(3 * 60);
    await expectRefused(at.chain.token());
    const idle = await openChain(server, settingsClient, at.anna);
    await idle.get("userinfo");
    server.clock.advance(10 * 60);
    await expectRefused(idle.token());
  });

  // Proves requirement 61.
  test("becomes invalid with a block of the user, and with a change made elsewhere", async () => {
    const elsewhere = await openChain(server, settingsClient, at.anna);
    await at.chain.get("userinfo");
    expect((await elsewhere.put("username", { username: `${at.anna.username}.z` })).status).toBe(200);
    await expectRefused(at.chain.token());
    await blockUser(server.context, `${at.anna.username}.z`);
    await expectRefused(elsewhere.token());
  });
});

describe("a browser on another site's behalf", () => {
  // Proves requirement 114.
  test("gets no access: no CORS headers, no cookies, no preflight", async () => {
    const preflight = await fetch(`${server.url}${API}/userinfo`, {
      method: "OPTIONS",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      },
    });
    expect(preflight.ok).toBe(false);
    const response = await at.chain.call("userinfo", { headers: { origin: "https://evil.example" } });
    for (const { headers } of [preflight, response]) {
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  test("changes nothing: a foreign page's form is refused before the token is validated", async () => {
    const response = await callWith(server, at.chain.token(), "mfa-init-totp", {
      method: "POST",
      headers: { origin: "https://evil.example" },
    });
    expect(response.status).toBe(403);
    expect((await at.chain.get("userinfo")).status).toBe(200);
  });

  // Proves requirement 113.
  test("is not authenticated by the cookies of open settings", async () => {
    const { browser } = await openPageChain(server, settingsClient, at.anna);
    for (const path of ["userinfo", "username", "oauth/accounts", "mfa-registration-status"]) {
      const response = await browser.get(`${API}/${path}`);
      expect([response.status, response.json()]).toEqual(UNAUTHORIZED);
    }
    const change = await browser.postJson(`${API}/mfa-init-totp`, {});
    expect([change.status, change.json()]).toEqual(UNAUTHORIZED);
  });
});
