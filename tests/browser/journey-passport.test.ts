import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { createPassportApp } from "#tests/support/relying-parties/passport-app.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, loginPage, logoutPage, pagesSeen, readDetail } from "./support/pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

const installation = await installationOfFile();
const place = await openPlace();
const { url } = place;
// The library's defaults: no PKCE, and the secret in the body.
const client = await installation.server.clients.create({
  name: "Policies",
  requirePkce: false,
  authMethod: "client_secret_post",
  redirectUris: [`${url}/callback`],
  postLogoutRedirectUris: [`${url}/`],
});
const clientId = client.clientId;
const clientSecret = client.clientSecret ?? "";
place.serve(createPassportApp({ issuer: installation.server.url, url, clientId, clientSecret }));
afterAll(async () => {
  await place.close();
});

describe.each(TWO_WAYS)(
  "an application built on passport-openidconnect ($language, JavaScript: $javaScript)",
  (variant) => {
    let anna: BrowserUser;
    let user: TestUser;

    beforeAll(async () => {
      anna = await installation.open(variant);
      user = await installation.createUser();
    });
    afterAll(() => anna.close());

    const arrive = () => anna.page.getByRole("heading", { name: "Your policies" }).waitFor();

    it("signs a user in with consent and gets verified claims", async () => {
      await anna.page.goto(place.url);
      await anna.page.getByRole("link", { name: "Sign in" }).click();
      await loginPage(anna).signIn(user);
      await consentPage(anna).allow.click();
      await arrive();
      const { claims, profile } = await readDetail(anna.page, "user");
      expect(claims).toMatchObject({ iss: installation.server.url, aud: clientId, sub: user.id });
      expect(profile).toMatchObject({ id: user.id, displayName: user.displayName, username: user.username });
    });

    it("gets in again without any page", async () => {
      const before = anna.requests.length;
      await anna.page.goto(`${place.url}/sign-in`);
      await arrive();
      expect(pagesSeen(installation, anna, before)).toEqual([]);
    });

    it("signs her out after a confirmation, because it sends no id_token_hint", async () => {
      await anna.page.getByRole("link", { name: "Sign out" }).click();
      await logoutPage(anna).accept.click();
      await anna.page.getByRole("heading", { name: "Policies", exact: true }).waitFor();
      await anna.page.getByRole("link", { name: "Sign in" }).click();
      await loginPage(anna).password.waitFor();
      expect(new URL(anna.page.url()).pathname).toBe("/login");
    });
  },
);
