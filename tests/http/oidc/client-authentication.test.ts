import { SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { type AuthMethod, createRelyingParty, type Parameters, sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestClient } from "#tests/support/server.ts";
import { seedSignIn } from "./browser-steps.ts";
import { foreignKeyToken } from "./foreign-key-token.ts";
import { codeOf } from "./responses.ts";

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const server = await serverOfFile();
const anna = await server.users.create();

/** Exchanges a real code with this client authentication method. */
async function exchangeCode(client: TestClient, authMethod: AuthMethod, changes: Parameters = {}) {
  const party = createRelyingParty({ issuer: server.url, client, authMethod });
  const request = party.request();
  return party.exchange(codeOf(await seedSignIn(server, server.browser(), request, anna)), request, changes);
}

const METHODS = [
  { name: "client_secret_basic", sends: "basic" },
  { name: "client_secret_post", sends: "post" },
  { name: "client_secret_jwt", sends: "jwt" },
] as const;

describe.each(METHODS)("an application registered for $name", ({ name, sends }) => {
  let client: TestClient;

  beforeAll(async () => {
    client = await server.clients.create({ authMethod: name, firstParty: true });
  });

  test("is authenticated by its secret", async () => {
    expect((await exchangeCode(client, sends)).status).toBe(200);
  });

  test("is refused with a wrong, empty or missing secret", async () => {
    for (const clientSecret of ["wrong-secret-of-a-usual-length-0123456789", `${client.clientSecret}x`]) {
      const response = await exchangeCode({ ...client, clientSecret }, sends);
      expect([response.status, response.error()]).toEqual([401, "invalid_client"]);
    }
    const none = await exchangeCode(client, "none");
    expect([none.status, none.error()]).toEqual([401, "invalid_client"]);
  });

  test("must use its registered authentication method", async () => {
    const others = sends === "jwt" ? (["basic", "post"] as const) : (["jwt"] as const);
    for (const other of others) {
      const response = await exchangeCode(client, other);
      expect([other, response.status, response.error()]).toEqual([other, 401, "invalid_client"]);
    }
  });

  // Proves requirement 88.
  test("must authenticate at introspection, revocation and pushed requests too", async () => {
    const anonymous = createRelyingParty({ issuer: server.url, client, authMethod: "none" });
    const responses = [
      await anonymous.introspect("token"),
      await anonymous.revoke("token"),
      await anonymous.push(anonymous.request()),
    ];
    expect(responses.map((response) => [response.status, response.error()])).toEqual(
      responses.map(() => [401, "invalid_client"]),
    );
  });
});

test.each([
  { registered: "client_secret_basic", sends: "post" },
  { registered: "client_secret_post", sends: "basic" },
] as const)("an application registered for $registered may send its secret the other way", async (row) => {
  const client = await server.clients.create({ authMethod: row.registered, firstParty: true });
  expect((await exchangeCode(client, row.sends)).status).toBe(200);
});

// Proves requirement 100.
describe("a client assertion is refused", () => {
  let client: TestClient;
  const claims = () => {
    const now = Math.floor(server.clock.now().getTime() / 1000);
    const { clientId } = client;
    return { iss: clientId, sub: clientId, aud: server.url, iat: now, exp: now + 60, jti: `${now}-${Math.random()}` };
  };
  const sign = (payload: object, secret = client.clientSecret ?? "", header: object = {}) =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg: "HS256", ...header }).sign(Buffer.from(secret));

  beforeAll(async () => {
    client = await server.clients.create({ authMethod: "client_secret_jwt", firstParty: true });
  });

  async function present(client_assertion: string) {
    return sendApiRequest(`${server.url}${ENGINE_ROUTES.token}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: "nonsense",
        redirect_uri: client.redirectUri,
        client_id: client.clientId,
        client_assertion_type: JWT_BEARER,
        client_assertion,
      }),
    });
  }

  test.each<[string, () => string | Promise<string>]>([
    ["that is not signed (alg none)", () => new UnsecuredJWT(claims()).encode()],
    ["that is signed with another secret", () => sign(claims(), "another secret of a length that would do")],
    ["that brings its own key (jwk)", () => foreignKeyToken(claims(), { withJwk: true })],
    ["that names a key of ours (kid)", () => foreignKeyToken(claims(), { kid: "current" })],
    ["that is over", () => sign({ ...claims(), exp: claims().iat - 60 })],
    ["that is for somebody else", () => sign({ ...claims(), aud: "https://else.example" })],
    ["that is another application's", () => sign({ ...claims(), iss: "app-else", sub: "app-else" })],
    ["without an end", () => sign({ ...claims(), exp: undefined })],
    ["without an id of its own", () => sign({ ...claims(), jti: undefined })],
    ["that is nonsense", () => "nonsense"],
  ])("%s", async (_name, make) => {
    const { json, status } = await present(await make());
    expect([401, 400]).toContain(status);
    // Unreadable or contradictory authentication is an invalid request.
    expect(["invalid_client", "invalid_request"]).toContain(json().error);
  });

  test("when it is replayed", async () => {
    const assertion = await sign(claims());
    // The assertion is valid; the code is not.
    expect((await present(assertion)).error()).toBe("invalid_grant");
    const again = await present(assertion);
    expect([again.status, again.error()]).toEqual([401, "invalid_client"]);
  });
});

describe("a public application", () => {
  test("is identified by its id alone and has no secret", async () => {
    const client = await server.clients.create({ public: true, firstParty: true });
    expect(client.clientSecret).toBeNull();
    expect((await exchangeCode(client, "none")).status).toBe(200);
  });

  test("is refused if it sends a secret", async () => {
    const client = await server.clients.create({ public: true, firstParty: true });
    const response = await exchangeCode({ ...client, clientSecret: "guessed" }, "basic");
    expect([response.status, response.error()]).toEqual([401, "invalid_client"]);
  });
});

describe("the token endpoint", () => {
  test("returns WWW-Authenticate for a wrong header (RFC 6749 section 5.2)", async () => {
    const client = await server.clients.create({ firstParty: true });
    const response = await exchangeCode({ ...client, clientSecret: "wrong" }, "basic");
    expect(response.headers.get("www-authenticate")).toMatch(/^Basic /);
  });

  test("accepts several spaces after Basic", async () => {
    const { clientId, clientSecret, redirectUri } = await server.clients.create({ firstParty: true });
    const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    const form = { grant_type: "authorization_code", code: "nonsense", redirect_uri: redirectUri };
    for (const scheme of ["Basic ", "Basic  ", "basic   "]) {
      const response = await sendApiRequest(`${server.url}${ENGINE_ROUTES.token}`, {
        method: "POST",
        headers: { authorization: `${scheme}${credentials}` },
        body: new URLSearchParams(form),
      });
      // The credentials are valid; the code is not.
      expect([scheme, response.error()]).toEqual([scheme, "invalid_grant"]);
    }
  });

  test("refuses two authentication methods at once", async () => {
    const client = await server.clients.create({ firstParty: true });
    const response = await exchangeCode(client, "basic", {
      client_id: client.clientId,
      client_secret: client.clientSecret ?? "",
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body).not.toContain("access_token");
  });

  test.each(["nobody", "__proto__", "", "x\0y", "x".repeat(3_000)])(
    "rejects the unknown application %j",
    async (clientId) => {
      const party = createRelyingParty({
        issuer: server.url,
        client: { clientId, clientSecret: "s", redirectUri: "" },
      });
      const response = await party.exchange("code", party.request());
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
    },
  );

  test("returns JSON to a browser too, and no page", async () => {
    const response = await sendApiRequest(`${server.url}${ENGINE_ROUTES.token}`, {
      method: "POST",
      headers: { accept: "text/html" },
    });
    expect(response.headers.get("content-type")).toMatch(/^application\/json\b/);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });
});
