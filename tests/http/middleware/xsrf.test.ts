import { beforeEach, describe, expect, test } from "vitest";
import { HOUR_SECONDS } from "#app/durations.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createFormSetup, FORM_PATHS, type FormPath, OPEN_FORMS, openFormAt } from "./forms.ts";

let browser: Browser;

const server = await serverOfFile();
const setup = await createFormSetup(server);

beforeEach(() => {
  browser = server.browser();
});

/** Forms that check the challenge first and render the error page. */
const STATUS: Readonly<Partial<Record<FormPath, number>>> = { "/login": 400, "/consent": 400 };

function expectRefused(response: HttpResponse, path: FormPath) {
  expect([path, response.status, response.location]).toEqual([path, STATUS[path] ?? 403, null]);
  expect(response.setCookies.filter((cookie) => cookie.startsWith("gatehouse_session"))).toEqual([]);
  if (STATUS[path] === undefined) expect(response.page().state()).toMatchObject({ error: "xsrf" });
}

const without: readonly string[] = [];

/** Tokens that do not belong to the form. */
const TOKENS: Readonly<
  Record<string, (form: { token: string }) => Promise<string | readonly string[]> | string | readonly string[]>
> = {
  missing: () => without,
  empty: () => "",
  garbage: () => "garbage",
  "of the right length": () => `${"A".repeat(22)}.${"A".repeat(43)}`,
  "cut short": ({ token }) => token.slice(0, -1),
  "with another salt": ({ token }) => token.replace(/^./, (first) => (first === "A" ? "B" : "A")),
  "of another browser": async () => (await openFormAt(setup, "/login/native", server.browser())).token,
  "of another user in another browser": async () => {
    const other = await createFormSetup(server);
    return (await openFormAt(other, "/logout/accept", server.browser())).token;
  },
};

describe.each(FORM_PATHS)("a form that is posted to %s", (path) => {
  // Proves requirement 112.
  test.each(Object.entries(TOKENS))("is refused with a token that is %s", async (_what, tokenOf) => {
    const form = await openFormAt(setup, path, browser);
    const _xsrf = await tokenOf(form);
    expectRefused(await browser.post(path, { ...form.fields, _xsrf }), path);
  });

  // Proves requirement 112.
  test("is refused with a token of two hours ago", async () => {
    const old = await openFormAt(setup, path, browser);
    server.clock.advance(2 * HOUR_SECONDS);
    const form = await openFormAt(setup, path, browser);
    expectRefused(await browser.post(path, { ...form.fields, _xsrf: old.token }), path);
  });

  test("is accepted with its own token", async () => {
    const form = await openFormAt(setup, path, browser);
    const response = await browser.post(path, { ...form.fields, _xsrf: form.token });
    expect([path, response.status]).toEqual([path, 303]);
  });

  test("is accepted with its own token an hour later, if the request is still open", async () => {
    const form = await openFormAt(setup, path, browser);
    server.clock.advance(HOUR_SECONDS - 60);
    const response = await browser.post(path, { ...form.fields, _xsrf: form.token });
    expect([path, response.status]).toEqual([path, 303]);
  });
});

describe("a form from before the sign-in", () => {
  const others = FORM_PATHS.filter((path) => !OPEN_FORMS.includes(path) && path !== "/consent");

  test.each(others)("has no token for %s", async (path) => {
    const { token } = await openFormAt(setup, "/login/native", browser);
    const form = await openFormAt(setup, path, browser);
    expectRefused(await browser.post(path, { ...form.fields, _xsrf: token }), path);
  });

  test("still signs in: another tab may have been quicker", async () => {
    const form = await openFormAt(setup, "/login/native", browser);
    await signIn(browser, setup.party.request(), setup.anna);
    const response = await browser.post(form.path, { ...form.fields, _xsrf: form.token });
    expect(response.status).toBe(303);
  });

  test("does not sign in with the token of a session that is over", async () => {
    const { token } = await openFormAt(setup, "/logout/accept", browser);
    browser.jar.clear("gatehouse_session");
    const form = await openFormAt(setup, "/login/native", browser);
    expectRefused(await browser.post(form.path, { ...form.fields, _xsrf: token }), form.path);
  });

  test("does not sign in with the token of another user's session in the same browser", async () => {
    const { token } = await openFormAt(setup, "/logout/accept", browser);
    const other = await createFormSetup(server);
    await openFormAt(other, "/logout/accept", browser);
    const form = await openFormAt(setup, "/login/native", browser);
    expectRefused(await browser.post(form.path, { ...form.fields, _xsrf: token }), form.path);
  });
});

describe("a sign-in form that is refused for its token", () => {
  test("is shown again with its input except the password, and with a valid token", async () => {
    const form = await openFormAt(setup, "/login/native", browser);
    const page = await browser.post(form.path, { ...form.fields, _xsrf: "garbage" });
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(setup.anna.username);
    expect(page.body).not.toContain(setup.anna.password);
    const { username, password } = setup.anna;
    const again = await browser.submit(page, page.page().form(form.path), { username, password });
    expect(again.status).toBe(303);
  });

  test("checks no password, and counts no attempt", async () => {
    const form = await openFormAt(setup, "/login/native", browser);
    const line = server.lines().length;
    const wrong = { ...form.fields, password: "Wrong-Window-27-Oak", _xsrf: "garbage" };
    for (let tries = 0; tries < 12; tries += 1) await browser.post(form.path, wrong);
    expect(
      server
        .lines()
        .slice(line)
        .some(({ event }) => String(event).startsWith("sign-in")),
    ).toBe(false);
    expect((await browser.post(form.path, { ...form.fields, _xsrf: form.token })).status).toBe(303);
  });
});

test.each(["/consent/accept", "/consent/reject", "/logout/accept", "/logout/reject", "/login/proceed"] as const)(
  "a form at %s that is refused because of its token is shown again with a valid one",
  async (path) => {
    const form = await openFormAt(setup, path, browser);
    const page = await browser.post(path, { ...form.fields, _xsrf: "garbage" });
    const button = path === "/login/proceed" ? "Proceed" : undefined;
    expect((await browser.submit(page, page.page().form(path), {}, button)).status).toBe(303);
  },
);

test("every page gets its own token, so that a compressed length does not leak it", async () => {
  const tokens = new Set<string>();
  for (let count = 0; count < 20; count += 1) tokens.add((await openFormAt(setup, "/login/native", browser)).token);
  expect(tokens.size).toBe(20);
});
