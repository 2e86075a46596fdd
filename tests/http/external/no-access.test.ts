import { describe, expect, test } from "vitest";
import { setClient } from "#app/domain/client/set.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { signInAt } from "./steps.ts";

const { server, upstream } = await providersOfFile();
const { context } = server;
const team = await server.groups.create({ name: "Accounting, North" });

/** A sign-in of a new user to an application that is open to the team. */
type SignIn = { user: TestUser; finish(browser: Browser): Promise<HttpResponse> };

/** The ways to a code. Each prepares a user, and returns the sign-in in a new browser. */
const WAYS: Readonly<Record<string, (party: RelyingParty) => Promise<SignIn>>> = {
  "a password": async (party) => {
    const user = await server.users.create();
    return { user, finish: (browser) => signIn(browser, party.request(), user) };
  },
  "a pushed request": async (party) => {
    const user = await server.users.create();
    return {
      user,
      async finish(browser) {
        const request = party.request();
        const { request_uri } = (await party.push(request)).json();
        const url = party.request({ request_uri: String(request_uri) }).url;
        return signIn(browser, { ...request, url }, user);
      },
    };
  },
  "a password and a code": async (party) => {
    const user = await server.users.create();
    const app = await giveTotp(server, user);
    return {
      user,
      async finish(browser) {
        // A code is accepted once.
        server.clock.advance(30);
        const page = await typePassword(browser, await open(browser, party.request().url), user);
        const form = page.page().form("/mfa/verify");
        return followRedirects(browser, await browser.submit(page, form, { code: await app.code() }));
      },
    };
  },
  "an account at a provider": async (party) => {
    const user = await server.users.create();
    const eva = addProviderUser(upstream.google);
    await connect(server, upstream.google, eva, user.id);
    return { user, finish: (browser) => signInAt(browser, party.request().url, upstream.google, eva.sub) };
  },
  "the choice of one of two accounts": async (party) => {
    const eva = addProviderUser(upstream.google);
    const offices = [await server.groups.create(), await server.groups.create()];
    const [user, other] = await Promise.all(offices.map(({ name }) => server.users.create({ groupName: name })));
    if (!user || !other) throw new Error("two users were created");
    for (const { id } of [user, other]) await connect(server, upstream.google, eva, id);
    return {
      user,
      async finish(browser) {
        const page = await signInAt(browser, party.request().url, upstream.google, eva.sub);
        const { action, fields } = page.page().form("/login/google/account");
        // No account is chosen in the form as it is shown.
        const chosen = { ...Object.fromEntries(fields), username: user.id };
        return followRedirects(browser, await browser.post(new URL(action, page.url).href, chosen));
      },
    };
  },
  "a session": async (party) => {
    const user = await server.users.create();
    return {
      user,
      async finish(browser) {
        await seedSession(server, browser, user);
        return open(browser, party.request().url);
      },
    };
  },
  "a confirmed account": async (party) => {
    const user = await server.users.create();
    return {
      user,
      async finish(browser) {
        await seedSession(server, browser, user);
        const page = await open(browser, party.request({ prompt: "select_account" }).url);
        return followRedirects(browser, await browser.submit(page, page.page().form("/login/proceed")));
      },
    };
  },
};

/** Returns "code", "no access" for our page, or the error that the application gets. */
function endOf(response: HttpResponse): string {
  if (response.location === null) return hasForm(response, "/login/no-access") ? "no access" : response.url;
  const { code, error = "" } = redirectParameters(response);
  return code === undefined ? error : "code";
}

describe.each(Object.entries(WAYS))("the way by %s", (_name, prepare) => {
  test("leads to a code for a member only, as the membership is at that moment", async () => {
    const party = await server.parties.create({ firstParty: true, access: "groups", groups: [team.name] });
    const { user, finish } = await prepare(party);
    const ends: string[] = [];
    for (const change of [{}, { addGroups: [team.name] }, { removeGroups: [team.name] }, { addGroups: [team.name] }]) {
      if (Object.keys(change).length > 0) await setUser(context, user.username, change);
      ends.push(endOf(await finish(server.browser())));
    }
    expect(ends).toEqual(["no access", "code", "no access", "code"]);
  });

  test("leads to no code for a member after the application was closed for the group, until it is opened", async () => {
    const party = await server.parties.create({ firstParty: true, access: "groups", groups: [team.name] });
    const { user, finish } = await prepare(party);
    await setUser(context, user.username, { addGroups: [team.name] });
    await setClient(context, party.clientId, { disallowGroups: [team.name] });
    expect(endOf(await finish(server.browser()))).toBe("no access");
    await setClient(context, party.clientId, { access: "everyone" });
    expect(endOf(await finish(server.browser()))).toBe("code");
  });
});
