import { describe, expect, test } from "vitest";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import type { Parameters, RelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedSignIn } from "./browser-steps.ts";
import { redirectParameters } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await createParty({ redirectUris: ["https://desk.example/callback", "https://desk.example/with?tab=1"] });

async function createParty(input: Partial<NewClientInput>): Promise<RelyingParty> {
  return await server.parties.create({ firstParty: true, ...input });
}

/** Makes a request that must end on our error page without any redirect to another origin. Returns that page. */
async function refused(changes: Parameters, by: RelyingParty = party) {
  const browser = server.browser();
  const first = await browser.get(by.request(changes).url);
  expect(first.location === null ? server.url : new URL(first.location).origin).toBe(server.url);
  const page = await browser.follow(first);
  expect([page.status, new URL(page.url).pathname]).toEqual([400, "/error"]);
  return page;
}

describe("a redirect URI that matches the registered string", () => {
  test("gets the response, also with a query", async () => {
    const request = party.request({ redirect_uri: "https://desk.example/with?tab=1", state: "s" });
    const end = await seedSignIn(server, server.browser(), request, anna);
    expect(end.location).toMatch(/^https:\/\/desk\.example\/with\?tab=1&/);
    expect(redirectParameters(end)).toMatchObject({ tab: "1", state: "s", code: expect.any(String), iss: server.url });
  });
});

// Proves requirement 78.
describe("any other spelling is refused on our page, never by a redirect", () => {
  test.each([
    ["a slash at the end", "https://desk.example/callback/"],
    ["no path", "https://desk.example"],
    ["a longer path", "https://desk.example/callback/more"],
    ["another case in the path", "https://desk.example/Callback"],
    ["another case in the host", "https://DESK.example/callback"],
    ["another case in the scheme", "HTTPS://desk.example/callback"],
    ["a query", "https://desk.example/callback?x=1"],
    ["an empty query", "https://desk.example/callback?"],
    ["another value in the query", "https://desk.example/with?tab=2"],
    ["more in the query", "https://desk.example/with?tab=1&x=1"],
    ["a fragment", "https://desk.example/callback#f"],
    ["an empty fragment", "https://desk.example/callback#"],
    ["a port", "https://desk.example:8443/callback"],
    ["the default port", "https://desk.example:443/callback"],
    ["user info", "https://user@desk.example/callback"],
    ["the host as user info", "https://desk.example@evil.example/callback"],
    ["an encoded letter", "https://desk.example/%63allback"],
    ["an encoded slash", "https://desk.example%2Fcallback"],
    ["encoded twice", "https%3A%2F%2Fdesk.example%2Fcallback"],
    ["a way up", "https://desk.example/x/../callback"],
    ["a backslash", "https://desk.example\\callback"],
    ["a backslash before the host", "https:\\\\evil.example/callback"],
    ["a subdomain", "https://a.desk.example/callback"],
    ["a longer host", "https://desk.example.evil.example/callback"],
    ["a dot after the host", "https://desk.example./callback"],
    ["no encryption", "http://desk.example/callback"],
    ["another scheme", "javascript:alert(1)//desk.example/callback"],
    ["data", "data:text/html,<script>alert(1)</script>"],
    ["no scheme", "//desk.example/callback"],
    ["a path only", "/callback"],
    ["a space at the end", "https://desk.example/callback "],
    ["a space before", " https://desk.example/callback"],
    ["a line break", "https://desk.example/callback\r\nSet-Cookie: a=b"],
    ["a wildcard", "https://desk.example/*"],
    ["look-alike letters", "https://dеsk.example/callback"],
    ["nothing", ""],
  ])("%s", async (_name, redirect_uri) => {
    const page = await refused({ redirect_uri });
    expect(page.page().state()).toMatchObject({ error: expect.any(String) });
  });

  test("missing, also where only one is registered", async () => {
    await refused({ redirect_uri: undefined });
    await refused({ redirect_uri: undefined }, await createParty({}));
  });

  test("that of another application", async () => {
    const other = await createParty({ redirectUris: ["https://else.example/callback"] });
    await refused({ redirect_uri: other.redirectUri });
  });

  test("with prompt=none too", async () => {
    await refused({ redirect_uri: "https://evil.example/", prompt: "none" });
  });

  test("for a signed-in user", async () => {
    const browser = server.browser();
    await seedSignIn(server, browser, party.request(), anna);
    const page = await open(browser, party.request({ redirect_uri: "https://evil.example/" }).url);
    expect([page.status, new URL(page.url).pathname, page.location]).toEqual([400, "/error", null]);
  });

  test("with response_mode=form_post", async () => {
    const page = await refused({ redirect_uri: "https://evil.example/", response_mode: "form_post" });
    expect(page.body).not.toContain("evil.example");
  });
});

// Proves requirement 93.
describe("an unknown application is refused on our page", () => {
  test.each([
    ["unknown", "nobody"],
    ["empty", ""],
    ["missing", undefined],
    ["long", "x".repeat(3_000)],
    ["a name of the language", "__proto__"],
    ["markup", "<script>alert(1)</script>"],
  ])("%s", async (_name, client_id) => {
    const page = await refused({ client_id });
    expect(
      page
        .page()
        .all("script", {})
        .map(({ attributes }) => attributes.src ?? "inline"),
    ).not.toContain("inline");
  });
});

test("a URI with a NUL character is refused before it is parsed", async () => {
  for (const changes of [{ redirect_uri: `${party.redirectUri}\0` }, { client_id: `${party.clientId}\0` }]) {
    const response = await server.browser().get(party.request(changes).url);
    expect([response.status, response.location]).toEqual([400, null]);
  }
});

describe("on a loopback address", () => {
  // Proves requirement 78.
  test("a native application may choose its port only (RFC 8252 section 7.3)", async () => {
    const native = await createParty({ public: true, redirectUris: ["http://127.0.0.1/callback"] });
    const request = native.request({ redirect_uri: "http://127.0.0.1:51004/callback" });
    const end = await seedSignIn(server, server.browser(), request, anna);
    expect(end.location).toMatch(/^http:\/\/127\.0\.0\.1:51004\/callback\?/);

    for (const redirect_uri of [
      "http://127.0.0.1:51004/callback/",
      "http://127.0.0.1:51004/else",
      "http://127.0.0.2:51004/callback",
      "http://localhost:51004/callback",
      "http://[::1]:51004/callback",
      "https://127.0.0.1:51004/callback",
      "http://127.0.0.1:51004@evil.example/callback",
      "http://127.0.0.1.evil.example:51004/callback",
    ]) {
      await refused({ redirect_uri }, native);
    }
  });

  test("the exchange requires the same port", async () => {
    const native = await createParty({ public: true, redirectUris: ["http://127.0.0.1/callback"] });
    const redirect_uri = "http://127.0.0.1:51004/callback";
    const request = native.request({ redirect_uri });
    const { code = "" } = redirectParameters(await seedSignIn(server, server.browser(), request, anna));
    const wrong = await native.exchange(code, request, { redirect_uri: "http://127.0.0.1:51005/callback" });
    expect([wrong.status, wrong.error()]).toEqual([400, "invalid_grant"]);
  });

  test("an application that is not native must use its registered port", async () => {
    const web = await createParty({ redirectUris: ["http://127.0.0.1:8080/callback"] });
    await refused({ redirect_uri: "http://127.0.0.1:8081/callback" }, web);
    const named = await createParty({ public: true, redirectUris: ["http://localhost:8080/callback"] });
    await refused({ redirect_uri: "http://localhost:8081/callback" }, named);
  });

  test("an application with https, a private-use scheme and a loopback address gets a code at each (RFC 8252 section 7)", async () => {
    const redirectUris = ["https://desk.example/app", "com.example.desk:/callback", "http://127.0.0.1/callback"];
    const postLogoutRedirectUris = ["https://desk.example/bye", "com.example.desk:/bye"];
    const app = await createParty({ public: true, redirectUris, postLogoutRedirectUris });
    for (const redirect_uri of [...redirectUris.slice(0, 2), "http://127.0.0.1:51004/callback"]) {
      const request = app.request({ redirect_uri });
      const end = await seedSignIn(server, server.browser(), request, anna);
      expect(end.location).toContain(`${redirect_uri}?`);
      const { code = "" } = redirectParameters(end);
      expect([redirect_uri, (await app.exchange(code, request, { redirect_uri })).status]).toEqual([redirect_uri, 200]);
    }
    for (const redirect_uri of [
      "https://desk.example:51004/app",
      "https://desk.example/app/",
      "com.example.desk:/",
      "http://localhost:51004/callback",
    ]) {
      await refused({ redirect_uri }, app);
    }
    for (const uri of postLogoutRedirectUris) {
      const end = await open(server.browser(), app.logoutUrl({ post_logout_redirect_uri: uri }));
      expect(end.location).toBe(uri);
    }
  });

  // Proves requirement 78.
  test("an application without a private-use scheme that has an https URI must use its registered port", async () => {
    const redirectUris = ["https://desk.example/app", "http://127.0.0.1:8080/callback"];
    const app = await createParty({ public: true, redirectUris });
    await refused({ redirect_uri: "http://127.0.0.1:8081/callback" }, app);
  });

  test("a private-use scheme is compared exactly", async () => {
    const native = await createParty({ public: true, redirectUris: ["com.example.desk:/callback"] });
    const end = await seedSignIn(server, server.browser(), native.request(), anna);
    expect(end.location).toMatch(/^com\.example\.desk:\/callback\?/);
    for (const redirect_uri of ["com.example.desk:/", "com.example.desk://callback", "com.example.else:/callback"]) {
      await refused({ redirect_uri }, native);
    }
  });
});
