import { describe, expect, test } from "vitest";
import { DAY_SECONDS } from "#app/durations.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { allow, open, seedSignIn, typePassword } from "./browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "./responses.ts";

const SCOPES = ["openid", "profile", "email", "orders"];

const server = await serverOfFile();

const at = eachTest(async () => {
  const anna = await server.users.create();
  const party = await server.parties.create({ scopes: SCOPES });
  /** A browser in which Anna is signed in and has consented to `openid profile`. */
  const browser = server.browser();
  await seedSignIn(server, browser, party.request({ scope: "openid profile" }), anna);
  return { anna, party, browser };
});

/** Returns the scopes that a consent page lists; null for other responses. */
function askedScopes(page: HttpResponse) {
  if (!hasForm(page, "/consent/accept")) return null;
  return page
    .page()
    .form("/consent/accept")
    .fields.filter(([name]) => name === "scopes")
    .map(([, scope]) => scope);
}

async function tokensOf(response: HttpResponse, request: ReturnType<RelyingParty["request"]>) {
  return readTokens(await at.party.exchange(codeOf(response), request));
}

describe("a consent", () => {
  // Proves requirement 98.
  test("names the application, the user and each scope before anything is granted", async () => {
    const other = server.browser();
    const otherParty = await server.parties.create({
      name: "Broker Desk",
      scopes: SCOPES,
      policyUri: "https://desk.example/policy",
    });
    const form = await open(other, otherParty.request({ scope: "openid profile orders" }).url);
    const page = (await typePassword(other, form, at.anna)).page();
    expect(page.state()).toMatchObject({
      client: { name: "Broker Desk", policy_uri: "https://desk.example/policy" },
      scopes: [{ id: "openid" }, { id: "profile" }, { id: "orders" }],
      consent_challenge: expect.any(String),
      xsrf_token: expect.any(String),
    });
    expect(page.state()).not.toHaveProperty("redirect_uri");
    expect(page.text).toContain("Broker Desk");
    expect(page.text).toContain(at.anna.displayName);
    expect(page.all("a", { href: "https://desk.example/policy" })).toHaveLength(1);
  });

  test("is skipped for first-party applications", async () => {
    const own = await server.parties.create({ firstParty: true, scopes: SCOPES });
    const request = own.request({ scope: SCOPES.join(" ") });
    const end = await open(at.browser, request.url);
    expect(
      readTokens(await own.exchange(codeOf(end), request))
        .scope.split(" ")
        .sort(),
    ).toEqual(SCOPES.toSorted());
  });

  test("is remembered in later sessions and other browsers", async () => {
    expect(askedScopes(await open(at.browser, at.party.request({ scope: "openid profile" }).url))).toBeNull();
    const end = await signInOnly(server.browser(), at.party.request({ scope: "openid profile" }).url);
    expect(redirectParameters(end)).toHaveProperty("code");
  });

  test("is remembered after a logout", async () => {
    const page = await open(at.browser, `${server.url}/oauth2/sessions/logout`);
    await at.browser.submit(page, page.page().form("/logout/accept"));
    expect(
      redirectParameters(await signInOnly(at.browser, at.party.request({ scope: "openid profile" }).url)),
    ).toHaveProperty("code");
  });

  test("covers requests for fewer scopes", async () => {
    const request = at.party.request({ scope: "openid" });
    const end = await open(at.browser, request.url);
    expect((await tokensOf(end, request)).scope).toBe("openid");
  });

  // Proves requirement 98.
  test("is requested for the additional scopes when the application requests more", async () => {
    const request = at.party.request({ scope: "openid profile email orders" });
    const question = await open(at.browser, request.url);
    expect(askedScopes(question)?.filter((scope) => scope !== "openid")).toEqual(["email", "orders"]);
    const tokens = await tokensOf(await allow(at.browser, question), request);
    expect(tokens.scope.split(" ").sort()).toEqual(["email", "openid", "orders", "profile"]);
    expect(askedScopes(await open(at.browser, at.party.request({ scope: "openid email orders" }).url))).toBeNull();
  });

  test("shows all scopes again with prompt=consent", async () => {
    const question = await open(at.browser, at.party.request({ scope: "openid profile", prompt: "consent" }).url);
    expect(askedScopes(question)).toEqual(["openid", "profile"]);
  });

  test("is remembered for 90 days", async () => {
    server.clock.advance(89 * DAY_SECONDS);
    expect(
      redirectParameters(await signInOnly(server.browser(), at.party.request({ scope: "openid profile" }).url)),
    ).toHaveProperty("code");
    server.clock.advance(2 * DAY_SECONDS);
    const late = await signInOnly(server.browser(), at.party.request({ scope: "openid profile" }).url);
    expect(askedScopes(late)).toEqual(["openid", "profile"]);
  });

  test("is valid for this user only", async () => {
    const bernd = await server.users.create();
    const page = await signInOnly(server.browser(), at.party.request({ scope: "openid profile" }).url, bernd);
    expect(askedScopes(page)).toEqual(["openid", "profile"]);
  });

  test("is valid for this application only", async () => {
    const other = await server.parties.create({ scopes: SCOPES });
    expect(askedScopes(await open(at.browser, other.request({ scope: "openid profile" }).url))).not.toBeNull();
  });

  test("is requested from native third-party applications each time, because they cannot be authenticated (RFC 8252 section 8.6)", async () => {
    const input = { public: true, redirectUris: ["http://127.0.0.1/callback"], scopes: SCOPES };
    const native = await server.parties.create(input);
    await seedSignIn(server, at.browser, native.request(), at.anna);
    expect(askedScopes(await open(at.browser, native.request().url))).not.toBeNull();
    const ownNative = await server.parties.create({ ...input, firstParty: true });
    expect(redirectParameters(await open(at.browser, ownNative.request().url))).toHaveProperty("code");
  });
});

/** Signs in and returns the next response without following it. */
async function signInOnly(other: Browser, url: string, user = at.anna) {
  return typePassword(other, await open(other, url), user);
}
