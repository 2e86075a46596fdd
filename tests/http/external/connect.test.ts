import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import type { Provider } from "#app/config/providers.ts";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { createSettingsClient, pathOf } from "#tests/http/settings/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { chooseUser, postToCallback, signInAt } from "./steps.ts";

let browser: Browser;
let anna: TestUser;
let eva: FakeProviderUser;

const setup = await providersOfFile();
const settings = await createSettingsClient(setup.server);

beforeEach(async () => {
  browser = setup.server.browser();
  anna = await setup.server.users.create();
  eva = addProviderUser(setup.upstream.google);
});

const formOf = (page: HttpResponse, provider: Provider) => page.page().form(`/manage/oauth/${provider}`);

/** Opens the settings and presses Connect; returns the provider's page. */
async function leave(provider: Provider = "google", user = anna): Promise<HttpResponse> {
  const overview = await settings.openSettings(browser, user);
  return atProvider(await browser.submit(overview, formOf(overview, provider)));
}

/** Follows the page that leads to the provider. */
async function atProvider(page: HttpResponse): Promise<HttpResponse> {
  const link = page.page().one("a", { class: "button" }).attributes["href"] ?? "";
  expect([page.status, page.headers["refresh"]]).toEqual([200, `0; url=${link}`]);
  return browser.follow(await browser.get(link));
}

/** Returns the response of our callback. */
async function finish(page: HttpResponse, sub: string, callbackBrowser = browser): Promise<HttpResponse> {
  const response = await chooseUser(browser, page, sub);
  const back = response.location ?? (await postToCallback(callbackBrowser, response)).location;
  return callbackBrowser.get(back ?? "about:blank");
}

const mailsToAnna = async () =>
  (await setup.server.mails()).filter(({ to }) => to === `${anna.username}@office.example`);

const accountsOf = (user: TestUser) => listExternalAccounts(setup.server.context.store, user.id);

describe("connecting an account", () => {
  // Proves requirement 23.
  test.each<Provider>(["google", "microsoft", "apple"])(
    "of %s from the settings lets the user sign in with it, and sends a mail",
    async (provider) => {
      const upstream = setup.upstream[provider];
      const providerUser = addProviderUser(upstream);
      const end = await finish(await leave(provider), providerUser.sub);
      expect(pathOf(end)).toBe("/manage?status=oauth-connect-success");
      expect(await accountsOf(anna)).toEqual({ [provider]: { id: expect.any(String), name: providerUser.email } });
      const overview = await browser.get(end.location ?? "");
      expect(overview.page().text).toContain(providerUser.email);

      expect(await mailsToAnna()).toContainEqual(
        expect.objectContaining({ text: expect.stringContaining(providerUser.email) }),
      );

      const elsewhere = setup.server.browser();
      await signInAt(elsewhere, settings.party.request().url, upstream, providerUser.sub);
      expect(await findSignedInUser(settings.party, elsewhere)).toBe(anna.id);
    },
  );

  test("connects nothing if its event cannot be stored: it is one transaction", async () => {
    const { store } = setup.server.context;
    const page = await leave();
    await store.execute("ALTER TABLE audit_events RENAME TO audit_events_away");
    try {
      expect((await finish(page, eva.sub)).status).toBe(500);
    } finally {
      await store.execute("ALTER TABLE audit_events_away RENAME TO audit_events");
    }
    expect(await accountsOf(anna)).toEqual({});
    expect(await mailsToAnna()).toEqual([]);
  });

  test("requests prompt=select_account from the provider", async () => {
    const overview = await settings.openSettings(browser, anna);
    const page = await browser.submit(overview, formOf(overview, "google"));
    const url = new URL(page.page().one("a", { class: "button" }).attributes["href"] ?? "");
    expect(url.searchParams.get("prompt")).toBe("select_account");
  });

  test("that is cancelled at the provider changes nothing, and shows it", async () => {
    const end = await finish(await leave(), "");
    expect(pathOf(end)).toBe("/manage?oauth-error=access_denied");
    expect((await browser.get(end.location ?? "")).page().text).toContain(
      "You cancelled the connection at the provider.",
    );
    expect(await accountsOf(anna)).toEqual({});
  });

  test("is refused that opens another account of the same office, and allowed in another office", async () => {
    const { name: groupName } = await setup.server.groups.create();
    const first = await setup.server.users.create({ groupName });
    const second = await setup.server.users.create({ groupName });
    await connect(setup.server, setup.upstream.google, eva, first.id);
    const end = await finish(await leave("google", second), eva.sub);
    expect(pathOf(end)).toBe("/manage?oauth-error=account+in+use");
    expect((await browser.get(end.location ?? "")).page().text).toContain("already connected to another user");
    expect([await accountsOf(first), await accountsOf(second)]).toEqual([{ google: expect.anything() }, {}]);

    browser = setup.server.browser();
    expect(pathOf(await finish(await leave("google", anna), eva.sub))).toBe("/manage?status=oauth-connect-success");
  });

  test("replaces no account that is connected already", async () => {
    const other = addProviderUser(setup.upstream.google);
    const page = await leave();
    await connect(setup.server, setup.upstream.google, other, anna.id, { name: other.email });
    expect(pathOf(await finish(page, eva.sub))).toBe("/manage?oauth-error=provider+failed");
    expect(await accountsOf(anna)).toMatchObject({ google: { name: other.email } });
  });

  test("is refused in another browser, and connects no account", async () => {
    const thief = setup.server.browser();
    await settings.openSettings(thief, await setup.server.users.create());
    const end = await finish(await leave(), eva.sub, thief);
    expect([end.status, stateOf(end)["login_result"]]).toEqual([400, expect.objectContaining({ code: "challenge" })]);
    expect(await accountsOf(anna)).toEqual({});
  });

  test.each<[string, () => Promise<unknown>]>([
    ["the user was blocked", () => blockUser(setup.server.context, anna.username)],
    [
      "the settings were opened for another user in this browser",
      async () => settings.openSettings(browser, await setup.server.users.create()),
    ],
    [
      "the settings were closed",
      async () => {
        const { q, t } = setup.server.context.store;
        await q.delete(t.manageSessions).where(eq(t.manageSessions.userId, anna.id)).returning();
      },
    ],
    [
      "the user's account changed",
      async () => {
        const { q, t } = setup.server.context.store;
        await q.update(t.users).set({ generation: 7 }).where(eq(t.users.id, anna.id)).returning();
      },
    ],
  ])("is refused when in the meantime %s", async (_what, meanwhile) => {
    const page = await leave();
    const response = await chooseUser(browser, page, eva.sub);
    await meanwhile();
    const end = await browser.get(response.location ?? "");
    expect(pathOf(end)).toBe("/manage?oauth-error=unauthorized");
    expect(await accountsOf(anna)).toEqual({});
  });

  test("of one identity by two users of a group at the same moment connects one of them", async () => {
    const { name: groupName } = await setup.server.groups.create();
    const users = [await setup.server.users.create({ groupName }), await setup.server.users.create({ groupName })];
    const callbacks: (() => Promise<HttpResponse>)[] = [];
    for (const user of users) {
      const own = setup.server.browser();
      browser = own;
      const response = await chooseUser(own, await leave("google", user), eva.sub);
      callbacks.push(() => own.get(response.location ?? ""));
    }
    const ends = await Promise.all(callbacks.map((call) => call()));
    expect(ends.map(pathOf).toSorted()).toEqual([
      "/manage?oauth-error=account+in+use",
      "/manage?status=oauth-connect-success",
    ]);
  });

  test("needs a proof of identity of the last ten minutes", async () => {
    const overview = await settings.openSettings(browser, anna);
    setup.server.clock.advance(6 * 60);
    await browser.get("/manage");
    setup.server.clock.advance(6 * 60);
    const response = await browser.submit(overview, formOf(overview, "google"));
    expect([response.status, pathOf(response)]).toEqual([
      303,
      "/manage/confirm?to=%2Fmanage%2Foauth%2Fgoogle&unsaved=yes",
    ]);
  });

  test("needs the settings, and their own form", async () => {
    expect(pathOf(await browser.post("/manage/oauth/google", { intent: "connect" }))).toBe(
      "/manage/error/unauthorized?to=%2Fmanage%2Foauth%2Fgoogle&unsaved=yes",
    );
    await settings.openSettings(browser, anna);
    const forged = await browser.post("/manage/oauth/google", { intent: "connect", _xsrf: "forged" });
    expect([forged.status, stateOf(forged)["error"], forged.headers["refresh"]]).toEqual([403, "xsrf", undefined]);
    expect((await browser.get("/manage/oauth/facebook")).status).toBe(404);
  });
});

describe("disconnecting an account", () => {
  async function openConnected(providers: Provider[], user = anna): Promise<HttpResponse> {
    const overview = await settings.openSettings(browser, user);
    for (const provider of providers)
      await connect(setup.server, setup.upstream[provider], addProviderUser(setup.upstream[provider]), user.id);
    return browser.get(overview.url);
  }

  /** Removes the password, as for a user who never set one. */
  async function withoutPassword(user: TestUser) {
    const { q, t } = setup.server.context.store;
    await q.update(t.users).set({ passwordHash: null }).where(eq(t.users.id, user.id)).returning();
  }

  // Proves requirement 23.
  test("asks for confirmation, then disconnects once and sends a mail", async () => {
    const overview = await openConnected(["google"]);
    const question = await browser.submit(overview, formOf(overview, "google"));
    expect([question.status, question.page().one("h1").text]).toEqual([200, "Disconnect Google?"]);
    expect(question.page().text).toContain("Your password keeps working. All other sessions are signed out.");
    expect(await accountsOf(anna)).toEqual({ google: expect.anything() });
    const end = await browser.submit(question, formOf(question, "google"));
    expect(pathOf(end)).toBe("/manage?status=oauth-disconnect-success");
    expect(await accountsOf(anna)).toEqual({});
    expect(await mailsToAnna()).toContainEqual(
      expect.objectContaining({ subject: expect.stringContaining("Google was disconnected") }),
    );
  });

  test("ends what the identity could open, also for a choice that is open", async () => {
    const { google } = setup.upstream;
    await connect(setup.server, google, eva, anna.id);
    const overview = await settings.openSettings(browser, anna);
    const question = await browser.submit(overview, formOf(overview, "google"));
    await browser.submit(question, formOf(question, "google"));
    const elsewhere = setup.server.browser();
    const page = await signInAt(elsewhere, settings.party.request().url, google, eva.sub);
    expect([page.status, stateOf(page)["error"]]).toEqual([401, "credentials"]);
  });

  // Proves requirement 62.
  test("ends the sessions and offline refresh tokens of other browsers, and keeps its own session", async () => {
    const party = await setup.server.parties.create({ firstParty: true, scopes: ["openid", "offline_access"] });
    const overview = await openConnected(["google"]);
    const offline = party.request({ scope: "openid offline_access", prompt: "consent" });
    const intruder = setup.server.browser();
    const { refreshToken } = await seedTokens(setup.server, intruder, party, offline, anna);
    const question = await browser.submit(overview, formOf(overview, "google"));
    const end = await browser.submit(question, formOf(question, "google"));
    expect((await browser.get(end.location ?? "")).page().text).toContain("all other sessions have been signed out");
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    expect(await findSignedInUser(party, intruder)).toBe("login_required");
    expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
  });

  test("of the last sign-in method is not offered: the page explains it, and leads to the password", async () => {
    const overview = await openConnected(["google"]);
    await withoutPassword(anna);
    const question = (await browser.submit(overview, formOf(overview, "google"))).page();
    expect(question.text).toContain("Google is your last way to sign in. Set a password first");
    expect(question.text).not.toContain("password keeps working");
    expect(question.text).not.toContain("Disconnect Google ");
    expect(question.one("a", { href: "/manage/credentials/password", class: "button" }).text).toBe("Set a password");
  });

  test("of the last sign-in method is refused with the reason", async () => {
    const overview = await openConnected(["google"]);
    const question = await browser.submit(overview, formOf(overview, "google"));
    await withoutPassword(anna);
    const end = await browser.submit(question, formOf(question, "google"));
    expect([end.status, stateOf(end)["error"]]).toEqual([400, "last sign-in method"]);
    expect(end.page().text).toContain("Google is your last way to sign in.");
    expect(await accountsOf(anna)).toEqual({ google: expect.anything() });
  });
});
