import { describe, expect, test } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { addGroupMember } from "#app/db/repositories/group-members.server.ts";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { CONSENT_DAYS } from "#app/domain/consent/remembered.server.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { previewSignIn, type SignInPreview } from "#app/oidc/preview-sign-in.server.ts";
import { addProviderUser, connect, providersOfFile } from "#tests/http/external/providers.ts";
import { signInAt } from "#tests/http/external/steps.ts";
import { finish, type OpenStep, readStep } from "#tests/http/second-factor/steps.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp, testApp } from "#tests/support/factors.ts";
import type { Parameters, RelyingParty } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { allow, open, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm } from "./responses.ts";

const { server, upstream } = await providersOfFile();
const { context } = server;

function preview(party: RelyingParty, { username }: Pick<TestUser, "username">, scopes?: string[]) {
  return previewSignIn(context, { clientId: party.clientId, username, scopes });
}

/** Signs in with the password, and returns the next page. */
async function submitPassword(party: RelyingParty, user: TestUser, parameters: Parameters = {}) {
  const browser = server.browser();
  const request = party.request(parameters);
  return { browser, request, page: await typePassword(browser, await open(browser, request.url), user) };
}

type Members = Record<string, unknown>;

/** Signs in as the application would, with the second step if one is shown. Returns what the endpoints respond. */
async function issue(
  party: RelyingParty,
  user: TestUser,
  { parameters = {}, second }: { parameters?: Parameters; second?: (step: OpenStep) => Promise<HttpResponse> } = {},
) {
  const { browser, request, page } = await submitPassword(party, user, parameters);
  const proven = second ? await second(readStep(browser, page)) : page;
  const end = hasForm(proven, "/consent/accept") ? await allow(browser, proven) : proven;
  return respond(party, await party.exchange(codeOf(end), request));
}

async function respond(party: RelyingParty, response: Awaited<ReturnType<RelyingParty["exchange"]>>) {
  const tokens = response.json();
  const accessToken = String(tokens["access_token"]);
  const idToken = tokens["id_token"];
  const userinfo = await party.userinfo(accessToken);
  return {
    idToken: typeof idToken === "string" ? (await party.verifyIdToken(idToken)).payload : null,
    userinfo: userinfo.status === 200 ? userinfo.json() : null,
    accessToken: (await party.introspect(accessToken)).json(),
    hasRefreshToken: "refresh_token" in tokens,
  };
}

const PLACEHOLDER = /^<.+>$/;

/** Expects the same members, with the same values where the preview has no placeholder. */
function expectSameMembers(previewed: Members | null | undefined, actual: Members | null): void {
  expect(Object.keys(previewed ?? {}).sort()).toEqual(Object.keys(actual ?? {}).sort());
  if (!previewed || !actual) return;
  const isPlaceholder = (name: string) => PLACEHOLDER.test(String(previewed[name]));
  const placeholders = Object.keys(previewed).filter(isPlaceholder);
  const known = Object.keys(previewed).filter((name) => !isPlaceholder(name));
  const pick = (members: Members) => withSortedScope(Object.fromEntries(known.map((name) => [name, members[name]])));
  expect(pick(previewed)).toEqual(pick(actual));
  const issued = ["auth_time", "exp", "iat", "nonce", "sid"];
  expect(placeholders.filter((name) => !issued.includes(name))).toEqual([]);
  if (!("exp" in previewed)) return;
  expect(previewed["exp"]).toBe(`<iat + ${Number(actual["exp"]) - Number(actual["iat"])} s>`);
}

function withSortedScope({ scope, ...rest }: Members): Members {
  return scope === undefined ? rest : { ...rest, scope: String(scope).split(" ").sort() };
}

function expectSame({ refusals, issued }: SignInPreview, actual: Awaited<ReturnType<typeof respond>>): void {
  expect(refusals).toEqual([]);
  expectSameMembers(issued?.idToken, actual.idToken);
  expectSameMembers(issued?.userinfo, actual.userinfo);
  expectSameMembers(issued?.accessToken, actual.accessToken);
  expect(issued?.hasRefreshToken).toBe(actual.hasRefreshToken);
}

/** Creates a user with a value for each claim. */
async function createFullUser(): Promise<TestUser> {
  const { name: groupName } = await server.groups.create({ name: `Büro ${crypto.randomUUID()}` });
  const { id: groupId } = await server.groups.create({ name: `a,b; "c" ${crypto.randomUUID()}` });
  const user = await server.users.create({ groupName, phone: "+49 30 1234", permissions: ["orders:write"] });
  await addGroupMember(context.store, { userId: user.id, groupId });
  const address = { street_address: "Hauptstr. 1", locality: "Berlin" };
  const names = { givenName: "Änne", familyName: "Groß" };
  const picture = "https://office.example/anna.png";
  await updateUserProfile(context.store, user.id, { ...names, address, picture, locale: "de" }, server.clock.now());
  return user;
}

const ALL_SCOPES = SCOPES.map(({ id }) => id).filter((id) => id !== "offline_access");

const clients: (Partial<NewClientInput> & { kind: string })[] = [
  { kind: "a first-party client with all scopes", firstParty: true, scopes: ALL_SCOPES },
  {
    kind: "a client that asks for consent and gets logout tokens",
    scopes: ["openid", "email", "groups"],
    backchannelLogoutUri: "http://localhost:9/bye",
  },
  { kind: "a public client", public: true, idTokenAlg: "ES256", scopes: ["openid", "offline", "id"] },
  { kind: "a native client", public: true, redirectUris: ["com.example.app:/callback"], scopes: ["openid", "profile"] },
  { kind: "a client without openid", firstParty: true, scopes: ["profile", "orders"] },
  { kind: "a resource server that signs users in", mayIntrospect: true, firstParty: true, scopes: ["openid"] },
];

describe("the preview equals what the endpoints return", () => {
  test.each(clients)("to $kind", async ({ kind: _kind, ...input }) => {
    const party = await server.parties.create(input);
    const scope = (input.scopes ?? []).join(" ");
    for (const user of [await createFullUser(), await server.users.create({ email: null })]) {
      const actual = await issue(party, user, {
        parameters: scope.includes("openid") ? { scope } : { scope, nonce: undefined },
      });
      expectSame(await preview(party, user), actual);
    }
  });

  test("for some of the scopes", async () => {
    const party = await server.parties.create({ firstParty: true, scopes: ALL_SCOPES });
    const user = await createFullUser();
    const actual = await issue(party, user, { parameters: { scope: "openid groups" } });
    expectSame(await preview(party, user, ["openid", "groups"]), actual);
    expect(actual.idToken).toHaveProperty("groups");
  });

  test("for offline_access with prompt=consent", async () => {
    const scope = "openid offline_access";
    const party = await server.parties.create({ firstParty: true, scopes: scope.split(" ") });
    const user = await server.users.create();
    const actual = await issue(party, user, { parameters: { scope, prompt: "consent" } });
    const previewed = await preview(party, user);
    expectSame(previewed, actual);
    expect(previewed.consent).toEqual({ kind: "asked", because: "each-time" });
  });

  test("for a user with an authenticator app", async () => {
    const party = await server.parties.create({ firstParty: true });
    const user = await server.users.create();
    const app = await giveTotp(server, user);
    const second = async (step: OpenStep) =>
      finish(step, await step.call("/mfa/verify-totp", { code: await app.code() }));
    const actual = await issue(party, user, { parameters: { scope: "openid profile email" }, second });
    const previewed = await preview(party, user);
    expectSame(previewed, actual);
    expect(actual.idToken).toMatchObject({ amr: ["pwd", "otp", "mfa"] });
    expect(previewed.secondFactor).toEqual({ isSetUp: true, requiredBy: [{ rule: "own" }] });
  });

  test("for a user who has to set up an authenticator app", async () => {
    const party = await server.parties.create({ firstParty: true, scopes: ["openid"] });
    await updateClient(context.store, party.clientId, { requireMfa: true }, server.clock.now());
    const user = await server.users.create();
    const previewed = await preview(party, user);
    const second = async (step: OpenStep) => {
      const { secret } = Object((await step.call("/mfa/init-totp")).json());
      const code = await testApp(server.clock, String(secret)).code();
      return finish(step, await step.call("/mfa/setup-totp", { code }));
    };
    expectSame(previewed, await issue(party, user, { parameters: { scope: "openid" }, second }));
    expect(previewed.secondFactor).toEqual({ isSetUp: false, requiredBy: [{ rule: "application" }] });
  });

  test("for a user without password, who signs in with a provider", async () => {
    const party = await server.parties.create({ firstParty: true, scopes: ["openid", "email"] });
    const { id, username } = await addUser(context, { username: "eva.brandt", displayName: "Eva Brandt" });
    const eva = addProviderUser(upstream.google);
    await connect(server, upstream.google, eva, id);
    const request = party.request({ scope: "openid email" });
    const end = await signInAt(server.browser(), request.url, upstream.google, eva.sub);
    const actual = await respond(party, await party.exchange(codeOf(end), request));
    expectSame(await preview(party, { username }), actual);
    expect(actual.idToken).toMatchObject({ amr: ["fed"] });
  });
});

describe("the preview states why a user is refused", () => {
  test("who is blocked", async () => {
    const party = await server.parties.create();
    const user = await server.users.create();
    await blockUser(context, user.username);
    expect(await preview(party, user)).toMatchObject({ refusals: [{ reason: "blocked" }], issued: null });
    expect((await submitPassword(party, user)).page.page().state()).toMatchObject({ error: "credentials" });
  });

  test("who has neither a password nor an account at a provider", async () => {
    const party = await server.parties.create();
    const { username } = await addUser(context, { username: "never.set.up", displayName: "Never" });
    expect(await preview(party, { username })).toMatchObject({
      refusals: [{ reason: "no-sign-in-method" }],
      issued: null,
    });
  });

  test("whose only provider is not configured any more", async () => {
    const party = await server.parties.create();
    const { id, username } = await addUser(context, { username: "only.apple", displayName: "Only Apple" });
    await connect(server, upstream.apple, addProviderUser(upstream.apple), id);
    const later = { ...context, config: { ...context.config, apple: null } };
    const input = { clientId: party.clientId, username };
    expect((await previewSignIn(context, input)).refusals).toEqual([]);
    expect((await previewSignIn(later, input)).refusals).toEqual([{ reason: "no-sign-in-method" }]);
  });

  test("who is in none of the groups, with their names; a member is not refused", async () => {
    const party = await server.parties.create({ firstParty: true, scopes: ["openid"] });
    await updateClient(context.store, party.clientId, { access: "groups" }, server.clock.now());
    const user = await server.users.create();
    expect((await preview(party, user)).refusals).toEqual([{ reason: "no-access", groups: [] }]);
    const [sales, legal] = [
      await server.groups.create({ name: "Sales" }),
      await server.groups.create({ name: "Legal" }),
    ];
    await context.store.tx((tx) => replaceGroupsOfClient(tx, party.clientId, [sales.id, legal.id]));
    expect((await preview(party, user)).refusals).toEqual([{ reason: "no-access", groups: ["Legal", "Sales"] }]);
    expect((await submitPassword(party, user, { scope: "openid" })).page.status).toBe(403);
    await addGroupMember(context.store, { userId: user.id, groupId: legal.id });
    expectSame(await preview(party, user), await issue(party, user, { parameters: { scope: "openid" } }));
  });

  test("whose application requests scopes that are unknown or not registered", async () => {
    const party = await server.parties.create({ firstParty: true, scopes: ["openid", "profile"] });
    const user = await server.users.create();
    expect((await preview(party, user, ["openid", "shoe_size", "groups", "profile"])).refusals).toEqual([
      { reason: "scopes-unknown", scopes: ["shoe_size"] },
      { reason: "scopes-not-registered", scopes: ["groups"] },
    ]);
    const { page } = await submitPassword(party, user, { scope: "openid shoe_size groups profile" });
    expect(page.page().state()).toMatchObject({ error: "invalid-scope-requested" });
  });

  test("at a resource server, which signs no users in", async () => {
    const { clientId } = await server.clients.create({
      redirectUris: [],
      postLogoutRedirectUris: [],
      mayIntrospect: true,
    });
    const { username } = await server.users.create();
    expect((await previewSignIn(context, { clientId, username })).refusals).toEqual([{ reason: "no-redirect-uri" }]);
  });

  test("for every reason at once", async () => {
    const party = await server.parties.create({ scopes: ["openid"] });
    await updateClient(context.store, party.clientId, { access: "groups" }, server.clock.now());
    const { username } = await addUser(context, { username: "no.chance", displayName: "No Chance" });
    await blockUser(context, username);
    const reasons = (await preview(party, { username }, ["openid", "nonsense"])).refusals.map(({ reason }) => reason);
    expect(reasons).toEqual(["blocked", "no-sign-in-method", "no-access", "scopes-unknown"]);
  });

  test.each([
    { clientId: "nowhere", username: "anna", code: "client not found" },
    { clientId: null, username: "no body", code: "user not found" },
  ])("$code", async ({ clientId, username, code }) => {
    const party = await server.parties.create();
    const input = { clientId: clientId ?? party.clientId, username };
    await expect(previewSignIn(context, input)).rejects.toMatchObject({ code });
  });
});

test("the preview states every rule that requires a second factor", async () => {
  const party = await server.parties.create({ firstParty: true });
  await updateClient(context.store, party.clientId, { requireMfa: true }, server.clock.now());
  const { name: groupName } = await server.groups.create({ name: "Vault keepers", requireMfa: true });
  const { id: groupId } = await server.groups.create({ name: "Auditors", requireMfa: true });
  const user = await server.users.create({ groupName });
  await addGroupMember(context.store, { userId: user.id, groupId });
  await giveTotp(server, user);
  const strict = { ...context, config: { ...context.config, mfaPolicy: "required" as const } };
  const { secondFactor } = await previewSignIn(strict, { clientId: party.clientId, username: user.username });
  expect(secondFactor).toEqual({
    isSetUp: true,
    requiredBy: [
      { rule: "own" },
      { rule: "MFA_POLICY" },
      { rule: "group", name: "Vault keepers" },
      { rule: "group", name: "Auditors" },
      { rule: "application" },
    ],
  });
});

describe("the preview states if the user is asked for consent", () => {
  test("of a first-party client: never", async () => {
    const party = await server.parties.create({ firstParty: true });
    const { consent } = await preview(party, await server.users.create());
    expect(consent).toEqual({ kind: "not-asked", because: "first-party" });
  });

  test("of another client: once, and again for more scopes or when the consent is too old", async () => {
    const party = await server.parties.create({ scopes: ["openid", "profile", "email"] });
    const user = await server.users.create();
    const scope = "openid profile";
    const isAsked = async () => hasForm((await submitPassword(party, user, { scope })).page, "/consent/accept");
    const scopes = scope.split(" ");
    expect([(await preview(party, user, scopes)).consent.because, await isAsked()]).toEqual(["not-given", true]);
    await issue(party, user, { parameters: { scope } });
    expect([(await preview(party, user, scopes)).consent.because, await isAsked()]).toEqual(["remembered", false]);
    expect((await preview(party, user)).consent.because).toBe("not-given");
    server.clock.advance(CONSENT_DAYS * DAY_SECONDS + 1);
    expect([(await preview(party, user, scopes)).consent.because, await isAsked()]).toEqual(["not-given", true]);
  });

  test("of a native client: each time", async () => {
    const party = await server.parties.create({ public: true, redirectUris: ["com.example.app:/other"] });
    const { consent } = await preview(party, await server.users.create());
    expect(consent).toEqual({ kind: "asked", because: "each-time" });
  });
});

test("the preview stores nothing", async () => {
  const party = await server.parties.create();
  const user = await server.users.create();
  const { oidcRecords, auditEvents } = context.store.t;
  const count = async () => [await context.store.q.$count(oidcRecords), await context.store.q.$count(auditEvents)];
  const before = await count();
  expect((await preview(party, user)).issued).not.toBeNull();
  expect(await count()).toEqual(before);
});
