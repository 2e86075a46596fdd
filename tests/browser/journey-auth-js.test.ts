import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Office, openOffice, type Person } from "#tests/browser/support/installation.ts";
import { createAuthJsApp } from "#tests/support/relying-parties/auth-js-app.ts";
import { openPlace, type Place } from "#tests/support/relying-parties/place.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, factOf, loginPage, pagesSeen } from "./support/pages.ts";
import { WAYS } from "./support/ways.ts";

let office: Office;
let place: Place;

beforeAll(async () => {
  office = await openOffice();
  place = await openPlace();
  const { url } = place;
  const { clientId, clientSecret } = await office.server.clients.create({
    name: "Claims Desk",
    redirectUris: [`${url}/auth/callback/gatehouse`],
  });
  place.serve(createAuthJsApp({ issuer: office.server.url, clientId, clientSecret: clientSecret ?? "" }));
});
afterAll(async () => {
  await office.close();
  await place.close();
});

describe.each(WAYS)("an application built on Auth.js ($language, JavaScript: $javaScript)", (way) => {
  let anna: Person;
  let user: TestUser;

  beforeAll(async () => {
    anna = await office.open(way);
    user = await office.createUser();
  });
  afterAll(() => anna.close());

  const arrive = () => anna.page.getByRole("heading", { name: "Your claims desk" }).waitFor();
  const begin = async () => {
    await anna.page.getByRole("link", { name: "Sign in" }).click();
    await anna.page.getByRole("button", { name: "Sign in with Gatehouse" }).click();
  };

  it("takes a person over sign-in and consent to claims, with all of the library's checks", async () => {
    await anna.page.goto(place.url);
    await begin();
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.click();
    await arrive();
    const { profile, user: shown } = await factOf(anna.page, "session");
    expect(profile).toMatchObject({ sub: user.id, name: user.displayName });
    expect(shown).toMatchObject({ email: `${user.username}@office.example` });
  });

  it("lets go of her session alone, and takes her back without any page", async () => {
    await anna.page.getByRole("link", { name: "Sign out" }).click();
    await anna.page.getByRole("button", { name: "Sign out" }).click();
    await anna.page.getByRole("heading", { name: "Claims desk", exact: true }).waitFor();
    const before = anna.requests.length;
    await begin();
    await arrive();
    expect(pagesSeen(office, anna, before)).toEqual([]);
  });
});
