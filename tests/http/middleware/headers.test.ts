import { beforeEach, describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { allow, followRedirects, open, seedSignIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";

let browser: Browser;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({
  redirectUris: ["https://suite.example/callback"],
  postLogoutRedirectUris: ["https://bye.example/"],
});

beforeEach(() => {
  browser = server.browser();
});

/** One page of each kind and status. */
const PAGES: Readonly<Record<string, () => Promise<HttpResponse>>> = {
  "the sign-in form": () => open(browser, party.request().url),
  "a refused sign-in": async () => {
    const page = await open(browser, party.request().url);
    return browser.submit(page, page.page().form("/login/native"), { username: "nobody", password: "x" });
  },
  "a sign-in that goes on": async () => {
    const page = await open(browser, party.request().url);
    const { username, password } = anna;
    return browser.submit(page, page.page().form("/login/native"), { username, password });
  },
  "the consent page": async () =>
    typePassword(browser, await open(browser, party.request({ prompt: "login consent" }).url), anna),
  "You are logged in as": async () => {
    await seedSignIn(server, browser, party.request(), anna);
    return open(browser, party.request({ prompt: "select_account" }).url);
  },
  "the sign-out question": async () => {
    await seedSignIn(server, browser, party.request(), anna);
    return open(browser, ENGINE_ROUTES.end_session);
  },
  "the page after a sign-out": () => browser.get("/logout/callback"),
  "an unknown challenge": () => browser.get("/login?login_challenge=nothing"),
  "an unknown page": () => browser.get("/nowhere"),
  "the start page": () => browser.get("/"),
  "an error of an application": () => browser.get("/error?error=invalid_request"),
  "a form from another site": () => browser.post("/login/native", {}, { headers: { origin: "https://evil.example" } }),
  "a bad form": () => browser.post("/login/native", { admin: "1" }),
  "a body that is too long": () => browser.post("/login/native", { username: "a".repeat(70_000) }),
  "an unknown method": () => browser.send("PATCH", "/login", null),
  "a foreign host": () => browser.get("/login", { headers: { host: "evil.example" } }),
  "an authorization request": () => browser.get(party.request().url),
  "a refused authorization request": () => browser.get("/oauth2/auth?client_id=nobody"),
  "a refused token request": () => browser.post(ENGINE_ROUTES.token, {}),
  "the discovery document": () => browser.get("/.well-known/openid-configuration"),
  "the keys": () => browser.get(ENGINE_ROUTES.jwks),
  "a health probe": () => browser.get("/healthz"),
  "a file": () => browser.get("/favicon.svg"),
};

/** Responses that do not depend on the user. */
const PUBLIC = ["the discovery document", "the keys", "a file"];

/** Responses available to cross-origin requests without cookies. */
const FOR_APPLICATIONS = ["the discovery document", "the keys", "a refused token request"];

function policyOf({ headers }: HttpResponse): ReadonlyMap<string, string> {
  const directives = String(headers["content-security-policy"] ?? "").split(";");
  return new Map(directives.map((directive) => [directive.trim().split(" ")[0] ?? "", directive.trim()]));
}

describe.each(Object.entries(PAGES))("the headers of %s", (what, load) => {
  // Proves requirements 96, 110.
  test("guard against sniffing, framing and leaking addresses", async () => {
    const response = await load();
    expect(response.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "unsafe-none",
      "x-frame-options": "DENY",
    });
    expect(response.headers).not.toHaveProperty("strict-transport-security");
    for (const name of ["x-powered-by", "server", ...(PUBLIC.includes(what) ? [] : ["etag"])]) {
      expect(response.headers).not.toHaveProperty(name);
    }
    const policy = policyOf(response);
    expect(policy.get("frame-ancestors")).toBe("frame-ancestors 'none'");
    expect(policy.get("base-uri")).toBe("base-uri 'none'");
    expect(policy.get("object-src")).toBe("object-src 'none'");
    expect(policy.get("default-src")).toBe("default-src 'none'");
    expect(response.headers["content-security-policy"]).not.toMatch(/unsafe|\*|data: *;? *script/);
  });

  // Proves requirement 116.
  test("prevent caching, except of responses that are the same for all clients", async () => {
    const response = await load();
    if (PUBLIC.includes(what)) expect(String(response.headers["cache-control"] ?? "")).not.toContain("no-store");
    else expect(response.headers["cache-control"]).toBe("no-store");
  });

  test("allow no other site to read it with a user's cookies", async () => {
    const { headers } = await load();
    expect(headers).not.toHaveProperty("access-control-allow-credentials");
    if (!FOR_APPLICATIONS.includes(what)) expect(headers).not.toHaveProperty("access-control-allow-origin");
  });
});

test("the settings share their window with no other site", async () => {
  for (const path of ["/manage", "/manage/open", "/manage/error/unauthorized"]) {
    expect((await browser.get(path)).headers["cross-origin-opener-policy"], path).toBe("same-origin");
  }
});

describe("the policy of a page", () => {
  // Proves requirement 111.
  test("has a new nonce each time, and only scripts with it are in the page", async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const page = await open(browser, party.request().url);
      const nonce = /'nonce-([\w-]{22,})'/.exec(policyOf(page).get("script-src") ?? "")?.[1] ?? "";
      nonces.add(nonce);
      for (const script of page.page().all("script")) expect(script.attributes.nonce).toBe(nonce);
      expect(page.page().all("style")).toEqual([]);
      expect(page.body).not.toMatch(/ on[a-z]+="| style="/);
    }
    expect(nonces.size).toBe(5);
    expect([...nonces].every((nonce) => nonce.length >= 22)).toBe(true);
  });

  // Proves requirement 111.
  test("of a request has no form-action, which would block the redirects of the application's callback; others have", async () => {
    for (const what of ["the sign-in form", "the consent page", "a refused sign-in"]) {
      browser = server.browser();
      const page = await PAGES[what]?.();
      expect(page && policyOf(page).has("form-action")).toBe(false);
    }
    for (const path of ["/", "/error", "/login", "/logout/callback"]) {
      expect(policyOf(await browser.get(path)).get("form-action")).toBe("form-action 'self'");
    }
  });

  test("of a sign-out with a post_logout_redirect_uri has no form-action either", async () => {
    await seedSignIn(server, browser, party.request(), anna);
    const query = new URLSearchParams({ client_id: party.clientId, post_logout_redirect_uri: "https://bye.example/" });
    const page = await open(browser, `${ENGINE_ROUTES.end_session}?${query}`);
    expect(policyOf(page).has("form-action")).toBe(false);
  });

  test("of the engine's form_post page allows the post to the application, by its own script only", async () => {
    await seedSignIn(server, browser, party.request(), anna);
    const page = await followRedirects(browser, await browser.get(party.request({ response_mode: "form_post" }).url));
    expect(
      page
        .page()
        .forms()
        .map(({ action }) => action),
    ).toEqual([party.redirectUri]);
    const policy = policyOf(page);
    expect(policy.has("form-action")).toBe(false);
    expect(policy.get("script-src")).toMatch(/^script-src .*'sha256-[\w+/=]+'/);
    expect(page.headers["cache-control"]).toBe("no-store");
  });
});

test("the response with a code is not cacheable", async () => {
  const question = await typePassword(
    browser,
    await open(browser, party.request({ prompt: "login consent" }).url),
    anna,
  );
  const end = await allow(browser, question);
  expect([codeOf(end).length > 40, end.headers["cache-control"]]).toEqual([true, "no-store"]);
});
