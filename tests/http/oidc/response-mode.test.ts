import { describe, expect, test } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";
import { allow, open, seedSignIn, typePassword } from "./browser-steps.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create();

describe("response_mode", () => {
  test.each([undefined, "query"])("%s: the response is in the query", async (response_mode) => {
    const request = party.request({ response_mode });
    const url = new URL((await seedSignIn(server, server.browser(), request, anna)).location ?? "");
    expect(url.hash).toBe("");
    expect([...url.searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
  });

  test("fragment: the response is in the fragment, which no server receives", async () => {
    const request = party.request({ response_mode: "fragment" });
    const url = new URL((await seedSignIn(server, server.browser(), request, anna)).location ?? "");
    expect(url.search).toBe("");
    const parameters = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
    expect(parameters).toEqual({ code: expect.any(String), state: request.state, iss: server.url });
  });

  test("fragment: an error is in the fragment too", async () => {
    const request = party.request({ response_mode: "fragment", prompt: "none" });
    const url = new URL((await open(server.browser(), request.url)).location ?? "");
    expect(Object.fromEntries(new URLSearchParams(url.hash.slice(1)))).toMatchObject({
      error: "login_required",
      state: request.state,
      iss: server.url,
    });
  });

  test("form_post: a page submits the response to the application automatically", async () => {
    const request = party.request({ response_mode: "form_post" });
    const page = await seedSignIn(server, server.browser(), request, anna);
    expect(page.status).toBe(200);
    const [form, ...others] = page.page().forms();
    expect(others).toEqual([]);
    expect(form).toMatchObject({ action: party.redirectUri, method: "post" });
    const fields = Object.fromEntries(form?.fields ?? []);
    expect(fields).toEqual({ code: expect.any(String), state: request.state, iss: server.url });
    expect((await party.exchange(fields.code ?? "", request)).status).toBe(200);
  });

  test("form_post: the page may run its own script only, may submit to the application, and is not cached", async () => {
    const page = await seedSignIn(server, server.browser(), party.request({ response_mode: "form_post" }), anna);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toMatch(/script-src ('self' )?'sha256-/);
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).not.toContain("form-action");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers["cache-control"]).toContain("no-store");
  });

  test("form_post: works with a button without JavaScript", async () => {
    const page = await seedSignIn(server, server.browser(), party.request({ response_mode: "form_post" }), anna);
    // The page parser ignores the content of <noscript>.
    expect(page.body).toMatch(/<noscript>[\s\S]*<button [^>]*type="submit"[\s\S]*<\/noscript>/);
  });

  test.each([
    { said: "the browser", languages: "de-AT, en;q=0.5", asked: undefined },
    { said: "the application", languages: "en", asked: "fr de-AT" },
  ])("form_post: the page is in the language of $said", async ({ languages, asked }) => {
    const browser = server.browser(languages);
    await seedSignIn(server, browser, party.request(), anna);
    const again = await open(browser, party.request({ response_mode: "form_post", ui_locales: asked }).url);
    expect(again.body).toContain('<html lang="de">');
    expect(again.body).toContain("<h1>Zurück zur Anwendung</h1>");
  });

  test("form_post: a language chosen by the user takes precedence", async () => {
    const browser = server.browser("de");
    await browser.get("/error?lng=en");
    await seedSignIn(server, browser, party.request(), anna);
    const page = await open(browser, party.request({ response_mode: "form_post", ui_locales: "de" }).url);
    expect(page.body).toContain('<html lang="en">');
  });

  test("form_post: an error is submitted too", async () => {
    const request = party.request({ response_mode: "form_post", prompt: "none" });
    const page = await open(server.browser(), request.url);
    expect(page.status).toBe(400);
    const [form] = page.page().forms();
    expect(Object.fromEntries(form?.fields ?? [])).toMatchObject({
      error: "login_required",
      state: request.state,
      iss: server.url,
    });
  });

  test("form_post: markup in a state is escaped", async () => {
    const state = `"><script>alert(1)</script>&amp;'`;
    const page = await seedSignIn(server, server.browser(), party.request({ response_mode: "form_post", state }), anna);
    expect(Object.fromEntries(page.page().forms()[0]?.fields ?? [])).toMatchObject({ state });
    expect(page.page().all("script")).toHaveLength(1);
  });

  test.each(["jwt", "web_message", "nonsense"])("%s: refused", async (response_mode) => {
    const response = await open(server.browser(), party.request({ response_mode }).url);
    const parameters = new URL(response.location ?? "").searchParams;
    expect([parameters.get("error"), parameters.get("iss")]).toEqual(["unsupported_response_mode", server.url]);
  });
});

// Proves requirement 91.
test("an application limited to some response modes gets no response by another", async () => {
  const strict = await server.parties.create({ responseModes: ["query"] });
  const request = strict.request({ response_mode: "fragment" });
  const response = await open(server.browser(), request.url);
  expect(response.location ?? "").not.toContain("code=");
  expect(response.location).toContain("error=invalid_request");
  expect((await seedSignIn(server, server.browser(), strict.request(), anna)).location).toContain("code=");
});

test("consent and sign-in pages allow form posts that lead to the application and on from there", async () => {
  const browser = server.browser();
  const other = await server.parties.create();
  const form = await open(browser, other.request().url);
  const question = await typePassword(browser, form, anna);
  for (const page of [form, question]) {
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).not.toContain("form-action");
  }
  expect((await allow(browser, question)).location).toContain(other.redirectUri);
});
