import { and, eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, obtainTokens, signIn } from "#tests/http/oidc/browser-steps.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import {
  choose,
  mailsTo,
  openLink,
  SUCCESS as PASSWORD_SUCCESS,
  redirectTarget,
  requestLink,
} from "#tests/http/password-reset/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import * as desk from "./steps.ts";

const { adminLink, confirm, ERROR_TOKEN, factorsOf, giveFactors, HOUR, NO_FACTORS, SUCCESS } = desk;
let browser: Browser;
let anna: desk.MailedUser;
let count = 0;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });

async function createMailedUser(groupName?: string): Promise<desk.MailedUser> {
  count += 1;
  const email = `factors-${count}@office.example`;
  return { ...(await server.users.create({ email, ...(groupName ? { groupName } : {}) })), email };
}

beforeEach(async () => {
  browser = server.browser();
  anna = await createMailedUser();
});

describe("a link that removes second factors", () => {
  // Proves requirement 74.
  test("asks for confirmation, removes all of them once, signs no user in, and sends a mail", async () => {
    await giveFactors(server, anna);
    const page = await openLink(browser, await adminLink(server, anna));
    expect(page.url).toBe(`${server.url}/mfa-reset/reset-form`);
    expect(stateOf(page)).toEqual({
      xsrf_token: expect.any(String),
      reset_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(page.body).toContain(anna.username);
    expect(await factorsOf(server, anna)).toMatchObject({ totp: 1, securityKeys: 1 });
    const response = await confirm(browser, page);
    expect([response.status, redirectTarget(response), response.headers["clear-site-data"]]).toEqual([
      303,
      SUCCESS,
      '"cache"',
    ]);
    expect(await factorsOf(server, anna)).toEqual(NO_FACTORS);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect((await mailsTo(server, anna.email)).at(-1)?.subject).toBe("Your second factors were reset");
    const done = await browser.follow(response);
    expect([done.status, stateOf(done)]).toEqual([200, { status: "success" }]);
    expect(done.body).toContain("Your additional factors reset!");
    const ofAnna = server.lines().filter(({ userId }) => userId === anna.id);
    expect(ofAnna.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["factor-reset.requested", "factor-reset.done"]),
    );
  });

  test("leaves the password: the next sign-in asks for it, and for no factor", async () => {
    await giveFactors(server, anna);
    await confirm(browser, await openLink(browser, await adminLink(server, anna)));
    await signIn(browser, party.request(), anna);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("promises no set-up where the next sign-in demands no factor", async () => {
    await giveFactors(server, anna);
    const form = await openLink(browser, await adminLink(server, anna));
    expect(form.page().text).not.toContain("next sign-in");
    const done = await browser.follow(await confirm(browser, form));
    expect(done.page().text).toContain("Sign in, and set up a new second factor in your login settings.");
  });

  test("leads to the set-up of a new factor where one is required", async () => {
    const { name } = await server.groups.create({ requireMfa: true });
    const clerk = await createMailedUser(name);
    await giveFactors(server, clerk);
    const form = await openLink(browser, await adminLink(server, clerk));
    expect(form.page().text).toContain("You will set up a new second factor at your next sign-in.");
    const done = await browser.follow(await confirm(browser, form));
    expect(done.page().text).toContain("Sign in to set up a new second factor.");
    const { page } = await openStep(browser, party.request().url, clerk);
    expect(stateOf(page)).toMatchObject({ totpRegistered: false, fido2Registered: false });
    expect(hasForm(page, "/mfa/setup")).toBe(true);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  // Proves requirement 74.
  test("ends every session and token, every pending sign-in and every link to a new password", async () => {
    const tokens = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
    await requestLink(server.browser(), anna.username);
    await mailsTo(server, anna.email);
    const app = await giveTotp(server, anna);
    const pending = await openStep(server.browser(), party.request().url, anna);
    const elsewhere = server.browser();
    expect(redirectTarget(await confirm(elsewhere, await openLink(elsewhere, await adminLink(server, anna))))).toBe(
      SUCCESS,
    );
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect((await party.refresh(String(tokens.refreshToken))).status).toBe(400);
    const late = await followRedirects(pending.browser, await pending.post("/mfa/verify", { code: await app.code() }));
    expect([late.location, stateOf(late).error]).toEqual([null, "unauthorized"]);
    const { t, q } = server.context.store;
    const dead = inArray(t.oneTimeTokens.kind, ["mfa", "password-reset"]);
    expect(await q.$count(t.oneTimeTokens, and(eq(t.oneTimeTokens.userId, anna.id), dead))).toBe(0);
  });

  // Proves requirements 66, 68.
  test("is in no URL after the first one, in no log line and in no row", async () => {
    const link = await adminLink(server, anna);
    const first = await browser.get(link);
    expect([first.status, redirectTarget(first)]).toEqual([303, "/mfa-reset/reset-form"]);
    const [cookie = ""] = first.setCookies.filter((one) => one.includes("mfa_reset="));
    expect(cookie).toMatch(/Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax/);
    const token = new URL(link).searchParams.get("reset_token") ?? "";
    expect(JSON.stringify(server.lines())).not.toContain(token);
    const { t, q } = server.context.store;
    expect(JSON.stringify(await q.select().from(t.oneTimeTokens))).not.toContain(token);
  });

  test("is used up by no GET and no HEAD", async () => {
    await giveFactors(server, anna);
    const link = await adminLink(server, anna);
    for (let visit = 0; visit < 3; visit += 1) {
      const scanner = server.browser();
      await scanner.send("HEAD", link, null);
      expect(hasForm(await openLink(scanner, link), "/mfa-reset/reset")).toBe(true);
    }
    expect(await factorsOf(server, anna)).toMatchObject({ totp: 1, securityKeys: 1 });
    expect(redirectTarget(await confirm(browser, await openLink(browser, link)))).toBe(SUCCESS);
  });

  test("and a link to a new password at the same moment do not wait for each other: one of them succeeds", async () => {
    const pages = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const mailedUser = await createMailedUser();
        await giveTotp(server, mailedUser);
        const password = server.browser();
        const factors = server.browser();
        const { url } = await createPasswordLink(server.context, mailedUser.username);
        return {
          ...{ password, factors },
          onPassword: await openLink(password, url),
          onFactors: await openLink(factors, await adminLink(server, mailedUser)),
        };
      }),
    );
    const rounds = await Promise.all(
      pages.map(async ({ password, factors, onPassword, onFactors }) =>
        Promise.all([choose(password, onPassword), confirm(factors, onFactors)]),
      ),
    );
    for (const [password, factors] of rounds) {
      expect([password.status, factors.status]).toEqual([303, 303]);
      const won = [redirectTarget(password) === PASSWORD_SUCCESS, redirectTarget(factors) === SUCCESS];
      expect(won.filter(Boolean)).toHaveLength(1);
    }
  });

  test.each([
    ["when its hour is over", async () => server.clock.advance(HOUR)],
    ["after a newer link", async () => void (await adminLink(server, anna))],
    ["after another password", () => setUserPassword(server.context, anna.username, "Garden-Trolley-51-Moss")],
    ["of a user who was blocked in the meantime", () => blockUser(server.context, anna.username)],
  ])("is not good %s: neither opened nor sent", async (_when, happen) => {
    await giveFactors(server, anna);
    const before = await factorsOf(server, anna);
    const link = await adminLink(server, anna);
    const page = await openLink(browser, link);
    await happen();
    expect(redirectTarget(await confirm(browser, page))).toBe(ERROR_TOKEN);
    const dead = await openLink(server.browser(), link);
    expect([new URL(dead.url).search, dead.status]).toEqual(["?status=error-token", 400]);
    expect(dead.body).toContain("Token expired!");
    expect(await factorsOf(server, anna)).toEqual(before);
  });

  test("is good to the last second", async () => {
    const link = await adminLink(server, anna);
    server.clock.advance(HOUR - 1);
    expect(redirectTarget(await confirm(browser, await openLink(browser, link)))).toBe(SUCCESS);
  });

  test.each(["", "x", "a".repeat(43), "../../etc", `${"a".repeat(42)}\n`, "a".repeat(5000)])(
    "is nothing else: %j",
    async (token) => {
      const response = await browser.get(`/mfa-reset/reset-form?reset_token=${encodeURIComponent(token)}`);
      expect([response.status, redirectTarget(response)]).toEqual([303, ERROR_TOKEN]);
      expect(response.setCookies.filter((one) => one.includes("reset="))).toEqual([]);
    },
  );

  test("says in a browser that has not opened it how to reach the form, not that the link is invalid", async () => {
    const page = await openLink(browser, await adminLink(server, anna));
    for (const [address, target] of [
      [page.url, "/mfa-reset/reset-status?status=no-link"],
      ["/mfa-reset/stop", "/mfa-reset/stop?status=no-link"],
    ] as const) {
      expect(redirectTarget(await server.browser().get(address))).toBe(target);
      const explained = await openLink(server.browser(), address);
      expect([explained.status, stateOf(explained)]).toEqual([400, { status: "no-link" }]);
      expect(explained.page().one("h1").text).toBe("Please open the link from the e-mail here");
    }
    expect(redirectTarget(await confirm(browser, page))).toBe(SUCCESS);
  });

  test("is not a password reset link, and a password reset link is not a factor reset link", async () => {
    await requestLink(browser, anna.username);
    const [mail] = await mailsTo(server, anna.email);
    const [, password = ""] = /reset_token=([\w-]+)/.exec(mail?.text ?? "") ?? [];
    const factors = new URL(await adminLink(server, anna)).searchParams.get("reset_token");
    expect(redirectTarget(await browser.get(`/mfa-reset/reset-form?reset_token=${password}`))).toBe(ERROR_TOKEN);
    const other = await browser.get(`/password-reset/reset-form?reset_token=${factors}`);
    expect(redirectTarget(other)).toBe("/password-reset/reset-status?status=error-token");
    const page = await openLink(browser, await adminLink(server, anna));
    expect(redirectTarget(await confirm(browser, page, { reset_token: password }))).toBe(ERROR_TOKEN);
  });
});

describe("the form that removes second factors", () => {
  test("is refused without its anti-forgery token, and shown again with a fresh one", async () => {
    await giveFactors(server, anna);
    const page = await openLink(browser, await adminLink(server, anna));
    const refused = await confirm(browser, page, { _xsrf: "stale" });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
    expect(await factorsOf(server, anna)).toMatchObject({ totp: 1 });
    expect(redirectTarget(await confirm(browser, refused))).toBe(SUCCESS);
  });

  test("is where a GET of its action leads", async () => {
    expect(redirectTarget(await browser.get("/mfa-reset/reset"))).toBe("/mfa-reset/reset-form");
  });

  test.each([
    ["success", 200],
    ["error-token", 400],
    ["too-early", 400],
    ["<b>x", 400],
    ["", 400],
  ])("has status pages for %j, and a generic one for an unknown status", async (status, code) => {
    const page = await browser.get(`/mfa-reset/reset-status?${new URLSearchParams({ status })}`);
    expect([page.status, stateOf(page)]).toEqual([code, { status }]);
    expect(page.body).not.toContain("<b>x");
  });
});
