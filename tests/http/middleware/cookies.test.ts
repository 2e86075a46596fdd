import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { type SecureBrowser, type SecureResponse, type SecureServer, startBehindTls } from "./behind-tls.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

type SetCookie = { name: string; value: string; attributes: readonly string[] };

function read(header: string): SetCookie {
  const [pair = "", ...attributes] = header.split(";").map((part) => part.trim());
  const [name = "", value = ""] = pair.split("=");
  return { name, value, attributes: attributes.map((attribute) => attribute.toLowerCase()) };
}

/** Returns the name without the prefix for https and without the suffix of a signature. */
const plainName = ({ name }: SetCookie) => name.replace(/^__(Host|Secure)-/, "").replace(/\.sig$/, "");

describe("on https", () => {
  let server: SecureServer;
  let party: RelyingParty;
  let browser: SecureBrowser;
  const responses: SecureResponse[] = [];

  beforeAll(async () => {
    server = await startBehindTls();
    party = await server.parties.create({ redirectUris: ["https://suite.example/callback"], firstParty: true });
    browser = server.secureBrowser();
    await journey();
  });

  afterAll(() => server?.close());

  async function keep(response: Promise<SecureResponse>) {
    responses.push(await response);
    return response;
  }

  /** Signs in, changes the language and signs out, step by step. */
  async function journey() {
    const { username, password } = await server.users.create();
    const started = await keep(browser.get(party.request().url));
    const form = await keep(browser.get(started.location ?? ""));
    const fields = Object.fromEntries(form.page().form("/login/native").fields);
    const accepted = await keep(browser.post("/login/native", { ...fields, username, password }));
    await keep(browser.get(accepted.location ?? ""));
    await keep(browser.get("/login?lng=de"));
    const question = await keep(browser.get((await keep(browser.get("/oauth2/sessions/logout"))).location ?? ""));
    await keep(browser.post("/logout/accept", Object.fromEntries(question.page().form("/logout/accept").fields)));
  }

  const cookies = () => responses.flatMap(({ setCookies }) => setCookies.map(read));

  test("the whole flow works", () => {
    expect(responses.map(({ status }) => status)).toEqual([303, 200, 303, 303, 400, 303, 200, 303]);
    expect(responses[3]?.location).toMatch(/^https:\/\/suite\.example\/callback\?code=/);
    expect(new Set(cookies().map(plainName))).toEqual(
      new Set([
        ...["gatehouse_browser", "gatehouse_session", "gatehouse_interaction", "gatehouse_resume"],
        ...["gatehouse_username", "i18next"],
      ]),
    );
  });

  // Proves requirement 110.
  test("every response has HSTS, for at least a year", () => {
    for (const { headers } of responses) {
      const header = String(headers["strict-transport-security"] ?? "");
      expect(Number(/max-age=(\d+)/.exec(header)?.[1])).toBeGreaterThanOrEqual(YEAR_SECONDS);
    }
  });

  test("every cookie is sent by https alone, and to this site alone", () => {
    for (const cookie of cookies()) {
      expect([cookie.name, cookie.attributes]).toEqual([
        cookie.name,
        expect.arrayContaining(["secure", "samesite=lax"]),
      ]);
      expect(cookie.attributes.filter((attribute) => attribute.startsWith("domain"))).toEqual([]);
    }
  });

  // Proves requirement 65.
  test("every cookie but the language is HttpOnly", () => {
    for (const cookie of cookies().filter(({ name }) => name !== "i18next")) {
      expect([cookie.name, cookie.attributes]).toEqual([cookie.name, expect.arrayContaining(["httponly"])]);
    }
  });

  // Proves requirement 65.
  test("session and browser carry the prefix that no other host can set, also where they are removed", () => {
    const ours = cookies().filter((cookie) => ["gatehouse_session", "gatehouse_browser"].includes(plainName(cookie)));
    expect(ours.length).toBeGreaterThanOrEqual(5);
    for (const { name, attributes } of ours) {
      expect(name).toMatch(/^__Host-/);
      expect([name, attributes]).toEqual([name, expect.arrayContaining(["path=/", "secure"])]);
    }
    expect(browser.jar.find("__Host-gatehouse_session")?.value ?? "").toBe("");
  });

  test("the engine's short-lived cookies go to its own paths only, under a prefix that http pages cannot set", () => {
    const short = cookies().filter((cookie) => /_(interaction|resume)$/.test(plainName(cookie)));
    expect(short.length).toBeGreaterThan(0);
    for (const { name, attributes } of short) {
      const path = attributes.find((attribute) => attribute.startsWith("path="));
      expect([name, path]).toEqual([name, expect.stringMatching(/^path=\/(login|consent|oauth2\/auth\/[\w-]+)$/)]);
      expect(name).toMatch(/^__Secure-/);
    }
  });

  // Proves requirement 135.
  test("every cookie but the language has a prefix, the signatures too", () => {
    for (const { name } of cookies().filter((cookie) => plainName(cookie) !== "i18next")) {
      expect(name).toMatch(/^__(Host|Secure)-gatehouse_/);
    }
    const names = new Set(cookies().map(({ name }) => name));
    expect([...names]).toEqual(
      expect.arrayContaining([
        "__Secure-gatehouse_resume",
        "__Secure-gatehouse_resume.sig",
        "__Host-gatehouse_session.sig",
      ]),
    );
  });

  test("a resume cookie without the prefix finishes no sign-in", async () => {
    const { username, password } = await server.users.create();
    const own = server.secureBrowser();
    const form = await own.follow(await own.get(party.request().url));
    const fields = Object.fromEntries(form.page().form("/login/native").fields);
    const finish = (await own.post("/login/native", { ...fields, username, password })).location ?? "";
    const { pathname } = new URL(finish);
    for (const name of ["gatehouse_resume", "gatehouse_resume.sig"]) {
      const { value = "" } = own.jar.find(`__Secure-${name}`) ?? {};
      own.jar.clear(`__Secure-${name}`);
      own.jar.take(new URL(server.url), [`${name}=${value}; Path=${pathname}; Secure`]);
    }
    const end = await own.follow(await own.get(finish));
    expect([end.status, end.location]).toEqual([400, null]);
  });

  test("a cookie without the prefix is not a session", async () => {
    const { username, password } = await server.users.create();
    const own = server.secureBrowser();
    const form = await own.follow(await own.get(party.request().url));
    const fields = Object.fromEntries(form.page().form("/login/native").fields);
    await own.follow(await own.post("/login/native", { ...fields, username, password }));
    const other = server.secureBrowser();
    for (const suffix of ["", ".sig"]) {
      const { value = "" } = own.jar.find(`__Host-gatehouse_session${suffix}`) ?? {};
      other.jar.take(new URL(server.url), [`gatehouse_session${suffix}=${value}; Path=/`]);
    }
    const silent = await other.get(party.request({ prompt: "none" }).url);
    expect(silent.location).toContain("error=login_required");
  });
});

describe("on http, for trying it out on this machine", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server?.close());

  test("cookies are the same but for what needs https", async () => {
    const party = await server.parties.create({ firstParty: true });
    const browser = server.browser();
    await signIn(browser, party.request(), await server.users.create());
    const names = browser.jar.all().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["gatehouse_browser", "gatehouse_session", "gatehouse_session.sig"]));
    for (const cookie of browser.jar.all()) {
      expect(cookie).toMatchObject({ httpOnly: true, secure: false, sameSite: "lax" });
    }
    for (const name of ["gatehouse_browser", "gatehouse_session"]) expect(browser.jar.find(name)?.path).toBe("/");
  });

  test("the browser cookie is kept, and a malformed one is replaced", async () => {
    const browser = server.browser();
    await browser.get("/login");
    const first = browser.jar.find("gatehouse_browser");
    expect((await browser.get("/login")).setCookies).toEqual([]);
    for (const forged of ["", "short", "x".repeat(44), "../../../etc/passwd", "<script>"]) {
      browser.jar.take(new URL(server.url), [`gatehouse_browser=${forged}; Path=/`]);
      await browser.get("/login");
      const value = browser.jar.find("gatehouse_browser")?.value;
      expect([forged, value]).toEqual([forged, expect.stringMatching(/^[\w-]{43}$/)]);
      expect(value).not.toBe(first?.value);
    }
  });
});
