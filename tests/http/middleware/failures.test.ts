import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, seedSignIn } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { readPage } from "#tests/support/html.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { sendRaw } from "./raw-client.ts";

let browser: Browser;

const server = await serverOfFile({ env: { SUPPORT_CONTACT: "IT & help, 040 555 01" } });
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true });

beforeEach(() => {
  browser = server.browser();
});

const typed = () => ({ username: anna.username, password: anna.password });

/** Internals that no page may contain. */
const INSIDES =
  /\bat \S+ \(|node_modules|\.tsx?\b|\.js:\d|SQLITE|postgres|relation "|no such table|select |insert into|Error: [a-z]/i;

/** Expects an error page without internals, whose reference occurs in the log line of the error. */
async function expectErrorPage(response: HttpResponse, status = 500) {
  expect([response.status, response.location]).toEqual([status, null]);
  const { server_error, ...others } = stateOf(response);
  expect(others).toEqual({});
  expect(server_error).toEqual({ code: status, reference: expect.stringMatching(/^[0-9a-z]{4}-[0-9a-z]{4}$/) });
  const { reference } = Object(server_error);
  expect(response.page().text).toContain(`Reference: ${reference}`);
  expect(response.page().text).toContain("Please contact IT & help, 040 555 01 and name this reference.");
  expect(response.page().text).not.toMatch(INSIDES);
  await expect.poll(() => server.lines().filter(({ requestId }) => requestId === reference).length).toBeGreaterThan(0);
  return server.lines().filter(({ requestId, level }) => requestId === reference && Number(level) >= 50);
}

describe("an unknown page", () => {
  test.each(["/nowhere", "/login/nowhere", "/login/google", "/assets/nothing.js", "/.env", "/.git/config", "/admin"])(
    "is a 404 with a link to the application: %s",
    async (path) => {
      const response = await browser.get(path);
      expect(await expectErrorPage(response, 404)).toEqual([]);
      expect(response.page().title).toBe("Error: Page not found | Gatehouse");
      expect(response.page().one("a", { class: "button" }).attributes.href).toBe(server.context.config.appUrl);
    },
  );

  test.each(["//", "///", "//?a=b", "//nowhere", "//login", "//evil.example/login", "/login//native", "/manage//"])(
    "with an empty segment is a 404 without an error line: %s",
    async (path) => {
      const before = server.lines().length;
      const response = await sendRaw(server.url, {
        line: `GET ${path} HTTP/1.1`,
        headers: [`Host: ${new URL(server.url).host}`, "Connection: close"],
      });
      expect(response.status).toBe(404);
      expect(readPage(response.body).state()).toEqual({ server_error: { code: 404, reference: expect.any(String) } });
      expect(
        server
          .lines()
          .slice(before)
          .filter(({ level }) => Number(level) >= 50),
      ).toEqual([]);
    },
  );

  test.each(["POST", "PUT", "DELETE"])("is a 404 for a %s too", async (method) => {
    const response = await browser.send(method, "/nowhere", "", { headers: { origin: server.url } });
    expect(response.status).toBe(404);
  });

  test("is a 404 without a body for HEAD", async () => {
    const response = await browser.send("HEAD", "/nowhere", null);
    expect([response.status, response.body]).toEqual([404, ""]);
  });

  test("outside the folder of files is none of them", async () => {
    for (const path of [
      "/assets/../../package.json",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/..%2fpackage.json",
      "/assets%5c..%5cmain.js",
    ]) {
      const response = await browser.send("GET", path, null);
      expect([path, response.status >= 400, response.body.includes("dependencies")]).toEqual([path, true, false]);
    }
  });
});

test.each(["PATCH", "OPTIONS", "PUT", "DELETE"])("a page refuses %s, and changes nothing", async (method) => {
  const response = await browser.send(method, "/login/native", "", { headers: { origin: server.url } });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
});

test.each(["/logout", "/logout/callback", "/error"])("a page without a form refuses one: %s", async (path) => {
  const response = await browser.post(path, {});
  expect([response.status, response.location]).toEqual([405, null]);
  expect(stateOf(response)).toMatchObject({ server_error: { code: 405 } });
});

test("an error of an application is a 400 page with a reference that is in the log", async () => {
  const response = await browser.get("/error?error=invalid_client&error_description=client%20is%20invalid");
  expect(response.status).toBe(400);
  expect(stateOf(response)).toEqual({ error: "invalid_client", error_description: "client is invalid" });
  const reference = /Reference: ([0-9a-z-]+)/.exec(response.page().text)?.[1];
  await expect.poll(() => server.lines().some(({ requestId }) => requestId === reference)).toBe(true);
});

// Proves requirement 147.
test.each(["constructor", "toString", "__proto__"])(
  "an error of an application named %s is only quoted",
  async (error) => {
    const response = await browser.get(`/error?error=${error}`);
    expect([response.status, stateOf(response)]).toEqual([400, { error, error_description: null }]);
    expect(response.body).not.toMatch(/native code|function|\[object/);
  },
);

test("an error of an application shows at most 60 characters of its code and 120 of its description", async () => {
  const long = 'ä\\x"'.repeat(200);
  const response = await browser.get(`/error?${new URLSearchParams({ error: long, error_description: long })}`);
  expect(stateOf(response)).toEqual({ error: "x".repeat(60), error_description: "x".repeat(120) });
});

// Proves requirement 147.
test("an engine error is shown with its text, in its own browser, and unchanged", async () => {
  const { location } = await browser.get(party.request({ redirect_uri: "https://evil.example/" }).url);
  const own = await browser.get(location ?? "");
  expect(own.page().one("h2").text).toBe("Details for the provider");
  expect(own.page().all("blockquote")).toEqual([]);
  const changed = new URL(location ?? "");
  changed.searchParams.set("error_description", "Call 0190 55");
  const copies = [await startedBrowser().then((other) => other.get(location ?? "")), await browser.get(changed.href)];
  for (const copy of copies) {
    expect(copy.page().one("h2").text).toBe("Details (not verified)");
    expect(copy.page().all("blockquote")).toHaveLength(1);
  }
});

/** Creates another browser that already has its browser cookie. */
async function startedBrowser() {
  const other = server.browser();
  await other.get("/error");
  return other;
}

describe("a defect", () => {
  afterEach(async () => {
    await server.context.store.execute("ALTER TABLE users_away RENAME TO users").catch(() => {});
  });

  const breakUsers = () => server.context.store.execute("ALTER TABLE users RENAME TO users_away");

  // Proves requirement 124.
  test("during a sign-in is a page without details, and no sign-in", async () => {
    const form = await openForm(browser, party.request().url);
    await breakUsers();
    const [line] = await expectErrorPage(await form.post(typed()));
    expect(JSON.stringify(line)).toMatch(/users/);
    expect(JSON.stringify(line)).not.toContain(anna.password);
    expect(browser.jar.find("gatehouse_session")).toBeNull();
  });

  test("is over when its cause is: the same form then works, the process has not ended", async () => {
    const form = await openForm(browser, party.request().url);
    await breakUsers();
    expect((await form.post(typed())).status).toBe(500);
    await server.context.store.execute("ALTER TABLE users_away RENAME TO users");
    expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
  });

  test("while the engine loads a session issues no code, and shows a page whose reference is in the log", async () => {
    await seedSignIn(server, browser, party.request(), anna);
    await breakUsers();
    const lines = await expectErrorPage(await browser.get(party.request({ prompt: "none" }).url));
    expect(lines).toContainEqual(expect.objectContaining({ event: "engine.failed" }));
    await server.context.store.execute("ALTER TABLE users_away RENAME TO users");
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("in a program's request is JSON without details", async () => {
    await server.context.store.execute("ALTER TABLE clients RENAME TO clients_away");
    try {
      const response = await party.post("/oauth2/token", { grant_type: "authorization_code", code: "x" });
      expect([response.status, response.error()]).toEqual([500, "server_error"]);
      expect(response.body).not.toMatch(INSIDES);
    } finally {
      await server.context.store.execute("ALTER TABLE clients_away RENAME TO clients");
    }
  });

  test("while a page is rendered is an error page as well", async () => {
    const { t, q } = server.context.store;
    const client = await server.clients.create({ clientUri: "https://suite.example/" });
    const broken = createRelyingParty({ issuer: server.url, client });
    const form = await openForm(browser, broken.request().url);
    await q.update(t.clients).set({ clientUri: "no address" }).where(eq(t.clients.id, client.clientId)).returning();
    const [line] = await expectErrorPage(await browser.get(form.page.url));
    expect(line).toMatchObject({ msg: "unexpected error", error: { at: expect.any(Array) } });
  });

  test("in German is in German", async () => {
    const form = await openForm(server.browser("de"), party.request().url);
    await breakUsers();
    const response = await form.post(typed());
    expect([response.status, response.page().lang]).toEqual([500, "de"]);
  });
});

// Proves requirement 124.
test("many errors in a row do not affect the process", async () => {
  const form = await openForm(browser, party.request().url);
  await server.context.store.execute("ALTER TABLE users RENAME TO users_away");
  try {
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await form.post(typed())).status));
    expect(new Set(statuses)).toEqual(new Set([500]));
  } finally {
    await server.context.store.execute("ALTER TABLE users_away RENAME TO users");
  }
  expect((await open(browser, party.request().url)).status).toBe(200);
  expect((await browser.get("/readyz")).status).toBe(200);
});
