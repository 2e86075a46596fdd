import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { createAuthJsApp } from "#tests/support/relying-parties/auth-js-app.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, loginPage, pagesSeen, readDetail } from "./support/pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

const installation = await installationOfFile();
const place = await openPlace();
const { url } = place;
const { clientId, clientSecret } = await installation.server.clients.create({
  name: "Claims Desk",
  redirectUris: [`${url}/auth/callback/gatehouse`],
});
place.serve(createAuthJsApp({ issuer: installation.server.url, clientId, clientSecret: clientSecret ?? "" }));
afterAll(async () => {
  await place.close();
});

describe.each(TWO_WAYS)("an application built on Auth.js ($language, JavaScript: $javaScript)", (variant) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeAll(async () => {
    anna = await installation.open(variant);
    user = await installation.createUser();
  });
  afterAll(() => anna.close());

  const arrive = () => anna.page.getByRole("heading", { name: "Your claims desk" }).waitFor();
  const startSignIn = async () => {
    await anna.page.getByRole("link", { name: "Sign in" }).click();
    await anna.page.getByRole("button", { name: "Sign in with Gatehouse" }).click();
  };

  it("signs a user in with consent; the claims pass all checks of the library", async () => {
    await anna.page.goto(place.url);
    await startSignIn();
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.click();
    await arrive();
    const { profile, user: shown } = await readDetail(anna.page, "session");
    expect(profile).toMatchObject({ sub: user.id, name: user.displayName });
    expect(shown).toMatchObject({ email: `${user.username}@office.example` });
  });

  it("ends only its own session, and signs her in again without a page", async () => {
    await anna.page.getByRole("link", { name: "Sign out" }).click();
    await anna.page.getByRole("button", { name: "Sign out" }).click();
    await anna.page.getByRole("heading", { name: "Claims desk", exact: true }).waitFor();
    const before = anna.requests.length;
    await startSignIn();
    await arrive();
    expect(pagesSeen(installation, anna, before)).toEqual([]);
  });
});
