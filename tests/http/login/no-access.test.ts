import { describe, expect, test } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { addGroupMember, removeGroupMember } from "#app/db/repositories/group-members.server.ts";
import { endLostAccess } from "#app/domain/application-access/end-lost-access.server.ts";
import { followRedirects, open, seedTokens, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

const server = await serverOfFile({ env: { SUPPORT_CONTACT: "help@office.example" } });
const { context } = server;
const insider = await server.users.create();
const outsider = await server.users.create();
const team = await server.groups.create({ name: "Accounting" });
const party = await server.parties.create({ name: "Ledger", firstParty: true, scopes: ["openid", "offline"] });
await context.store.tx(async (tx) => {
  await updateClient(tx, party.clientId, { access: "groups" }, context.clock.now());
  await replaceGroupsOfClient(tx, party.clientId, [team.id]);
  await addGroupMember(tx, { userId: insider.id, groupId: team.id });
});

const FORM = "/login/no-access";

function press(browser: Browser, page: HttpResponse, button: string) {
  return browser.submit(page, page.page().form(FORM), {}, button);
}

function textOf(response: HttpResponse): string {
  return response.page().one("main").text;
}

/** Makes the user a member, or ends the membership with what depends on it. */
async function setMember({ id: userId }: TestUser, isMember: boolean): Promise<void> {
  await context.store.tx(async (store) => {
    const member = { userId, groupId: team.id };
    await (isMember ? addGroupMember(store, member) : removeGroupMember(store, member));
    await endLostAccess({ ...context, store }, { userId });
  });
}

describe("an application that is open to a group", () => {
  test("lets its members in", async () => {
    const request = party.request();
    expect(codeOf(await signIn(server.browser(), request, insider))).not.toBe("");
  });

  // Proves requirement 177.
  test("shows others whom to ask, after their password, and does not let them in", async () => {
    const page = await signIn(server.browser("de"), party.request(), outsider);
    expect(page.status).toBe(403);
    const text = textOf(page);
    expect(text).toContain("Diese Anwendung ist für Sie nicht frei\u00adgeschaltet");
    expect(text).toContain("Ledger");
    const href = "mailto:help@office.example?subject=Freigabe%20f%C3%BCr%20Ledger";
    expect(page.page().one("a", { href }).text).toBe("help@office.example");
    expect(page.page().one("a", { href: "/" }).text).toBe("Meine Anwendungen");
  });

  test("shows it to a person with a session", async () => {
    const browser = server.browser();
    await seedSession(server, browser, outsider, { clientId: party.clientId });
    expect(textOf(await open(browser, party.request().url))).toContain("You do not have access");
  });

  test("gets access_denied when the person returns to it", async () => {
    const browser = server.browser();
    const page = await signIn(browser, party.request(), outsider);
    const response = await followRedirects(browser, await press(browser, page, "Back to the application"));
    expect(redirectParameters(response)).toMatchObject({ error: "access_denied" });
  });

  test.each(["reloads the page", "returns to the application"])(
    "lets a person in who gets access meanwhile and %s, without another sign-in",
    async (what) => {
      const person = await server.users.create();
      const browser = server.browser();
      const page = await signIn(browser, party.request({ prompt: "login" }), person);
      expect(textOf(page)).toContain("You do not have access");
      await setMember(person, true);
      const next =
        what === "reloads the page" ? browser.get(page.url) : press(browser, page, "Back to the application");
      expect(codeOf(await followRedirects(browser, await next))).not.toBe("");
    },
  );

  test("lets another account in", async () => {
    const browser = server.browser();
    const request = party.request();
    const page = await signIn(browser, request, outsider);
    const form = await followRedirects(browser, await press(browser, page, "Sign in with another account"));
    const response = await typePassword(browser, form, insider);
    const tokens = readTokens(await party.exchange(codeOf(response), request));
    expect((await party.userinfo(tokens.accessToken)).json().sub).toBe(insider.id);
  });

  // Proves requirement 177.
  test("gets access_denied with prompt=none, each time", async () => {
    const browser = server.browser();
    await seedSession(server, browser, outsider, { clientId: party.clientId });
    for (let time = 0; time < 2; time += 1) {
      const response = await open(browser, party.request({ prompt: "none" }).url);
      expect(redirectParameters(response)).toMatchObject({ error: "access_denied" });
    }
  });
});

describe("a person who leaves the group", () => {
  test("loses the application's tokens, its refresh token and a code that was issued before", async () => {
    const person = await server.users.create();
    await setMember(person, true);
    const browser = server.browser();
    const tokens = await seedTokens(server, browser, party, party.request({ scope: "openid offline" }), person);
    const later = party.request();
    const code = codeOf(await open(browser, later.url));
    await setMember(person, false);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.introspect(tokens.accessToken)).json()).toEqual({ active: false });
    expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
    expect((await party.exchange(code, later)).error()).toBe("invalid_grant");
    expect(textOf(await open(browser, party.request().url))).toContain("You do not have access");
  });

  test("keeps other applications, and gets in again as a member", async () => {
    const person = await server.users.create();
    const other = await server.parties.create({ firstParty: true });
    await setMember(person, true);
    const browser = server.browser();
    const kept = await seedTokens(server, browser, other, other.request(), person);
    await setMember(person, false);
    expect((await other.userinfo(kept.accessToken)).status).toBe(200);
    await setMember(person, true);
    expect(codeOf(await open(browser, party.request().url))).not.toBe("");
  });

  test("has no use of a token that a request stored at the same moment", async () => {
    const person = await server.users.create();
    await setMember(person, true);
    const tokens = await seedTokens(
      server,
      server.browser(),
      party,
      party.request({ scope: "openid offline" }),
      person,
    );
    // The membership ends, and what depends on it stays, as after a race.
    await removeGroupMember(context.store, { userId: person.id, groupId: team.id });
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.introspect(tokens.accessToken)).json()).toEqual({ active: false });
    expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
  });
});
