import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { consentPage, loginPage, logoutPage, pagesSeen, readDetail, seesHeading } from "./support/pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp();

// Proves requirement 120.
describe.each(TWO_WAYS)("an application built on openid-client ($language, JavaScript: $javaScript)", (variant) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeAll(async () => {
    anna = await installation.open(variant);
    user = await installation.createUser();
  });
  afterAll(() => anna.close());

  it("leads a user to the sign-in page, which names the application", async () => {
    await anna.page.goto(clientApp.url);
    await anna.page.getByRole("link", { name: "Sign in" }).click();
    expect(await anna.page.locator("html").getAttribute("lang")).toBe(variant.language);
    expect(await anna.page.locator("header").textContent()).toContain("Broker Desk");
    expect(await anna.page.locator("header").textContent()).toContain(new URL(clientApp.url).host);
  });

  it("requests consent after the password, with application, user and every scope", async () => {
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.waitFor();
    const { t } = anna;
    const main = await anna.page.getByRole("main").textContent();
    expect(main).toContain(t("consent.heading", { client: "Broker Desk" }));
    expect(main).toContain(t("consent.account", { name: user.displayName }));
    expect(main).toContain(new URL(clientApp.url).host);
    expect(await consentPage(anna).scopes.allInnerTexts()).toEqual([
      t("scope.openid.label"),
      t("scope.profile.label"),
      t("scope.email.label"),
      t("scope.offline.label"),
    ]);
  });

  it("gets claims that it can verify", async () => {
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    const claims = await readDetail(anna.page, "claims");
    expect(claims).toMatchObject({ iss: installation.server.url, aud: clientApp.clientId, sub: user.id, amr: ["pwd"] });
    await anna.page.getByRole("button", { name: "Read profile" }).click();
    expect(await readDetail(anna.page, "answer")).toMatchObject({
      sub: user.id,
      name: user.displayName,
      preferred_username: user.username,
      email: `${user.username}@office.example`,
    });
  });

  it("gets in again without any page, also by a pushed request", async () => {
    for (const address of ["/sign-in", "/sign-in?pushed=1"]) {
      const before = anna.requests.length;
      await anna.page.goto(`${clientApp.url}${address}`);
      await anna.page.waitForURL(`${clientApp.url}/`);
      expect(pagesSeen(installation, anna, before)).toEqual([]);
    }
  });

  it("refreshes, introspects and revokes its tokens", async () => {
    const press = async (name: string) => {
      await anna.page.goto(clientApp.url);
      await anna.page.getByRole("button", { name }).click();
      return readDetail(anna.page, "answer");
    };
    expect(await press("Introspect")).toMatchObject({ active: true, sub: user.id, client_id: clientApp.clientId });
    expect(await press("Refresh")).toMatchObject({ token_type: "bearer", isRotated: true });
    expect(await press("Revoke")).toEqual({ active: false });
  });

  it("asks for confirmation before a sign-out, which the user can decline", async () => {
    await anna.page.goto(`${clientApp.url}/sign-out?ask=1`);
    await seesHeading(anna, anna.t("logout.pending.heading"));
    await logoutPage(anna).reject.click();
    await seesHeading(anna, anna.t("logout.rejected.heading"));
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await anna.page.waitForURL(`${clientApp.url}/`);
  });

  it("signs her out at both ends and gets her back; then the form is there again, with her name", async () => {
    await anna.page.getByRole("link", { name: "Sign out", exact: true }).click();
    await anna.page.waitForURL(`${clientApp.url}/signed-out`);
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).password.waitFor();
    expect(await loginPage(anna).username.inputValue()).toBe(user.username);
  });
});
