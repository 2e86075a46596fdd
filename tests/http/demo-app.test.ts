import { afterAll, describe, expect, it } from "vitest";
import { demoAppUris, startDemoApp } from "#demo/app.ts";
import { type Browser, createBrowser, type HttpResponse } from "#tests/support/browser-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";

// The application checks times by this process's clock.
const server = await serverOfFile();
const port = await freePort();
const { redirectUri, postLogoutRedirectUri, registrationUrl, settingsReturnUri } = demoAppUris(port);
const { clientId, clientSecret } = await server.clients.create({
  name: "Broker Desk",
  redirectUris: [redirectUri],
  postLogoutRedirectUris: [postLogoutRedirectUri],
  scopes: ["openid", "profile", "email", "offline", "reports", "tasks"],
  registrationUrl,
  regHints: ["email", "name"],
  mayOpenSettings: true,
  settingsReturnUris: [settingsReturnUri],
});
const demoApp = await startDemoApp({
  issuer: server.url,
  port,
  clientId,
  clientSecret: clientSecret ?? "",
  allowInsecure: true,
});

afterAll(async () => {
  await demoApp.close();
});

async function signIn(browser: Browser, user: TestUser): Promise<HttpResponse> {
  const login = await browser.follow(await browser.get("/sign-in"));
  const { username, password } = user;
  const consent = await browser.follow(
    await browser.submit(login, login.page().form("/login/native"), { username, password }),
  );
  return browser.follow(await browser.submit(consent, consent.page().form("/consent/accept")));
}

describe("the demo application", () => {
  it("signs a user in and shows the verified claims", async () => {
    const anna = await server.users.create({ displayName: "Anna <b>Berg</b>" });
    const browser = createBrowser({ base: demoApp.url });
    const home = await signIn(browser, anna);
    expect(home.url).toBe(`${demoApp.url}/`);
    expect(home.page().one("h1").text).toBe("Hello, Anna <b>Berg</b>");
    expect(home.page().one("dl", { id: "claims" }).text).toContain(`sub ${anna.id}`);
    expect(home.page().one("dl", { id: "userinfo" }).text).toContain(`preferred_username ${anna.username}`);
  });

  it("is in German for a German browser, as is the sign-in page", async () => {
    const browser = createBrowser({ base: demoApp.url, language: "de-DE,de;q=0.9,en;q=0.5" });
    const home = await browser.get("/");
    expect(home.page().lang).toBe("de");
    expect(home.page().one("a", { href: "/sign-in" }).text).toBe("Anmelden");
    const login = await browser.follow(await browser.get("/sign-in"));
    expect(login.page().lang).toBe("de");
  });

  it("registers a user without an account, under another name if the first is taken", async () => {
    const anna = await server.users.create();
    const browser = createBrowser({ base: demoApp.url });
    const hintsForm = await browser.get("/ask");
    const hints = { name: "Eva <b>Brandt</b>", email: "eva@office.example" };
    const form = await browser.follow(await browser.submit(hintsForm, hintsForm.page().form("/sign-in"), hints));
    const join = await browser.follow(await browser.submit(form, form.page().form("/register")));
    expect(join.url).toBe(`${demoApp.url}/join`);
    const { fields } = join.page().form("/join");
    expect(Object.fromEntries(fields)).toEqual({ username: "", ...hints });
    const taken = await browser.submit(join, join.page().form("/join"), { username: anna.username });
    expect([taken.status, taken.body]).toEqual([400, expect.stringContaining("This username is taken.")]);
    const username = "eva.brandt";
    const back = await browser.follow(await browser.submit(taken, taken.page().form("/join"), { username }));
    expect(new URL(back.url).origin).toBe(server.url);
    expect(Object.fromEntries(back.page().form("/login/native").fields)).toMatchObject({ username });
    expect((await browser.get("/join")).status).toBe(400);
  });

  it("shows a forged or used registration_token as a problem", async () => {
    const browser = createBrowser({ base: demoApp.url });
    const page = await browser.get(`/join?registration_token=${"a".repeat(43)}`);
    expect([page.status, page.body]).toEqual([400, expect.stringContaining("registration not found")]);
  });

  it("refreshes tokens without user interaction", async () => {
    const browser = createBrowser({ base: demoApp.url });
    const home = await signIn(browser, await server.users.create());
    server.clock.advance(5 * 60);
    const refreshed = await browser.follow(await browser.submit(home, home.page().form("/refresh")));
    expect(refreshed.page().one("h1").text).toContain("Hello");
    expect(refreshed.page().one("dl", { id: "claims" }).text).not.toBe(home.page().one("dl", { id: "claims" }).text);
  });

  it("opens the login settings of the user, which link back", async () => {
    const anna = await server.users.create();
    const browser = createBrowser({ base: demoApp.url });
    const home = await signIn(browser, anna);
    server.clock.advance(9 * 60);
    const settings = await browser.follow(await browser.submit(home, home.page().form("/settings")));
    expect([settings.status, settings.url]).toEqual([200, `${server.url}/manage`]);
    expect(settings.page().state()).toMatchObject({ user_id: anna.id, return_to_url: `${demoApp.url}/` });
    expect(settings.page().one("a", { href: `${demoApp.url}/` }).attributes["aria-label"]).toBe("Back to Broker Desk");
  });

  it("signs out here and at the provider", async () => {
    const browser = createBrowser({ base: demoApp.url });
    const home = await signIn(browser, await server.users.create());
    const out = await browser.follow(await browser.submit(home, home.page().form("/sign-out")));
    expect(out.url.startsWith(demoApp.postLogoutRedirectUri)).toBe(true);
    expect(out.page().one("h1").text).toBe("You are signed out");
    const again = await browser.follow(await browser.get("/sign-in"));
    expect(
      again
        .page()
        .form("/login/native")
        .fields.map(([name]) => name),
    ).toContain("password");
  });

  it("handles access_denied", async () => {
    const anna = await server.users.create();
    const browser = createBrowser({ base: demoApp.url });
    const login = await browser.follow(await browser.get("/sign-in"));
    const form = login.page().form("/login/native");
    const consent = await browser.follow(
      await browser.submit(login, form, { username: anna.username, password: anna.password }),
    );
    const back = await browser.follow(await browser.submit(consent, consent.page().form("/consent/reject")));
    expect(back.status).toBe(400);
    expect(back.page().text).toContain("You did not allow Broker Desk to sign you in.");
  });

  it("refuses responses to requests of other browsers, and forms of other sites", async () => {
    const thief = createBrowser({ base: demoApp.url });
    const departure = await thief.get("/sign-in");
    const state = new URL(departure.location ?? "").searchParams.get("state");
    const victim = createBrowser({ base: demoApp.url });
    const callback = await victim.get(`/callback?state=${state}&code=stolen`);
    expect(callback.status).toBe(400);
    expect(callback.page().text).toContain("not started here");
    const post = await victim.post("/sign-out", {}, { headers: { origin: "http://evil.example" } });
    expect(post.status).toBe(403);
  });

  it("reports that the provider is unreachable", async () => {
    const unreachable = await startDemoApp({
      issuer: `http://localhost:${await freePort()}`,
      port: await freePort(),
      clientId: "desk",
      clientSecret: "a secret that nobody asks for",
      allowInsecure: true,
    });
    const response = await createBrowser({ base: unreachable.url }).get("/sign-in");
    expect(response.status).toBe(502);
    expect(response.page().text).toContain("cannot be reached");
    await unreachable.close();
  });
});
