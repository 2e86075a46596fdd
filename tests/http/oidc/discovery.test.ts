import { describe, expect, test } from "vitest";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { KEY_AHEAD_HOURS } from "#app/oidc/key-lifetimes.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";

const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";

const server = await serverOfFile();

describe.each([OPENID, OAUTH])("%s", (path) => {
  test("contains the issuer and the paths that existing applications use", async () => {
    const response = await sendApiRequest(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json\b/);
    expect(response.json()).toMatchObject({
      issuer: server.url,
      authorization_endpoint: `${server.url}/oauth2/auth`,
      token_endpoint: `${server.url}/oauth2/token`,
      revocation_endpoint: `${server.url}/oauth2/revoke`,
      introspection_endpoint: `${server.url}/oauth2/introspect`,
      pushed_authorization_request_endpoint: `${server.url}/oauth2/par`,
      end_session_endpoint: `${server.url}/oauth2/sessions/logout`,
      userinfo_endpoint: `${server.url}/userinfo`,
      jwks_uri: `${server.url}/.well-known/jwks.json`,
    });
  });

  test("has the same bytes for every client", async () => {
    const first = await sendApiRequest(server.url + path);
    const second = await sendApiRequest(server.url + path, {
      headers: { "accept-language": "de", origin: "https://spa.example" },
    });
    expect(second.body).toBe(first.body);
  });

  test("is readable for scripts of any site, without cookies", async () => {
    const response = await sendApiRequest(server.url + path, { headers: { origin: "https://spa.example" } });
    expect(response.headers.get("access-control-allow-origin")).toMatch(/^(\*|https:\/\/spa\.example)$/);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("sets no cookie", async () => {
    expect((await sendApiRequest(server.url + path)).headers.getSetCookie()).toEqual([]);
  });
});

describe.each([OPENID, OAUTH, ENGINE_ROUTES.jwks])("%s is cacheable", (path) => {
  test("for a time that is far shorter than keys are published ahead, separately for each origin", async () => {
    const { headers } = await sendApiRequest(server.url + path);
    const [, seconds = ""] = /^public, max-age=(\d+)$/.exec(headers.get("cache-control") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(60);
    expect(Number(seconds)).toBeLessThanOrEqual((KEY_AHEAD_HOURS * 60 * 60) / 24);
    // Access-Control-Allow-Origin depends on the request's Origin.
    expect(headers.get("vary")?.toLowerCase().split(/, */)).toContain("origin");
  });

  test("and gets 304 without content as long as its ETag is the current one", async () => {
    const response = await sendApiRequest(server.url + path);
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await sendApiRequest(server.url + path, { headers: { "if-none-match": known } });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", etag]);
      expect(again.headers.get("cache-control")).toBe(response.headers.get("cache-control"));
      expect(again.headers.get("content-security-policy")).toBe(response.headers.get("content-security-policy"));
    }
    const head = await sendApiRequest(server.url + path, { method: "HEAD" });
    expect([head.status, head.headers.get("etag")]).toEqual([200, etag]);
    const changed = await sendApiRequest(server.url + path, { headers: { "if-none-match": '"other"' } });
    expect([changed.status, changed.body]).toEqual([200, response.body]);
  });

  test("but not its errors", async () => {
    const response = await sendApiRequest(server.url + path, { method: "DELETE" });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect([response.headers.get("cache-control"), response.headers.get("etag")]).toEqual(["no-store", null]);
  });
});

describe("the discovery document", () => {
  test("lists the supported features only", async () => {
    const document = (await sendApiRequest(server.url + OPENID)).json();
    expect(document).toMatchObject({
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        "client_secret_basic",
        "client_secret_post",
        "client_secret_jwt",
        "none",
      ]),
      subject_types_supported: ["public"],
      acr_values_supported: ["urn:gatehouse:acr:password", "urn:gatehouse:acr:mfa"],
      ui_locales_supported: ["en", "de"],
      claims_parameter_supported: true,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    expect(document.id_token_signing_alg_values_supported).toEqual(expect.arrayContaining(["RS256", "ES256"]));
    expect(document.id_token_signing_alg_values_supported).toHaveLength(2);
    // Defaults to false (OpenID Connect Discovery 1.0 §3).
    expect(document.request_parameter_supported ?? false).toBe(false);
    expect(document.response_modes_supported).toEqual(expect.arrayContaining(["query", "fragment", "form_post"]));
  });

  test("lists every scope and its claims", async () => {
    const document = (await sendApiRequest(server.url + OPENID)).json();
    expect(document.scopes_supported).toEqual(expect.arrayContaining(SCOPES.map(({ id }) => id)));
    expect(document.claims_supported).toEqual(
      expect.arrayContaining([...new Set(SCOPES.flatMap(({ claims }) => claims))]),
    );
  });

  // Proves requirement 84.
  test("does not list dynamic registration, device flow, implicit flow or password grant", async () => {
    const document = (await sendApiRequest(server.url + OPENID)).json();
    for (const name of [
      "registration_endpoint",
      "device_authorization_endpoint",
      "backchannel_authentication_endpoint",
      "dpop_signing_alg_values_supported",
      "check_session_iframe",
      "frontchannel_logout_supported",
    ]) {
      expect(document).not.toHaveProperty(name);
    }
  });
});

describe("an advertised endpoint", () => {
  // Proves requirement 108.
  test("exists: none returns 404", async () => {
    const document = (await sendApiRequest(server.url + OPENID)).json();
    const endpoints = Object.entries(document).filter(([name]) => /(_endpoint|_uri)$/.test(name));
    expect(endpoints.length).toBeGreaterThanOrEqual(8);
    for (const [name, url] of endpoints) {
      const method = /token|revocation|introspection|pushed/.test(name) ? "POST" : "GET";
      const response = await sendApiRequest(String(url), { method });
      expect([name, response.status]).not.toEqual([name, 404]);
      expect(response.status, name).toBeLessThan(500);
    }
  });

  // Proves requirement 108.
  test("is listed completely: other endpoints do not exist", async () => {
    for (const path of [
      "/oauth2/register",
      "/reg",
      "/oauth2/device/auth",
      "/device",
      "/backchannel",
      "/token/introspection",
      "/jwks",
      "/me",
      "/session/end",
    ]) {
      expect([path, (await sendApiRequest(server.url + path)).status]).toEqual([path, 404]);
    }
  });
});
