import { beforeEach, describe, expect, test } from "vitest";
import { copyOf, findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf, stateOf, tokensOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, seedSignIn } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";

const LOGOUT = "/oauth2/sessions/logout";
const SIGNED_OUT = "http://localhost:9/signed-out";
let browser: Browser;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true, postLogoutRedirectUris: [SIGNED_OUT] });

beforeEach(async () => {
  browser = server.browser();
  await seedSignIn(server, browser, party.request(), anna);
});

const press = (page: HttpResponse, path: "/logout/accept" | "/logout/reject") =>
  browser.submit(page, page.page().form(path));

test("a sign-out asks for confirmation: two forms, each with challenge and anti-forgery token", async () => {
  const page = await open(browser, LOGOUT);
  expect([page.status, page.page().title]).toEqual([200, "Sign out | Gatehouse"]);
  expect(stateOf(page)).toEqual({
    status: "pending",
    logout_challenge: expect.stringMatching(/^[\w-]{32,}$/),
    xsrf_token: expect.any(String),
  });
  for (const path of ["/logout/accept", "/logout/reject"]) {
    const names = page
      .page()
      .form(path)
      .fields.map(([name]) => name);
    expect(names.sort()).toEqual(["_xsrf", "logout_challenge"]);
  }
  expect(page.page().text).toContain(`Signed in as ${anna.displayName}`);
});

describe("accepting", () => {
  test("ends the session in this browser and in all copies of it", async () => {
    const page = await open(browser, LOGOUT);
    const copy = copyOf(browser, server.url);
    const accepted = await press(page, "/logout/accept");
    expect(accepted.status).toBe(303);
    expect(browser.jar.find("gatehouse_session")?.value ?? "").toBe("");
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect(await findSignedInUser(party, copy)).toBe("login_required");
    expect(copy.jar.find("gatehouse_session")).not.toBeNull();
  });

  // Proves requirement 117.
  test("makes the browser clear its cached pages", async () => {
    const accepted = await press(await open(browser, LOGOUT), "/logout/accept");
    expect(accepted.headers["clear-site-data"]).toBe('"cache"');
  });

  test("ends at the product's own page without a post_logout_redirect_uri", async () => {
    const end = await followRedirects(browser, await press(await open(browser, LOGOUT), "/logout/accept"));
    expect([new URL(end.url).pathname, end.status]).toEqual(["/logout/callback", 200]);
    expect(stateOf(end)).toMatchObject({ status: "accepted", logout_challenge: "" });
    expect(end.page().title).toBe("Signed out | Gatehouse");
  });

  test("ends at the application's registered address, with its state", async () => {
    const query = new URLSearchParams({
      client_id: party.clientId,
      post_logout_redirect_uri: SIGNED_OUT,
      state: "a state & more",
    });
    const page = await open(browser, `${LOGOUT}?${query}`);
    expect(page.headers["content-security-policy"]).not.toContain("form-action");
    const end = await browser.followTo(await press(page, "/logout/accept"), SIGNED_OUT);
    expect([end.origin + end.pathname, end.searchParams.get("state")]).toEqual([SIGNED_OUT, "a state & more"]);
  });

  test("keeps the browser cookie and the language: they are not a session", async () => {
    await browser.get("/login?lng=de");
    const before = browser.jar.find("gatehouse_browser")?.value;
    await press(await open(browser, LOGOUT), "/logout/accept");
    expect(browser.jar.find("gatehouse_browser")?.value).toBe(before);
    expect(browser.jar.find("i18next")?.value).toBe("de");
  });
});

describe("rejecting", () => {
  test("keeps the session, and shows it on a separate page", async () => {
    const end = await followRedirects(browser, await press(await open(browser, LOGOUT), "/logout/reject"));
    expect([new URL(end.url).pathname, end.status]).toEqual(["/logout/reject", 200]);
    expect(stateOf(end)).toMatchObject({ status: "rejected" });
    expect(end.page().text).toContain("Logout aborted!");
    expect(end.page().one("a", { href: "/" }).text).toBe("My applications");
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("uses the challenge up", async () => {
    const page = await open(browser, LOGOUT);
    await press(page, "/logout/reject");
    expect(refusalOf(await press(page, "/logout/accept"))).toEqual({ status: 400, error: "challenge" });
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });
});

test("accepting while the database is broken fails with an error page, and ends no session", async () => {
  const signOuts = () => server.lines().filter(({ event, outcome }) => event === "sign-out" && outcome === "ok").length;
  const before = signOuts();
  const page = await open(browser, LOGOUT);
  const { store } = server.context;
  await store.execute("ALTER TABLE clients RENAME TO clients_away");
  const failed = await press(page, "/logout/accept").finally(() =>
    store.execute("ALTER TABLE clients_away RENAME TO clients"),
  );
  expect([failed.status, failed.location, stateOf(failed).status]).toEqual([500, null, "failed"]);
  expect([failed.page().title, failed.headers["clear-site-data"]]).toEqual([
    "Error: Sign-out failed | Gatehouse",
    undefined,
  ]);
  expect(failed.page().text).toContain("Logout failed!");
  expect([await findSignedInUser(party, browser), signOuts()]).toEqual([anna.id, before]);
  expect((await press(page, "/logout/accept")).status).toBe(303);
  expect(signOuts()).toBe(before + 1);
});

describe("a logout page without a challenge", () => {
  test.each([
    "/logout",
    "/logout/accept",
    "/logout?logout_challenge=nothing",
    "/logout/reject?logout_challenge=nothing",
  ])("is a 400 with a next step: %s", async (url) => {
    const page = await browser.get(url);
    expect(refusalOf(page)).toEqual({ status: 400, error: "challenge" });
    expect(page.page().text).toContain("Logout-Challenge is empty or invalid!");
    expect(page.page().forms()).toEqual([]);
    expect(page.page().one("a", { class: "button" }).attributes.href).toBe(server.context.config.appUrl);
  });
});

test("of two open sign-out pages only the newest is valid", async () => {
  const [old, current] = [await open(browser, LOGOUT), await open(browser, LOGOUT)];
  expect(tokensOf(old).logout_challenge).not.toBe(tokensOf(current).logout_challenge);
  expect(refusalOf(await press(old, "/logout/accept"))).toEqual({ status: 400, error: "challenge" });
  expect((await press(current, "/logout/accept")).status).toBe(303);
});

test("a sign-out without a session ends at once", async () => {
  const end = await open(server.browser(), LOGOUT);
  expect([new URL(end.url).pathname, end.status]).toEqual(["/logout/callback", 200]);
});
