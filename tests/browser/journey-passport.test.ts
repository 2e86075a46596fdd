import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Office, openOffice, type Person } from "#tests/browser/support/installation.ts";
import { createPassportApp } from "#tests/support/relying-parties/passport-app.ts";
import { openPlace, type Place } from "#tests/support/relying-parties/place.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, factOf, loginPage, logoutPage, pagesSeen } from "./support/pages.ts";
import { WAYS } from "./support/ways.ts";

let office: Office;
let place: Place;
let clientId: string;

beforeAll(async () => {
  office = await openOffice();
  place = await openPlace();
  const { url } = place;
  // The library's defaults: no PKCE, and the secret in the body.
  const client = await office.server.clients.create({
    name: "Policies",
    requirePkce: false,
    authMethod: "client_secret_post",
    redirectUris: [`${url}/callback`],
    postLogoutRedirectUris: [`${url}/`],
  });
  clientId = client.clientId;
  const clientSecret = client.clientSecret ?? "";
  place.serve(createPassportApp({ issuer: office.server.url, url, clientId, clientSecret }));
});
afterAll(async () => {
  await office.close();
  await place.close();
});

describe.each(WAYS)("an application built on passport-openidconnect ($language, JavaScript: $javaScript)", (way) => {
  let anna: Person;
  let user: TestUser;

  beforeAll(async () => {
    anna = await office.open(way);
    user = await office.createUser();
  });
  afterAll(() => anna.close());

  const arrive = () => anna.page.getByRole("heading", { name: "Your policies" }).waitFor();

  it("takes a person over sign-in and consent to verified claims", async () => {
    await anna.page.goto(place.url);
    await anna.page.getByRole("link", { name: "Sign in" }).click();
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.click();
    await arrive();
    const { claims, profile } = await factOf(anna.page, "user");
    expect(claims).toMatchObject({ iss: office.server.url, aud: clientId, sub: user.id });
    expect(profile).toMatchObject({ id: user.id, displayName: user.displayName, username: user.username });
  });

  it("gets in again without any page", async () => {
    const before = anna.requests.length;
    await anna.page.goto(`${place.url}/sign-in`);
    await arrive();
    expect(pagesSeen(office, anna, before)).toEqual([]);
  });

  it("signs her out after a question, since it hands over no ID token", async () => {
    await anna.page.getByRole("link", { name: "Sign out" }).click();
    await logoutPage(anna).accept.click();
    await anna.page.getByRole("heading", { name: "Policies", exact: true }).waitFor();
    await anna.page.getByRole("link", { name: "Sign in" }).click();
    await loginPage(anna).password.waitFor();
    expect(new URL(anna.page.url()).pathname).toBe("/login");
  });
});
