// Proves requirement 108.
import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { encodeParameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";

const FORM = { headers: { "content-type": "application/x-www-form-urlencoded" } };

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

async function countRecords(): Promise<number> {
  const { q, t } = server.context.store;
  return q.$count(t.oidcRecords);
}

/** Sends an authorization request, which each of these endpoints accepts. */
function send(path: string, method: string): Promise<HttpResponse> {
  const { parameters } = party.request();
  const query = encodeParameters(parameters);
  return method === "GET" ? server.browser().get(`${path}?${query}`) : server.browser().send(method, path, query, FORM);
}

const ENDPOINTS = [
  [ENGINE_ROUTES.authorization, "GET"],
  [ENGINE_ROUTES.authorization, "POST"],
  [ENGINE_ROUTES.token, "POST"],
  [ENGINE_ROUTES.revocation, "POST"],
  [ENGINE_ROUTES.introspection, "POST"],
  [ENGINE_ROUTES.pushed_authorization_request, "POST"],
  [ENGINE_ROUTES.end_session, "GET"],
  [ENGINE_ROUTES.end_session, "POST"],
  [`${ENGINE_ROUTES.end_session}/confirm`, "POST"],
  [`${ENGINE_ROUTES.end_session}/success`, "GET"],
  [ENGINE_ROUTES.userinfo, "GET"],
  [ENGINE_ROUTES.userinfo, "POST"],
  [ENGINE_ROUTES.jwks, "GET"],
  ["/.well-known/openid-configuration", "GET"],
  ["/.well-known/oauth-authorization-server", "GET"],
] as const;

describe.each(ENDPOINTS)("%s by %s", (path, method) => {
  const start = path.lastIndexOf("/") + 1;
  const last = path.slice(start);

  test("is served as it is spelled", async () => {
    expect((await send(path, method)).status).not.toBe(404);
  });

  test.each([
    ["with a slash at the end", `${path}/`],
    ["with a capital", `${path.slice(0, start)}${last.charAt(0).toUpperCase()}${last.slice(1)}`],
    ["in capitals", path.toUpperCase()],
    ["in capitals with a slash at the end", `${path.toUpperCase()}/`],
  ])("is the page for unknown paths %s, and writes nothing", async (_how, spelled) => {
    const before = await countRecords();
    const response = await send(spelled, method);
    expect([response.status, response.location]).toEqual([404, null]);
    expect(stateOf(response)).toMatchObject({ server_error: { code: 404 } });
    expect(response.headers["content-security-policy"]).toContain("form-action 'self'");
    expect(await countRecords()).toBe(before);
  });
});

describe.each([...new Set(ENDPOINTS.map(([path]) => path)), "/oauth2/auth/abcdefghijklmnopqrstuvwx"])("%s", (path) => {
  const served = ENDPOINTS.flatMap(([at, method]) => (at === path ? [method] : []));
  const isForBrowsers = path.startsWith("/oauth2/auth") || path.startsWith("/oauth2/sessions/");
  const isResult = path.endsWith("/success");
  const isRead = !served.includes("POST") || served.includes("GET");
  const allowed = [
    ...(isRead ? ["GET"] : []),
    // A HEAD request to a path for browsers would sign a user in or out.
    ...(isRead && (!isForBrowsers || isResult) ? ["HEAD"] : []),
    ...(served.includes("POST") ? ["POST"] : []),
  ];

  test.each(["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"].filter((method) => !allowed.includes(method)))(
    "has no method %s, and the response names those it has",
    async (method) => {
      const lines = server.lines().length;
      const response = await server.browser().send(method, path, null);
      expect([response.status, response.headers.allow]).toEqual([405, allowed.join(", ")]);
      const isJson = method !== "HEAD" && !isForBrowsers;
      expect(isJson ? JSON.parse(response.body) : { error: "bad request" }).toMatchObject({ error: "bad request" });
      const written = server.lines().slice(lines);
      expect(written.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    },
  );

  test.each(allowed)("has the method %s", async (method) => {
    const response = await server.browser().send(method, path, null);
    expect([404, 405, 500]).not.toContain(response.status);
  });

  test(`${isForBrowsers ? "has no" : "has a"} preflight request of CORS`, async () => {
    const headers = { origin: "https://desk.example", "access-control-request-method": allowed[0] ?? "" };
    const response = await server.browser().send("OPTIONS", path, null, { headers });
    expect(response.status).toBe(isForBrowsers ? 405 : 204);
  });
});

test("a request is resumed at its own path only", async () => {
  const { browser, page } = await openForm(server.browser(), party.request().url);
  expect(page.status).toBe(200);
  const path = browser.jar.all().find(({ name, path: at }) => name.includes("resume") && at !== "/")?.path ?? "";
  expect(path).toMatch(/^\/oauth2\/auth\/[\w-]+$/);
  expect((await browser.get(path)).status).toBe(303);
  const uid = path.slice(path.lastIndexOf("/") + 1);
  for (const spelled of [`${path}/`, `/oauth2/AUTH/${uid}`, `/oauth2/Auth/${uid}/`, `${path}/x`]) {
    const response = await browser.get(spelled);
    expect([spelled, response.status, response.location]).toEqual([spelled, 404, null]);
  }
});
