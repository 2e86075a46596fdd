import { describe, expect, test } from "vitest";
import { addGroupMember } from "#app/db/repositories/group-members.server.ts";
import { updateGroup } from "#app/db/repositories/groups.server.ts";
import { type Parameters, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { obtainTokens, open, seedTokens, typePassword } from "./browser-steps.ts";

const GROUPS = "openid groups";

const server = await serverOfFile();
const { context } = server;
const home = await server.groups.create({ name: "Westend" });
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "profile", "groups", "offline"] });

/** Creates a user of the home group who is a member of further groups with these names. */
async function createMember({ further, groupName }: { further: readonly string[]; groupName?: string | null }) {
  const user = await server.users.create(groupName === null ? {} : { groupName: groupName ?? home.name });
  for (const name of further) {
    const { id: groupId } = await server.groups.create({ name });
    await addGroupMember(context.store, { userId: user.id, groupId });
  }
  return user;
}

function tokensOf(user: TestUser, parameters: Parameters): Promise<Tokens> {
  return seedTokens(server, server.browser(), party, party.request(parameters), user);
}

/** Returns the claims of the ID token and of userinfo. */
async function claimsOf({ idToken, accessToken }: Tokens) {
  const { payload } = await party.verifyIdToken(idToken);
  return { idToken: payload, userinfo: (await party.userinfo(accessToken)).json() };
}

describe("the scope groups", () => {
  test("adds the names to ID token and userinfo: the home group first, then the others by name", async () => {
    const names = ["Zebra", "Accounting", "Übung", "b, c", "a,b;c", "営業部 🏢", "apple"];
    const { idToken, userinfo } = await claimsOf(
      await tokensOf(await createMember({ further: names }), { scope: GROUPS }),
    );
    expect(userinfo["groups"]).toEqual([
      ...["Westend", "Accounting", "Zebra", "a,b;c", "apple", "b, c", "Übung", "営業部 🏢"],
    ]);
    expect(idToken["groups"]).toEqual(userinfo["groups"]);
  });

  test("adds no other claims to the ID token", async () => {
    const anna = await createMember({ further: [] });
    const { idToken, userinfo } = await claimsOf(await tokensOf(anna, { scope: `${GROUPS} profile` }));
    expect(Object.keys(idToken).sort()).toEqual(
      ["acr", "amr", "aud", "auth_time", "exp", "groups", "iat", "iss", "nonce", "sub"].sort(),
    );
    expect(userinfo).toMatchObject({ preferred_username: anna.username, groups: ["Westend"] });
  });

  test("names a group once of which the user is a further member too", async () => {
    const anna = await createMember({ further: [] });
    await addGroupMember(context.store, { userId: anna.id, groupId: home.id });
    const { idToken } = await claimsOf(await tokensOf(anna, { scope: GROUPS }));
    expect(idToken["groups"]).toEqual(["Westend"]);
  });

  test("returns an empty list for a user without group", async () => {
    const { idToken, userinfo } = await claimsOf(
      await tokensOf(await createMember({ further: [], groupName: null }), { scope: GROUPS }),
    );
    expect([idToken["groups"], userinfo["groups"]]).toEqual([[], []]);
  });

  test("returns the further groups of a user without home group", async () => {
    const anna = await createMember({ further: ["Second floor", "First floor"], groupName: null });
    expect((await claimsOf(await tokensOf(anna, { scope: GROUPS }))).idToken["groups"]).toEqual([
      ...["First floor", "Second floor"],
    ]);
  });

  test("follows a renamed group: userinfo at once, the ID token with the next refresh", async () => {
    const anna = await createMember({ further: [] });
    const group = await server.groups.create({ name: "Claims North" });
    await addGroupMember(context.store, { userId: anna.id, groupId: group.id });
    const tokens = await tokensOf(anna, { scope: `${GROUPS} offline` });
    expect((await claimsOf(tokens)).idToken["groups"]).toEqual(["Westend", "Claims North"]);
    await updateGroup(context.store, group.id, { name: "Alster" });
    expect((await party.userinfo(tokens.accessToken)).json()["groups"]).toEqual(["Westend", "Alster"]);
    const refreshed = await claimsOf(readTokens(await party.refresh(tokens.refreshToken)));
    expect(refreshed.idToken["groups"]).toEqual(["Westend", "Alster"]);
  });

  test("returns no groups after a refresh with fewer scopes", async () => {
    const tokens = await tokensOf(await createMember({ further: [] }), { scope: `${GROUPS} offline` });
    const refreshed = await claimsOf(readTokens(await party.refresh(tokens.refreshToken, { scope: "openid offline" })));
    expect(refreshed.idToken).not.toHaveProperty("groups");
    expect(refreshed.userinfo).not.toHaveProperty("groups");
  });

  test("is shown on the consent page of other applications", async () => {
    const other = await server.parties.create({ scopes: ["openid", "groups"] });
    const browser = server.browser("de");
    const form = await open(browser, other.request({ scope: GROUPS }).url);
    const page = await typePassword(browser, form, await createMember({ further: [] }));
    expect(page.page().one("main").text).toContain("Sehen, zu welchen Gruppen Sie gehören");
  });
});

describe("without the scope groups, no groups are released", () => {
  test("in ID token and userinfo", async () => {
    const { idToken, userinfo } = await claimsOf(
      await tokensOf(await createMember({ further: [] }), { scope: "openid profile" }),
    );
    expect(idToken).not.toHaveProperty("groups");
    expect(userinfo).not.toHaveProperty("groups");
  });

  test("to an application that is not registered for it: the request is refused", async () => {
    const modest = await server.parties.create({ firstParty: true, scopes: ["openid"] });
    const browser = server.browser();
    const form = await open(browser, modest.request({ scope: GROUPS }).url);
    const page = await typePassword(browser, form, await createMember({ further: [] }));
    expect(page.page().state()).toMatchObject({ error: "invalid-scope-requested" });
  });

  // Proves requirement 90.
  test("to one that is not registered for it and requests the claim", async () => {
    const modest = await server.parties.create({ firstParty: true, scopes: ["openid"] });
    const claims = JSON.stringify({ id_token: { groups: null }, userinfo: { groups: null } });
    const user = await createMember({ further: [] });
    const tokens = await obtainTokens(server.browser(), modest, modest.request({ claims }), user);
    expect((await modest.verifyIdToken(tokens.idToken)).payload).not.toHaveProperty("groups");
    expect((await modest.userinfo(tokens.accessToken)).json()).toEqual({ sub: user.id });
  });
});

test.each([
  { claims: { id_token: { groups: null } }, inIdToken: ["Westend"], inUserinfo: undefined },
  { claims: { userinfo: { groups: null } }, inIdToken: undefined, inUserinfo: ["Westend"] },
])("the claims parameter adds groups where it requests them: %j", async ({ claims, inIdToken, inUserinfo }) => {
  const user = await createMember({ further: [] });
  const request = party.request({ scope: "openid", claims: JSON.stringify(claims) });
  const { idToken, userinfo } = await claimsOf(await obtainTokens(server.browser(), party, request, user));
  expect(idToken["groups"]).toEqual(inIdToken);
  expect(userinfo["groups"]).toEqual(inUserinfo);
});

describe("100 groups", () => {
  test.each([
    { kind: "names of 20 characters", name: "Abteilung Nord ", maxBytes: 4096 },
    { kind: "the longest names", name: "営".repeat(95), maxBytes: 40 * 1024 },
  ])("with $kind make an ID token with which the user can sign out", async ({ name, maxBytes }) => {
    const names = Array.from({ length: 99 }, (_, index) => name + String(index + 1).padStart(5, "0"));
    const browser = server.browser();
    const anna = await createMember({ further: names });
    const tokens = await seedTokens(server, browser, party, party.request({ scope: GROUPS }), anna);
    expect((await claimsOf(tokens)).idToken["groups"]).toEqual(["Westend", ...names]);
    expect(tokens.idToken.length).toBeLessThan(maxBytes);
    const response = await open(browser, party.logoutUrl({ id_token_hint: tokens.idToken }));
    expect(response.page().state()).toMatchObject({ status: "accepted" });
  });
});
