import { beforeEach, describe, expect, test } from "vitest";
import type { Provider } from "#app/config/providers.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { OFFER, signInOnDevice } from "#tests/http/login/passkey-offer-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm, leaves } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { signInAt } from "./steps.ts";

let browser: Browser;

const setup = await providersOfFile();
const party = await setup.server.parties.create({ firstParty: true });

beforeEach(() => {
  browser = setup.server.browser();
});

describe("a user whose account is connected", () => {
  test.each<Provider>(["google", "microsoft", "apple"])("signs in with %s", async (provider) => {
    const upstream = setup.upstream[provider];
    const providerUser = addProviderUser(upstream);
    const user = await setup.server.users.create();
    await connect(setup.server, upstream, providerUser, user.id);

    const request = party.request();
    const end = await signInAt(browser, request.url, upstream, providerUser.sub);
    const { idToken } = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(idToken);
    expect([payload.sub, payload["amr"]]).toEqual([user.id, ["fed"]]);
  });

  // Proves requirement 22.
  test("needs the second factor as well, and is signed in with both", async () => {
    const { server, upstream } = setup;
    const providerUser = addProviderUser(upstream.google);
    const user = await server.users.create();
    const app = await giveTotp(server, user);
    await connect(server, upstream.google, providerUser, user.id);

    const request = party.request();
    const page = await signInAt(browser, request.url, upstream.google, providerUser.sub);
    expect(new URL(page.url).pathname).toBe("/mfa/verify");
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    const end = await followRedirects(
      browser,
      await browser.submit(page, page.page().form("/mfa/verify"), { code: await app.code() }),
    );
    const { idToken } = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(idToken);
    expect([payload.sub, payload["amr"]]).toEqual([user.id, ["fed", "otp", "mfa"]]);
  });

  // Proves requirement 255.
  test("is not offered a passkey, in a browser that reported a device for it either", async () => {
    const { server, upstream } = setup;
    const other = await server.users.create();
    const offer = await signInOnDevice(browser, { url: party.request().url, user: other });
    expect(hasForm(offer, OFFER)).toBe(true);
    const providerUser = addProviderUser(upstream.google);
    const user = await server.users.create();
    await connect(server, upstream.google, providerUser, user.id);
    const end = await signInAt(browser, party.request({ prompt: "login" }).url, upstream.google, providerUser.sub);
    expect(leaves(end)).toBe(true);
    expect(await findSignedInUser(party, browser)).toBe(user.id);
  });

  // Proves requirement 103.
  test("is identified by issuer and subject: another name or address at the provider has no effect", async () => {
    const { server, upstream } = setup;
    const providerUser = addProviderUser(upstream.google);
    const user = await server.users.create();
    await connect(server, upstream.google, providerUser, user.id);
    upstream.google.setFaults({
      claims: (claims) => ({ ...claims, email: "new@google.example", name: "Somebody Else" }),
    });
    await signInAt(browser, party.request().url, upstream.google, providerUser.sub);
    upstream.google.clearFaults();
    expect(await findSignedInUser(party, browser)).toBe(user.id);
    const found = await findUser(server.context.store, user.id);
    expect(found).toMatchObject({ displayName: user.displayName, email: `${user.username}@office.example` });
  });

  test("is logged in one line and one audit event, without secrets", async () => {
    const { server, upstream } = setup;
    const providerUser = addProviderUser(upstream.google);
    const user = await server.users.create();
    await connect(server, upstream.google, providerUser, user.id);
    const { length } = server.lines();
    await signInAt(browser, party.request().url, upstream.google, providerUser.sub);
    const lines = server.lines().slice(length);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: "sign-in.succeeded", userId: user.id, reason: "fed" }),
    );
    expect(JSON.stringify(lines)).not.toMatch(/code=|state=|id_token|eyJ/);
  });
});
