import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { dropScope, forgeToken, requestWithoutScopes } from "./support/forge.ts";
import { alertOf, consentPage, readDetail, seesHeading, stateOf } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { SCRIPTING } from "./support/variants.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ policyUri: "https://desk.example/policy" });
const own = await installation.openClientApp({ firstParty: true });

describe.each(SCRIPTING)("consent, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    user = await installation.createUser();
  });
  afterEach(() => anna.close());

  const signsInFor = async (address: string) => {
    await seedSession(installation, anna, user);
    await anna.page.goto(address);
  };
  const openConsent = async (query = "") => {
    await signsInFor(`${clientApp.url}/sign-in${query}`);
    await consentPage(anna).allow.waitFor();
  };
  const shownScopes = () => consentPage(anna).scopes.allTextContents();

  it("shows the application, the user, the scopes, the redirect host and the application's policy", async () => {
    await openConsent("?scope=openid+email+tasks");
    const page = await anna.page.getByRole("main").textContent();
    expect(page).toContain("Broker Desk would like to access your account");
    expect(page).toContain(user.displayName);
    expect(page).toContain(new URL(clientApp.url).host);
    expect(await shownScopes()).toEqual([
      anna.t("scope.openid.label"),
      anna.t("scope.email.label"),
      anna.t("scope.tasks.label"),
    ]);
    const policy = anna.page.getByRole("link", { name: anna.t("consent.policy", { client: "Broker Desk" }) });
    expect(await policy.getAttribute("href")).toBe("https://desk.example/policy");
    const state = await stateOf(anna.page);
    expect(state).toMatchObject({ scopes: [{ id: "openid" }, { id: "email" }, { id: "tasks" }] });
    expect(state).not.toHaveProperty("redirect_uri");
  });

  it("when rejected, redirects with access_denied and grants nothing", async () => {
    await openConsent();
    await consentPage(anna).reject.click();
    await anna.page.waitForURL(`${clientApp.url}/callback?**`);
    expect(await readDetail(anna.page, "error")).toBe("access_denied");
  });

  it("when given, is remembered; later only new scopes are requested", async () => {
    await openConsent("?scope=openid+profile");
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    await anna.page.goto(`${clientApp.url}/sign-in?scope=openid+profile+reports`);
    expect(await shownScopes()).toEqual([anna.t("scope.reports.label")]);
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "scope")).toBe("openid profile reports");
  });

  it("is requested again with prompt=consent", async () => {
    await openConsent("?scope=openid+profile");
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    await anna.page.goto(`${clientApp.url}/sign-in?scope=openid+profile+offline_access&prompt=consent`);
    expect(await shownScopes()).toEqual([
      anna.t("scope.openid.label"),
      anna.t("scope.profile.label"),
      anna.t("scope.offline_access.label"),
    ]);
  });

  it("is not requested by first-party applications", async () => {
    await signsInFor(`${own.url}/sign-in`);
    await anna.page.waitForURL(`${own.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  // A known scope with JavaScript, an unknown one without it.
  it("cannot be given for a scope that the application may not have", async () => {
    const scope = javaScript ? "orders" : "nonsense";
    await signsInFor(`${own.url}/sign-in?scope=openid+${scope}`);
    await seesHeading(anna, anna.t("consent.error.invalidScope.heading"));
    expect(anna.status()).toBe(400);
    expect(await alertOf(anna.page).getAttribute("data-code")).toBe("invalid-scope-requested");
    expect(await consentPage(anna).scopes.count()).toBe(0);
    expect(await consentPage(anna).allow.count()).toBe(0);
    const reject = anna.page.getByRole("link", { name: anna.t("consent.reject") });
    const target = new URL((await reject.getAttribute("href")) ?? "");
    expect(await stateOf(anna.page)).toMatchObject({ redirect_uri: target.href });
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      error: "invalid_scope",
      iss: installation.server.url,
    });
    await reject.click();
    await anna.page.waitForURL(`${own.url}/callback?**`);
    expect(await readDetail(anna.page, "error")).toBe("invalid_scope");
  });

  it("with a stale form shows the same page again, which then works", async () => {
    await openConsent();
    await forgeToken(anna.page);
    await consentPage(anna).allow.click();
    await alertOf(anna.page).getByText(anna.t("common.formExpired")).waitFor();
    expect(anna.status()).toBe(403);
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  it("fails with a form that lacks a shown scope; nothing is granted, and the user can still reject", async () => {
    await openConsent("?scope=openid+email+tasks");
    await dropScope(anna.page, "tasks");
    await consentPage(anna).allow.click();
    await seesHeading(anna, anna.t("consent.error.generic.heading"));
    expect(anna.status()).toBe(400);
    expect(await alertOf(anna.page).textContent()).toContain("Consent failed!");
    expect(await consentPage(anna).allow.count()).toBe(0);
    expect(await consentPage(anna).scopes.count()).toBe(3);
    await consentPage(anna).reject.click();
    await anna.page.waitForURL(`${clientApp.url}/callback?**`);
    expect(await readDetail(anna.page, "error")).toBe("access_denied");
  });

  it("without scopes states that nothing is requested, and grants nothing", async () => {
    await signsInFor(requestWithoutScopes(installation, clientApp));
    await anna.page.getByText(anna.t("consent.noScopes"), { exact: true }).waitFor();
    expect(await consentPage(anna).scopes.count()).toBe(0);
    expect(await stateOf(anna.page)).toMatchObject({ scopes: [] });
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/callback?**`);
    expect(new URL(anna.page.url()).searchParams.get("error")).toBe("access_denied");
  });

  it("for an unknown challenge shows a page with one next step", async () => {
    await anna.page.goto(`${installation.server.url}/consent?consent_challenge=nothing`);
    await seesHeading(anna, anna.t("consent.error.challenge.heading"));
    expect(anna.status()).toBe(400);
    const onward = anna.page.getByRole("main").getByRole("link");
    expect(await onward.getAttribute("href")).toBe(installation.server.context.config.appUrl);
  });
});
