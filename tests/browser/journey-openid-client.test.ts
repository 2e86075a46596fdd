import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, type Office, openOffice, type Person } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, factOf, loginPage, logoutPage, pagesSeen, seesHeading } from "./support/pages.ts";
import { WAYS } from "./support/ways.ts";

let office: Office;
let desk: Desk;

beforeAll(async () => {
  office = await openOffice();
  desk = await office.openDesk();
});
afterAll(() => office.close());

describe.each(WAYS)("an application built on openid-client ($language, JavaScript: $javaScript)", (way) => {
  let anna: Person;
  let user: TestUser;

  beforeAll(async () => {
    anna = await office.open(way);
    user = await office.createUser();
  });
  afterAll(() => anna.close());

  it("takes a person to the sign-in page, which says where the way leads", async () => {
    await anna.page.goto(desk.url);
    await anna.page.getByRole("link", { name: "Sign in" }).click();
    expect(await anna.page.locator("html").getAttribute("lang")).toBe(way.language);
    expect(await anna.page.locator("header").textContent()).toContain("Broker Desk");
    expect(await anna.page.locator("header").textContent()).toContain(new URL(desk.url).host);
  });

  it("asks for consent after the password, naming application, person and every scope", async () => {
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.waitFor();
    const { t } = anna;
    const main = await anna.page.getByRole("main").textContent();
    expect(main).toContain(t("consent.heading", { client: "Broker Desk" }));
    expect(main).toContain(t("consent.account", { name: user.displayName }));
    expect(main).toContain(new URL(desk.url).host);
    expect(await consentPage(anna).scopes.allInnerTexts()).toEqual([
      t("scope.openid.label"),
      t("scope.profile.label"),
      t("scope.email.label"),
      t("scope.offline.label"),
    ]);
  });

  it("gets claims that it can verify", async () => {
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${desk.url}/`);
    const claims = await factOf(anna.page, "claims");
    expect(claims).toMatchObject({ iss: office.server.url, aud: desk.clientId, sub: user.id, amr: ["pwd"] });
    await anna.page.getByRole("button", { name: "Read profile" }).click();
    expect(await factOf(anna.page, "answer")).toMatchObject({
      sub: user.id,
      name: user.displayName,
      preferred_username: user.username,
      email: `${user.username}@office.example`,
    });
  });

  it("gets in again without any page, also by a pushed request", async () => {
    for (const address of ["/sign-in", "/sign-in?pushed=1"]) {
      const before = anna.requests.length;
      await anna.page.goto(`${desk.url}${address}`);
      await anna.page.waitForURL(`${desk.url}/`);
      expect(pagesSeen(office, anna, before)).toEqual([]);
    }
  });

  it("refreshes, introspects and revokes its tokens", async () => {
    const press = async (name: string) => {
      await anna.page.goto(desk.url);
      await anna.page.getByRole("button", { name }).click();
      return factOf(anna.page, "answer");
    };
    expect(await press("Introspect")).toMatchObject({ active: true, sub: user.id, client_id: desk.clientId });
    expect(await press("Refresh")).toMatchObject({ token_type: "bearer", isRotated: true });
    expect(await press("Revoke")).toEqual({ active: false });
  });

  it("asks before it signs a person out, and lets her stay", async () => {
    await anna.page.goto(`${desk.url}/sign-out?ask=1`);
    await seesHeading(anna, anna.t("logout.pending.heading"));
    await logoutPage(anna).reject.click();
    await seesHeading(anna, anna.t("logout.rejected.heading"));
    await anna.page.goto(`${desk.url}/sign-in`);
    await anna.page.waitForURL(`${desk.url}/`);
  });

  it("signs her out at both ends and gets her back; then the form is there again", async () => {
    await anna.page.getByRole("link", { name: "Sign out", exact: true }).click();
    await anna.page.waitForURL(`${desk.url}/signed-out`);
    await anna.page.goto(`${desk.url}/sign-in`);
    await loginPage(anna).password.waitFor();
    expect(await loginPage(anna).username.inputValue()).toBe("");
  });
});
