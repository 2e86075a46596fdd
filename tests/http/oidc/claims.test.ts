import { describe, expect, test } from "vitest";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import type { Parameters } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { obtainTokens, open, signIn, typePassword } from "./browser-steps.ts";
import { redirectParameters } from "./responses.ts";

const ALL_SCOPES = SCOPES.map(({ id }) => id);

const server = await serverOfFile();
const { name: groupName } = await server.groups.create({ name: "North" });
const anna = await server.users.create({
  username: "Anna.Berg",
  displayName: "Anna Berg",
  email: "anna@office.example",
  phone: "+49 30 1234",
  groupName,
  permissions: ["orders:write", "claims:read"],
  locale: "de",
});
const address = { street_address: "Hauptstr. 1", locality: "Berlin", postal_code: "10115", country: "DE" };
const picture = "https://office.example/anna.png";
const names = { givenName: "Anna", familyName: "Berg" };
const profile = { ...names, address, picture, emailVerified: true };
await updateUserProfile(server.context.store, anna.id, profile, server.clock.now());
const party = await server.parties.create({ scopes: ALL_SCOPES, firstParty: true });

/** Returns the userinfo response after a request with these parameters. */
async function userinfo(parameters: Parameters) {
  const { accessToken } = await obtainTokens(server.browser(), party, party.request(parameters), anna);
  return (await party.userinfo(accessToken)).json();
}

describe("userinfo returns, besides the subject,", () => {
  test.each([
    { scope: "openid", claims: {} },
    {
      scope: "openid profile",
      claims: {
        name: "Anna Berg",
        given_name: "Anna",
        family_name: "Berg",
        preferred_username: "Anna.Berg",
        picture: "https://office.example/anna.png",
        locale: "de",
        updated_at: expect.any(Number),
      },
    },
    { scope: "openid email", claims: { email: "anna@office.example", email_verified: true } },
    { scope: "openid phone", claims: { phone_number: "+49 30 1234", phone_number_verified: false } },
    {
      scope: "openid address",
      claims: {
        address: { street_address: "Hauptstr. 1", locality: "Berlin", postal_code: "10115", country: "DE" },
      },
    },
    { scope: "openid permissions", claims: { permissions: ["orders:write", "claims:read"] } },
    { scope: "openid offline orders claims tasks", claims: {} },
  ])("the claims of the scope: $scope", async ({ scope, claims }) => {
    expect(await userinfo({ scope })).toEqual({ sub: anna.id, ...claims });
  });

  test("the user's id and group for the scope: openid id", async () => {
    expect(await userinfo({ scope: "openid id" })).toEqual({ sub: anna.id, user_id: anna.id, group: "North" });
  });

  test("all claims for all scopes", async () => {
    const claims = await userinfo({ scope: ALL_SCOPES.join(" ") });
    const promised = SCOPES.filter(({ id }) => id !== "openid").flatMap(({ claims }) => claims);
    expect(Object.keys(claims).sort()).toEqual(["sub", ...promised].sort());
  });
});

test("omits unknown values instead of sending empty ones", async () => {
  const bernd = await server.users.create({ displayName: "Bernd Vogel", email: null });
  const request = party.request({ scope: ALL_SCOPES.join(" ") });
  const { accessToken } = await obtainTokens(server.browser(), party, request, bernd);
  const claims = (await party.userinfo(accessToken)).json();
  expect(Object.values(claims)).not.toContain(null);
  // The sign-in has stored the language of its page.
  expect(Object.keys(claims).sort()).toEqual(
    ["groups", "locale", "name", "permissions", "preferred_username", "sub", "updated_at", "user_id"].sort(),
  );
});

test("an ID token contains no personal claims unless requested: userinfo returns them", async () => {
  const request = party.request({ scope: "openid profile email phone" });
  const { payload } = await party.verifyIdToken((await obtainTokens(server.browser(), party, request, anna)).idToken);
  expect(Object.keys(payload).sort()).toEqual(
    ["acr", "amr", "aud", "auth_time", "exp", "iat", "iss", "nonce", "sub"].sort(),
  );
});

describe("the claims parameter", () => {
  test("adds single claims to the ID token and to userinfo", async () => {
    const claims = JSON.stringify({ id_token: { email: null }, userinfo: { name: { essential: true } } });
    const tokens = await obtainTokens(server.browser(), party, party.request({ claims }), anna);
    const { payload } = await party.verifyIdToken(tokens.idToken);
    expect(payload).toMatchObject({ email: "anna@office.example" });
    expect(payload).not.toHaveProperty("name");
    expect((await party.userinfo(tokens.accessToken)).json()).toEqual({ sub: anna.id, name: "Anna Berg" });
  });

  test("adds the group to userinfo without the scope", async () => {
    const claims = JSON.stringify({ userinfo: { group: null } });
    expect(await userinfo({ claims })).toEqual({ sub: anna.id, group: "North" });
  });

  test("returns nothing for an unknown claim", async () => {
    const claims = JSON.stringify({ userinfo: { shoe_size: { essential: true }, password_hash: null } });
    expect(await userinfo({ claims })).toEqual({ sub: anna.id });
  });

  // Proves requirement 90.
  test("returns no claims of scopes that the application may not have", async () => {
    const modest = await server.parties.create({ scopes: ["openid", "profile"], firstParty: true });
    const claims = JSON.stringify({ userinfo: { permissions: null, name: null }, id_token: { email: null } });
    const end = redirectParameters(await signIn(server.browser(), modest.request({ claims }), anna));
    // The request may be refused, or granted without these claims.
    const request = modest.request({ claims });
    const tokens = end.code ? await obtainTokens(server.browser(), modest, request, anna) : null;
    const userinfo = tokens ? (await modest.userinfo(tokens.accessToken)).json() : {};
    const idToken = tokens ? (await modest.verifyIdToken(tokens.idToken)).payload : {};
    expect(userinfo).not.toHaveProperty("permissions");
    expect(idToken).not.toHaveProperty("email");
  });

  test("is refused if it is not a JSON object", async () => {
    for (const claims of ["{", "[]", '"name"', "{}", '{"userinfo":[]}']) {
      const response = await open(server.browser(), party.request({ claims }).url);
      expect(redirectParameters(response)).toMatchObject({ error: "invalid_request", iss: server.url });
    }
  });

  test("is granted to a third-party application only with consent, which shows the scopes of the claims", async () => {
    const other = await server.parties.create();
    const claims = JSON.stringify({ userinfo: { email: null } });
    const browser = server.browser();
    const form = await open(browser, other.request({ claims }).url);
    const question = await typePassword(browser, form, anna);
    expect(question.page().state()).toMatchObject({ scopes: [{ id: "openid" }, { id: "email" }] });
  });

  test("for a specific subject leads to login_required when another user signs in", async () => {
    const claims = JSON.stringify({ id_token: { sub: { value: anna.id } } });
    const bernd = await server.users.create();
    const right = await signIn(server.browser(), party.request({ claims }), anna);
    expect(redirectParameters(right)).toHaveProperty("code");
    const wrong = await signIn(server.browser(), party.request({ claims }), bernd);
    expect(redirectParameters(wrong)).toMatchObject({ error: "login_required", iss: server.url });
  });
});

describe("acr", () => {
  test("is the reached one if the application requested a higher one voluntarily", async () => {
    const browser = server.browser();
    await signIn(browser, party.request(), anna);
    const request = party.request({ acr_values: "urn:gatehouse:acr:mfa", prompt: "none" });
    const { idToken } = await obtainTokens(browser, party, request, anna);
    const { payload } = await party.verifyIdToken(idToken);
    expect(payload).toMatchObject({ acr: "urn:gatehouse:acr:password", amr: ["pwd"] });
  });

  const two = "urn:gatehouse:acr:mfa";
  const essential = (wanted: object) => JSON.stringify({ id_token: { acr: { essential: true, ...wanted } } });

  test.each<Record<string, string>>([
    { acr_values: two },
    { claims: essential({ value: two }) },
    { claims: essential({ values: [two, "urn:else"] }) },
  ])("of two factors is required at sign-in and of signed-in users: %j", async (wanted) => {
    const browser = server.browser();
    expect(new URL((await signIn(browser, party.request(wanted), anna)).url).pathname).toBe("/mfa/verify");
    await signIn(browser, party.request(), anna);
    expect(new URL((await signIn(browser, party.request(wanted), anna)).url).pathname).toBe("/mfa/verify");
  });

  test.each([{ value: "urn:else" }, { values: ["urn:else", "urn:else:2"] }])(
    "that is essential and cannot be reached is an error for the application: %j",
    async (wanted) => {
      const claims = JSON.stringify({ id_token: { acr: { essential: true, ...wanted } } });
      const request = party.request({ claims });
      const response = await signIn(server.browser(), request, anna);
      expect(redirectParameters(response)).toMatchObject({
        error: "unmet_authentication_requirements",
        state: request.state,
        iss: server.url,
      });
    },
  );

  test("that is essential and reached is accepted", async () => {
    const values = ["urn:gatehouse:acr:mfa", "urn:gatehouse:acr:password"];
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values } } });
    expect(redirectParameters(await signIn(server.browser(), party.request({ claims }), anna))).toHaveProperty("code");
  });
});
