import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

describe("no tokens are issued", () => {
  // Proves requirement 84.
  test("for a user name and a password (grant password)", async () => {
    const { username, password } = anna;
    const response = await party.post(ENGINE_ROUTES.token, { grant_type: "password", username, password });
    expect([response.status, response.error()]).toEqual([400, "unsupported_grant_type"]);
  });

  test.each([
    "implicit",
    "client_credentials",
    "urn:ietf:params:oauth:grant-type:device_code",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "urn:openid:params:grant-type:ciba",
    "nonsense",
    "__proto__",
  ])("by the grant %s", async (grant_type) => {
    const response = await party.post(ENGINE_ROUTES.token, { grant_type, scope: "openid" });
    expect(response.status).toBe(400);
    expect(["unsupported_grant_type", "invalid_request"]).toContain(response.error());
  });

  test("without a grant type, or with two", async () => {
    for (const grant_type of [undefined, ["authorization_code", "refresh_token"]]) {
      const response = await party.post(ENGINE_ROUTES.token, { grant_type, code: "x" });
      expect([response.status, response.error()]).toEqual([400, "invalid_request"]);
    }
  });

  test("by a GET", async () => {
    const response = await sendApiRequest(`${server.url}${ENGINE_ROUTES.token}?grant_type=authorization_code&code=x`);
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test("with a body that is not a form", async () => {
    const response = await sendApiRequest(`${server.url}${ENGINE_ROUTES.token}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ grant_type: "authorization_code", code: "x", client_id: party.clientId }),
    });
    expect([response.status, response.error()]).toEqual([400, "invalid_request"]);
  });
});
