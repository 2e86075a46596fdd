import { beforeEach, describe, expect, test, vi } from "vitest";
import { setClient } from "#app/domain/client/set.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { showUser } from "#app/domain/user/show.server.ts";
import { obtainTokens } from "#tests/http/oidc/browser-steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { type ApiResponse, sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile, TEST_PASSWORD } from "#tests/support/server.ts";
import {
  basicAuth,
  createRegistrar,
  newAccount,
  openSignIn,
  postJson,
  pressCreate,
  REGISTRATION_URL,
  startAndRedeem,
  startRegistration,
  tokenOf,
} from "./steps.ts";

let browser: Browser;

const server = await serverOfFile();
const [party, stranger] = [await createRegistrar(server), await createRegistrar(server)];

beforeEach(() => {
  browser = server.browser();
});

const NOT_FOUND = [400, "registration not found"];

const outcome = (response: { status: number; error(): string | null }) => [response.status, response.error()];

describe("a registration_token", () => {
  test("dies with a newer one of the same request, and so does what came of it", async () => {
    const page = await openSignIn(browser, party);
    const first = tokenOf(await pressCreate(browser, page));
    const second = tokenOf(await pressCreate(browser, page));
    expect(outcome(await party.redeem(first))).toEqual(NOT_FOUND);
    const id = String((await party.redeem(second)).json().registration_id);
    await pressCreate(browser, page);
    expect(outcome(await party.complete(id))).toEqual(NOT_FOUND);
  });

  test("is in no log line, and in the database as a hash", async () => {
    const token = await startRegistration(browser, party);
    const { t, q } = server.context.store;
    expect(JSON.stringify(server.lines())).not.toContain(token);
    expect(JSON.stringify(await q.select().from(t.oneTimeTokens))).not.toContain(token);
  });

  test.each(["", "x", "a".repeat(43), "a".repeat(201)])("is nothing else: %j", async (token) => {
    expect((await party.redeem(token)).status).toBe(400);
  });
});

describe("a registration_id", () => {
  test("is refused for another application, and is not a registration_token", async () => {
    const id = await startAndRedeem(browser, party);
    expect(outcome(await stranger.complete(id))).toEqual(NOT_FOUND);
    expect(outcome(await party.redeem(id))).toEqual(NOT_FOUND);
    const token = await startRegistration(server.browser(), party);
    expect(outcome(await party.complete(token))).toEqual(NOT_FOUND);
    expect((await party.complete(id)).status).toBe(200);
  });

  test("is refused, like the token, once an administrator ended the registrations of the application", async () => {
    const closing = await createRegistrar(server);
    const id = await startAndRedeem(browser, closing);
    const token = await startRegistration(server.browser(), closing);
    await setClient(server.context, closing.clientId, { registrationUrl: null, regHints: [] });
    expect(outcome(await closing.complete(id))).toEqual(NOT_FOUND);
    expect(outcome(await closing.redeem(token))).toEqual(NOT_FOUND);
    await setClient(server.context, closing.clientId, { registrationUrl: REGISTRATION_URL });
    expect((await closing.complete(id)).status).toBe(200);
  });

  test("still works after the user name was refused as taken, in any spelling", async () => {
    const anna = await server.users.create();
    const id = await startAndRedeem(browser, party);
    const username = anna.username.toUpperCase();
    expect(outcome(await party.complete(id, { username }))).toEqual([409, "username not available"]);
    expect((await party.complete(id)).status).toBe(200);
  });

  test.each([
    ["username is empty", { username: " " }],
    ["username is invalid", { username: "eva brandt" }],
    ["user is invalid", { email: "eva" }],
    ["user is invalid", { display_name: "" }],
    ["bad request", { email: null }],
    ["bad request", { username: 7 }],
  ])("stays good after %s: %j", async (code, account) => {
    const id = await startAndRedeem(browser, party);
    expect(outcome(await party.complete(id, account))).toEqual([400, code]);
    expect((await party.complete(id)).status).toBe(200);
  });

  test.each([
    [["email"], { email: "eva" }],
    [["email"], { email: "eva@müller/x.example" }],
    [["display_name", "email"], { display_name: " ", email: "eva@" }],
    [["picture", "address"], { picture: "http://pictures.example/eva.png", address: { town: "Kiel", locality: "" } }],
  ])("names the invalid fields %j", async (fields, account) => {
    const id = await startAndRedeem(browser, party);
    const refused = await party.complete(id, account);
    expect([refused.status, refused.json()]).toEqual([400, { error: "user is invalid", fields }]);
  });

  test.each([
    ["eva@müller-makler.example", "eva@xn--mller-makler-dlb.example"],
    ["Jörg&Eva@office.example", "Jörg&Eva@office.example"],
  ])("makes an account with the address %s, and mails the invitation to %s", async (email, recipient) => {
    const completed = await party.complete(await startAndRedeem(browser, party), { email });
    expect(completed.status).toBe(200);
    const recipients = async () => (await server.mails()).map(({ to }) => to);
    await vi.waitFor(async () => expect(await recipients()).toContain(recipient), { timeout: 10_000, interval: 20 });
  });

  test("may contain a picture and an address, which userinfo returns", async () => {
    const account = newAccount();
    const address = { street_address: "Hafenstr. 1", locality: "Kiel", postal_code: "24103", country: "DE" };
    const picture = "https://pictures.example/eva.png";
    const id = await startAndRedeem(browser, party);
    const completed = await party.complete(id, { ...account, picture, address });
    expect(completed.status).toBe(200);
    await setUserPassword(server.context, account.username, TEST_PASSWORD);
    const reader = await server.parties.create({ firstParty: true, scopes: ["openid", "profile", "address"] });
    const request = reader.request({ scope: "openid profile address" });
    const { username, display_name: displayName } = account;
    const eva = { id: String(completed.json().user_id), username, displayName, password: TEST_PASSWORD };
    const { accessToken } = await obtainTokens(server.browser(), reader, request, eva);
    expect((await reader.userinfo(accessToken)).json()).toMatchObject({ picture, address });
  });

  test.each([
    ["user is invalid", { picture: "http://pictures.example/eva.png" }],
    ["user is invalid", { picture: `https://pictures.example/${"a".repeat(2_048)}` }],
    ["user is invalid", { address: { town: "Kiel" } }],
    ["user is invalid", { address: {} }],
    ["bad request", { picture: 7 }],
    ["bad request", { address: "Kiel" }],
    ["bad request", { address: { locality: 7 } }],
  ])("makes no account with a wrong picture or address, and stays good: %s, %j", async (code, account) => {
    const id = await startAndRedeem(browser, party);
    expect(outcome(await party.complete(id, account))).toEqual([400, code]);
    expect((await party.complete(id, { picture: null, address: null })).status).toBe(200);
  });

  test("may contain a given and a family name, or neither", async () => {
    const { username } = newAccount();
    const names = { given_name: " Eva ", family_name: "Brandt" };
    const completed = await party.complete(await startAndRedeem(browser, party), { username, ...names });
    expect(completed.status).toBe(200);
    expect(await showUser(server.context, username)).toMatchObject({ givenName: "Eva", familyName: "Brandt" });
    const other = newAccount().username;
    const id = await startAndRedeem(server.browser(), party);
    const refused = await party.complete(id, { username: other, given_name: "", family_name: "x".repeat(101) });
    expect(refused.json()).toEqual({ error: "user is invalid", fields: ["given_name", "family_name"] });
    expect((await party.complete(id, { username: other, given_name: null })).status).toBe(200);
    expect(await showUser(server.context, other)).toMatchObject({ givenName: null, familyName: null });
  });

  test("makes the user a member of the default groups, and of no group that the application names", async () => {
    const staff = await server.groups.create({ isDefault: true });
    const secret = await server.groups.create();
    const registrar = await createRegistrar(server, { regHints: ["group", "groups", "email"] });
    const hints = { "reg_hints[group]": secret.name, "reg_hints[groups]": secret.name };
    const token = await startRegistration(browser, registrar, hints);
    const redeemed = await registrar.redeem(token);
    expect(redeemed.json().hints).toEqual({ group: secret.name, groups: secret.name });
    const { username } = newAccount();
    const members = Object.fromEntries(
      ["group", "groups", "group_name", "groupName", "group_id", "further_groups", "furtherGroups", "add_groups"].map(
        (name) => [name, /s$/i.test(name) ? [secret.name] : secret.name],
      ),
    );
    const more = { permissions: ["admin"], account: members, is_default: true };
    const id = String(redeemed.json().registration_id);
    expect(outcome(await registrar.complete(id, { username, ...members, ...more }))).toEqual([200, null]);
    const created = await showUser(server.context, username);
    expect(created).toMatchObject({ group: null, furtherGroups: [staff.name], permissions: [] });
    await setGroup(server.context, staff.name, { isDefault: false });
  });

  test("cannot be used to enumerate user names", async () => {
    const anna = await server.users.create();
    const id = await startAndRedeem(browser, party);
    const tries: ApiResponse[] = [];
    for (let count = 0; count < 21; count += 1) tries.push(await party.complete(id, { username: anna.username }));
    expect(tries.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 409), 429]);
    expect(tries.at(-1)?.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe("both calls", () => {
  const names = ["redeem", "complete"];

  test.each(names)("%s wants the application's proof: without one or with a wrong one 401", async (name) => {
    const token = await startRegistration(browser, party);
    const { clientId } = party;
    const open = await server.clients.create({ public: true });
    for (const headers of [
      {},
      { authorization: "Basic" },
      { authorization: "Basic %%%" },
      { authorization: `Bearer ${token}` },
      { authorization: basicAuth(clientId, "wrong") },
      { authorization: basicAuth(clientId, "") },
      { authorization: basicAuth("nobody", "wrong") },
      { authorization: basicAuth(open.clientId, "") },
      { authorization: basicAuth(open.clientId, "wrong") },
      { authorization: basicAuth("%00", "%00") },
    ]) {
      const response = await postJson(server, name, JSON.stringify({ registration_token: token }), headers);
      expect([outcome(response), response.headers.get("www-authenticate")]).toEqual([
        [401, "unauthorized"],
        expect.stringMatching(/^Basic /),
      ]);
    }
    const posted = { registration_token: token, client_id: clientId, client_secret: "wrong" };
    expect(outcome(await postJson(server, name, JSON.stringify(posted)))).toEqual([401, "unauthorized"]);
    expect((await party.redeem(token)).status).toBe(200);
  });

  test("accept the secret in the body as well, but not in two places", async () => {
    const client = await server.clients.create({
      authMethod: "client_secret_post",
      registrationUrl: "http://localhost:9/",
    });
    const poster = await createRegistrar(server, { authMethod: "client_secret_post" });
    const members = { client_id: client.clientId, client_secret: client.clientSecret };
    const token = await startRegistration(browser, poster);
    expect(outcome(await poster.redeem(token, { members }))).toEqual(NOT_FOUND);
    const headers = { authorization: basicAuth(client.clientId, client.clientSecret ?? "") };
    expect((await poster.redeem(token, { members, headers })).status).toBe(401);
    expect((await poster.redeem(token)).status).toBe(200);
  });

  test.each(names)("%s accepts several spaces after Basic", async (name) => {
    const client = await server.clients.create();
    const authorization = basicAuth(client.clientId, client.clientSecret ?? "").replace(" ", "   ");
    expect(outcome(await postJson(server, name, "{}", { authorization }))).toEqual([400, "bad request"]);
  });

  test.each(names)("%s accepts JSON only, by POST only", async (name) => {
    const url = `${server.url}/api/v1/rpc/registration/${name}`;
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
      expect((await postJson(server, name, "{}", { "content-type": type })).status).toBe(415);
    }
    expect((await sendApiRequest(url)).status).toBe(405);
    expect((await sendApiRequest(url, { method: "PUT", body: "{}" })).status).toBe(405);
  });

  test.each(names)("%s refuses a body that is not valid for it, after the authentication", async (name) => {
    const client = await server.clients.create();
    const headers = { authorization: basicAuth(client.clientId, client.clientSecret ?? "") };
    for (const body of ["", "{", "[]", "null", "{}", '{"registration_token":7,"registration_id":7}']) {
      expect(outcome(await postJson(server, name, body, headers))).toEqual([400, "bad request"]);
      expect((await postJson(server, name, body)).status).toBe(401);
    }
  });

  test("are not for another site's page", async () => {
    const response = await postJson(server, "redeem", "{}", { origin: "https://evil.example" });
    expect(response.status).toBe(403);
  });
});

test("an account that is requested twice at once is created once", async () => {
  const account = newAccount();
  const ids = [await startAndRedeem(browser, party), await startAndRedeem(server.browser(), party)];
  const responses = await Promise.all(ids.map((id) => party.complete(id, account)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
});
