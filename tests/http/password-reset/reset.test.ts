import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { obtainTokens, signIn } from "#tests/http/oidc/browser-steps.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import {
  choose,
  ERROR_TOKEN,
  FIRST_SUCCESS,
  mailsTo,
  NEW_PASSWORD,
  NO_LINK,
  obtainLink,
  openLink,
  redirectTarget,
  SUCCESS,
} from "./steps.ts";

let browser: Browser;
let anna: TestUser & { email: string };

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });

let count = 0;

beforeEach(async () => {
  count += 1;
  browser = server.browser();
  const email = `reset-${count}@office.example`;
  anna = { ...(await server.users.create({ email })), email };
});

/** Returns whether this password signs the user in. */
async function opens(password: string): Promise<boolean> {
  const stranger = server.browser();
  await signIn(stranger, party.request(), { ...anna, password });
  return (await findSignedInUser(party, stranger)) === anna.id;
}

describe("a link to a new password", () => {
  // Proves requirements 69, 72.
  test("changes the password once, signs no user in, and sends a mail", async () => {
    const page = await openLink(browser, await obtainLink(server, anna));
    expect(page.url).toBe(`${server.url}/password-reset/reset-form`);
    expect(stateOf(page)).toEqual({
      xsrf_token: expect.any(String),
      reset_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(page.body).toContain(anna.username);
    const response = await choose(browser, page);
    expect([response.status, redirectTarget(response)]).toEqual([303, SUCCESS]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect([await opens(anna.password), await opens(NEW_PASSWORD)]).toEqual([false, true]);
    expect((await mailsTo(server, anna.email, 2)).at(-1)?.subject).toContain("password");
  });

  test("changes nothing when the form is posted to the URL of its page", async () => {
    const page = await openLink(browser, await obtainLink(server, anna));
    const form = page.page().form("/password-reset/reset");
    const typed = { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD };
    const response = await browser.submit(page, { ...form, action: "/password-reset/reset-form" }, typed);
    expect(response.status).toBe(405);
    expect([await opens(anna.password), await opens(NEW_PASSWORD)]).toEqual([true, false]);
  });

  // Proves requirements 66, 68.
  test("is in no URL after the first one, and in no log line", async () => {
    const link = await obtainLink(server, anna);
    const first = await browser.get(link);
    expect([first.status, redirectTarget(first)]).toEqual([303, "/password-reset/reset-form"]);
    const [cookie = ""] = first.setCookies.filter((one) => one.includes("reset="));
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    const token = new URL(link).searchParams.get("reset_token") ?? "";
    expect(JSON.stringify(server.lines())).not.toContain(token);
    const { t, q } = server.context.store;
    expect(JSON.stringify(await q.select().from(t.oneTimeTokens))).not.toContain(token);
  });

  // Proves requirement 69.
  test("is used up by no GET and no HEAD", async () => {
    const link = await obtainLink(server, anna);
    for (let visit = 0; visit < 3; visit += 1) {
      const scanner = server.browser();
      await scanner.send("HEAD", link, null);
      expect(hasForm(await openLink(scanner, link), "/password-reset/reset")).toBe(true);
    }
    expect(redirectTarget(await choose(browser, await openLink(browser, link)))).toBe(SUCCESS);
  });

  // Proves requirements 62, 73.
  test("ends every session and token of the user, and keeps second factors", async () => {
    const tokens = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
    const link = await obtainLink(server, anna);
    const app = await giveTotp(server, anna);
    const elsewhere = server.browser();
    expect(redirectTarget(await choose(elsewhere, await openLink(elsewhere, link)))).toBe(SUCCESS);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect((await party.refresh(String(tokens.refreshToken))).status).toBe(400);
    const next = await signIn(elsewhere, party.request(), { ...anna, password: NEW_PASSWORD });
    expect(new URL(next.url).pathname).toBe("/mfa/verify");
    expect(await app.code()).toMatch(/^\d{6}$/);
  });

  // Proves requirement 69.
  test.each([
    ["after an hour and a second", async () => server.clock.advance(60 * 60 + 1)],
    ["after a newer link", async () => void (await obtainLink(server, anna))],
    ["after another password", () => setUserPassword(server.context, anna.username, "Garden-Trolley-51-Moss")],
    ["of a user who was blocked in the meantime", () => blockUser(server.context, anna.username)],
  ])("is not good %s: neither opened nor sent", async (_when, happen) => {
    const link = await obtainLink(server, anna);
    const page = await openLink(browser, link);
    await happen();
    expect(redirectTarget(await choose(browser, page))).toBe(ERROR_TOKEN);
    const status = await openLink(server.browser(), link);
    expect([new URL(status.url).search, status.status]).toEqual(["?status=error-token", 400]);
    expect(await opens(NEW_PASSWORD)).toBe(false);
  });

  test.each(["", "x", "a".repeat(43), "../../etc", `${"a".repeat(42)}\n`, "a".repeat(5000)])(
    "is nothing else: %j",
    async (token) => {
      const response = await browser.get(`/password-reset/reset-form?reset_token=${encodeURIComponent(token)}`);
      expect([response.status, redirectTarget(response)]).toEqual([303, ERROR_TOKEN]);
      expect(response.setCookies.filter((one) => one.includes("reset="))).toEqual([]);
    },
  );

  test("is not the token of a second step, nor the other way round", async () => {
    await giveTotp(server, anna);
    const step = await signIn(browser, party.request(), anna);
    const mfaToken = String(stateOf(step).token);
    expect(redirectTarget(await browser.get(`/password-reset/reset-form?reset_token=${mfaToken}`))).toBe(ERROR_TOKEN);
    const { loginChallenge, xsrfToken } = stateOf(step);
    const reset = new URL(await obtainLink(server, anna)).searchParams.get("reset_token") ?? "";
    const response = await browser.post("/mfa/verify", {
      _xsrf: String(xsrfToken),
      login_challenge: String(loginChallenge),
      mfa_token: reset,
    });
    expect(response.status).toBe(403);
  });
});

describe("the form for a new password", () => {
  // Proves requirement 7.
  test.each([
    ["empty-password", { password: "" }],
    ["empty-password-repeat", { password_repeat: "" }],
    ["passwords-not-equal", { password_repeat: `${NEW_PASSWORD}x` }],
    ["password-strength", { password: "Short-1", password_repeat: "Short-1" }],
    ["password-common", { password: "Passwordpassword1", password_repeat: "Passwordpassword1" }],
  ])("shows %s on the same page, and the link stays valid", async (code, typed) => {
    const page = await openLink(browser, await obtainLink(server, anna));
    const again = await choose(browser, page, typed);
    expect([again.status, stateOf(again).error]).toEqual([400, code]);
    expect(again.body).toContain(`data-code="${code}"`);
    for (const value of Object.values(typed)) if (value) expect(again.body).not.toContain(value);
    expect(redirectTarget(await choose(browser, again))).toBe(SUCCESS);
  });

  test("is refused without its anti-forgery token, and shown again with a fresh one", async () => {
    const page = await openLink(browser, await obtainLink(server, anna));
    const refused = await choose(browser, page, { _xsrf: "stale" });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
    expect(redirectTarget(await choose(browser, refused))).toBe(SUCCESS);
  });

  test("sets a first password for a user without one", async () => {
    const { t, q } = server.context.store;
    await q.update(t.users).set({ passwordHash: null }).where(eq(t.users.id, anna.id)).returning();
    expect(redirectTarget(await choose(browser, await openLink(browser, await obtainLink(server, anna))))).toBe(
      FIRST_SUCCESS,
    );
    expect(await opens(NEW_PASSWORD)).toBe(true);
  });

  test("says in a browser that has not opened it how to reach the form, not that the link is invalid", async () => {
    const page = await openLink(browser, await obtainLink(server, anna));
    const elsewhere = await server.browser().get(page.url);
    expect(redirectTarget(elsewhere)).toBe(NO_LINK);
    const explained = await openLink(server.browser(), page.url);
    expect([explained.status, stateOf(explained)]).toEqual([400, { status: "no-link" }]);
    expect(explained.page().one("h1").text).toBe("Please open the link from the e-mail here");
    expect(redirectTarget(await choose(browser, page))).toBe(SUCCESS);
  });
});
