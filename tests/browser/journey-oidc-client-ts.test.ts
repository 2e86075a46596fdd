import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snippetFor } from "#app/cli/snippets/snippet.ts";
import { showClient } from "#app/domain/client/show.server.ts";
import { LANGUAGES } from "#app/i18n/language.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { createOidcClientTsApp } from "#tests/support/relying-parties/oidc-client-ts-app.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, loginPage, pagesSeen, readDetail } from "./support/pages.ts";

const installation = await installationOfFile();
const place = await openPlace("localhost");
const { url } = place;
const { clientId } = await installation.server.clients.create({
  name: "Pocket Desk",
  public: true,
  redirectUris: [`${url}/callback`],
  postLogoutRedirectUris: [`${url}/signed-out`],
});
const { context, url: issuer } = installation.server;
place.serve(await createOidcClientTsApp(snippetFor("oidc-client-ts", issuer, await showClient(context, clientId))));
afterAll(async () => {
  await place.close();
});

// The application requires JavaScript.
describe.each(LANGUAGES)("an application in the browser, built on oidc-client-ts (%s)", (language) => {
  let anna: BrowserUser;
  let user: TestUser;

  const waitForText = (text: string) => anna.page.locator("#state", { hasText: text }).waitFor();

  beforeAll(async () => {
    anna = await installation.open({ language });
    user = await installation.createUser();
  });
  afterAll(() => anna.close());

  it("signs a user in with consent; the page fetches the claims of token and userinfo", async () => {
    await anna.page.goto(place.url);
    await waitForText("nobody");
    await anna.page.getByRole("button", { name: "Sign in" }).click();
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.click();
    await waitForText("signed in");
    expect(await readDetail(anna.page, "profile")).toMatchObject({
      iss: installation.server.url,
      aud: clientId,
      sub: user.id,
      name: user.displayName,
      email: `${user.username}@office.example`,
      scope: "openid profile email",
    });
    const requestedPaths = anna.requests.map((request) => new URL(request).pathname);
    expect(requestedPaths).toEqual(expect.arrayContaining(["/oauth2/token", "/userinfo"]));
  });

  it("gets in again without any page", async () => {
    const before = anna.requests.length;
    // The page's own URL is that of the last callback, so that waiting for a URL would not wait for the next one.
    const returned = anna.page.waitForRequest(/\/callback\?/);
    await anna.page.getByRole("button", { name: "Sign in" }).click();
    await returned;
    await waitForText("signed in");
    expect(pagesSeen(installation, anna, before)).toEqual([]);
  });

  it("signs her out with the ID token as a hint, without a question", async () => {
    await anna.page.getByRole("button", { name: "Sign out" }).click();
    await waitForText("signed out");
    await anna.page.goto(place.url);
    await waitForText("nobody");
    await anna.page.getByRole("button", { name: "Sign in" }).click();
    await loginPage(anna).password.waitFor();
    expect(new URL(anna.page.url()).pathname).toBe("/login");
  });
});
