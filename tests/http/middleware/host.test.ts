import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { sendRaw } from "./raw-client.ts";

const DISCOVERY = "/.well-known/openid-configuration";

const server = await serverOfFile();

const ownHost = () => new URL(server.url).host;

function get(path: string, ...headers: readonly string[]) {
  return sendRaw(server.url, { line: `GET ${path} HTTP/1.1`, headers: ["Connection: close", ...headers] });
}

describe("the host of a request", () => {
  const foreign = (): string[] => [
    "evil.example",
    `evil.example:${new URL(server.url).port}`,
    "localhost",
    `${ownHost()}.evil.example`,
    `evil.example@${ownHost()}`,
    `${ownHost()}, evil.example`,
    "127.0.0.1",
    `127.0.0.1:${new URL(server.url).port}`,
    `[::1]:${new URL(server.url).port}`,
    "",
  ];

  test("is the issuer's: any other is a 421 on every path, and is not repeated", async () => {
    for (const host of foreign()) {
      for (const path of [
        "/",
        "/login",
        "/error",
        DISCOVERY,
        ENGINE_ROUTES.jwks,
        "/oauth2/auth?client_id=x",
        "/assets/x",
      ]) {
        const response = await get(path, `Host: ${host}`);
        expect([host, path, response.status]).toEqual([host, path, 421]);
        expect(response.body).not.toContain("evil.example");
        expect(response.headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
      }
    }
  });

  test("is named at the start of the response to any other one, and in the log", async () => {
    const port = new URL(server.url).port;
    const headers = [`Host: 127.0.0.1:${port}`];
    const discovery = await get(DISCOVERY, ...headers, "Accept: application/json");
    const description = `The request was sent to another host. The issuer is ${server.url}`;
    expect(JSON.parse(discovery.body)).toEqual({ error: "bad request", error_description: description });
    const page = await get("/login", ...headers, "Accept: text/html");
    expect(page.body.slice(0, 200)).toContain(server.url);
    const [, reference] = /<code>([^<]+)<\/code>/.exec(page.body) ?? [];
    const line = server.lines().find(({ event, requestId }) => event === "host.refused" && requestId === reference);
    expect(line).toMatchObject({ host: `127.0.0.1:${port}`, fix: expect.stringContaining(server.url) });
  });

  test("may be written in capitals", async () => {
    expect((await get("/error", `Host: ${ownHost().toUpperCase()}`)).status).toBe(400);
  });

  test("does not matter for the health probes, which call by address", async () => {
    for (const host of foreign()) {
      for (const path of ["/healthz", "/readyz"]) expect((await get(path, `Host: ${host}`)).status).toBe(200);
    }
  });

  // Proves requirement 141.
  test("must be unique: two Host headers are a 400 on every path", async () => {
    const own = `Host: ${ownHost()}`;
    const pairs = [
      [own, own],
      [own, "Host: evil.example"],
      ["Host: evil.example", own],
      [own, "X-Between: 1", own.toUpperCase().replace("HOST", "hOsT")],
      [own, "Host:"],
    ];
    for (const pair of pairs) {
      for (const path of ["/error", "/", "/nowhere", DISCOVERY, ENGINE_ROUTES.jwks, "/healthz", "/readyz"]) {
        const response = await get(path, ...pair);
        expect([pair, path, response.status]).toEqual([pair, path, 400]);
        expect(response.body).not.toContain("evil.example");
        expect(response.headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
      }
    }
    expect((await get(DISCOVERY, own)).status).toBe(200);
  });

  test("that is missing or in the request line is refused", async () => {
    expect((await get("/healthz")).status).toBe(400);
    const { status } = await sendRaw(server.url, {
      line: "GET http://evil.example/login HTTP/1.1",
      headers: [`Host: ${ownHost()}`, "Connection: close"],
    });
    expect(status).toBe(400);
  });
});

describe("forwarded headers from a client that is not a proxy", () => {
  const claims = [
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-Proto: https",
    "X-Forwarded-Port: 1",
    "X-Forwarded-Prefix: /evil",
    "X-Forwarded-For: 203.0.113.9",
    "X-Real-IP: 203.0.113.9",
    "Forwarded: for=203.0.113.9;host=evil.example;proto=https",
    "X-Original-URL: /readyz",
    "X-Rewrite-URL: /readyz",
    "X-HTTP-Host-Override: evil.example",
    "X-Client-Cert: forged",
  ];

  test("does not reach the discovery document", async () => {
    const honest = await get(DISCOVERY, `Host: ${ownHost()}`);
    const forged = await get(DISCOVERY, `Host: ${ownHost()}`, ...claims);
    expect(forged.body).toBe(honest.body);
    const addresses = Object.values(JSON.parse(forged.body)).filter((value) => /^https?:/.test(String(value)));
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses) expect(String(address).startsWith(server.url)).toBe(true);
  });

  // Proves requirement 95.
  test("does not reach redirects, cookies or pages", async () => {
    const party = await server.parties.create();
    const { pathname, search } = new URL(party.request().url);
    const redirect = await get(pathname + search, `Host: ${ownHost()}`, ...claims);
    expect(redirect.status).toBe(303);
    expect(redirect.headers.location).toMatch(/^\/login\?/);
    expect(JSON.stringify(redirect.headers)).not.toMatch(/evil|secure|__Host-/i);
    const page = await get(redirect.headers.location ?? "", `Host: ${ownHost()}`, ...claims);
    expect(page.body).not.toContain("evil");
    expect(page.headers).not.toHaveProperty("strict-transport-security");
  });

  // Proves requirement 95.
  test("does not choose the address in the log", async () => {
    await get("/error?from=stranger", `Host: ${ownHost()}`, ...claims);
    const addresses = new Set(server.lines().map(({ address }) => address ?? "none"));
    expect([...addresses].filter((address) => address !== "none")).toEqual(["127.0.0.1"]);
  });

  test("does not reach another path", async () => {
    expect((await get("/nowhere", `Host: ${ownHost()}`, ...claims)).status).toBe(404);
  });
});

describe("a method that a header or field claims", () => {
  const claims = { "x-http-method-override": "POST", "x-http-method": "POST", "x-method-override": "POST" };

  // Proves requirement 113.
  test("is ignored: a GET stays a GET, a POST a POST", async () => {
    const browser = server.browser();
    for (const path of ["/login/native", "/consent/accept", "/logout/accept"]) {
      const got = await browser.get(`${path}?_method=POST`, { headers: claims });
      expect([path, got.status, got.page().state().error]).toEqual([path, 400, "challenge"]);
      const posted = await browser.post(path, { _method: "GET" });
      expect([path, posted.status]).toEqual([path, 400]);
      expect(posted.page().state()).toEqual({ server_error: { code: 400, reference: expect.any(String) } });
    }
  });
});
