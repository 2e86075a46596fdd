import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { encodeParameters, sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSignIn } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const ORIGIN = "https://spa.example";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

const server = await serverOfFile();
const anna = await server.users.create();
const redirectUris = [`${ORIGIN}/callback`];
const create = (input: object) => server.parties.create({ redirectUris, firstParty: true, ...input });
/** A client that runs in the browser, and one on a server of the same origin. */
const inBrowser = await create({ public: true });
const onServer = await create({ authMethod: "client_secret_post" });

/** Exchanges a code like a script on a page of this origin. */
async function exchangeFromOrigin(origin: string) {
  const request = inBrowser.request();
  const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
  const body = encodeParameters({
    grant_type: "authorization_code",
    code,
    client_id: inBrowser.clientId,
    redirect_uri: inBrowser.redirectUri,
    code_verifier: request.verifier,
  });
  return sendApiRequest(server.url + ENGINE_ROUTES.token, { method: "POST", headers: { ...FORM, origin }, body });
}

describe("the token endpoint", () => {
  // Proves requirement 114.
  test("responds to scripts of a public application's own origin, without cookies", async () => {
    const response = await exchangeFromOrigin(ORIGIN);
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test.each([
    "https://evil.example",
    "http://spa.example",
    "https://a.spa.example",
    "https://spa.example:8443",
    "null",
  ])("returns nothing that scripts of another origin can read: %s", async (origin) => {
    const response = await exchangeFromOrigin(origin);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.body).not.toContain("access_token");
  });

  test("returns nothing to an opaque origin for an application with a private-use scheme", async () => {
    const redirectUris = [`${ORIGIN}/app`, "com.example.app:/callback"];
    const { clientId } = await server.clients.create({ public: true, redirectUris });
    const body = encodeParameters({ grant_type: "authorization_code", code: "x", client_id: clientId });
    for (const [origin, allowed] of [
      ["null", null],
      [ORIGIN, ORIGIN],
    ] as const) {
      const options = { method: "POST", headers: { ...FORM, origin }, body };
      const response = await sendApiRequest(server.url + ENGINE_ROUTES.token, options);
      expect(response.headers.get("access-control-allow-origin")).toBe(allowed);
    }
  });

  test("sends no CORS headers for a confidential application", async () => {
    const body = encodeParameters({ grant_type: "authorization_code", code: "x", client_id: onServer.clientId });
    const response = await sendApiRequest(server.url + ENGINE_ROUTES.token, {
      method: "POST",
      headers: { ...FORM, origin: ORIGIN },
      body,
    });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("responds to a preflight request", async () => {
    const response = await sendApiRequest(server.url + ENGINE_ROUTES.token, {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(response.status).toBeLessThan(300);
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

test.each([ENGINE_ROUTES.authorization, ENGINE_ROUTES.end_session, "/login", "/consent", "/logout"])(
  "%s is a page: no script of another origin can read it",
  async (path) => {
    const response = await sendApiRequest(server.url + path, { headers: { origin: ORIGIN } });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  },
);
