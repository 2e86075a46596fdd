import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import { withoutClients } from "./support/broken.ts";
import { forgeToken } from "./support/forge.ts";
import { alertOf, loginPage, logoutPage, seesHeading, stateOf } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { SCRIPTING } from "./support/variants.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

describe.each(SCRIPTING)("signing out, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript, expected: [/the server responded with a status of 500/] });
    user = await installation.createUser();
    await seedSession(installation, anna, user);
  });
  afterEach(() => anna.close());

  const engineLogout = () => `${installation.server.url}/oauth2/sessions/logout`;
  const openQuestion = async () => {
    await anna.page.goto(engineLogout());
    await seesHeading(anna, "Do you want to sign out?");
  };
  const isSignedIn = async () => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    return new URL(anna.page.url()).origin === clientApp.url;
  };

  it("asks for confirmation with the user's name, and ends on its own page without a post_logout_redirect_uri", async () => {
    await openQuestion();
    expect(await anna.page.getByRole("main").textContent()).toContain(user.displayName);
    await logoutPage(anna).accept.click();
    await seesHeading(anna, "You are signed out");
    expect(new URL(anna.page.url()).pathname).toBe("/logout/callback");
    const again = anna.page.getByRole("link", { name: anna.t("logout.accepted.again") });
    expect(await again.getAttribute("href")).toBe(installation.server.context.config.appUrl);
    expect(await isSignedIn()).toBe(false);
  });

  it("redirects to the application that requested it", async () => {
    expect(await isSignedIn()).toBe(true);
    await anna.page.getByRole("link", { name: "Sign out, but ask" }).click();
    await logoutPage(anna).accept.click();
    await anna.page.waitForURL(`${clientApp.url}/signed-out`);
    expect(await isSignedIn()).toBe(false);
  });

  it("can be declined: the user stays signed in, also after a reload", async () => {
    await openQuestion();
    await logoutPage(anna).reject.click();
    await seesHeading(anna, "Logout aborted!");
    await anna.page.reload();
    await seesHeading(anna, "Logout aborted!");
    expect(await isSignedIn()).toBe(true);
  });

  it("needs a challenge: without one, or with a forged one, no session ends", async () => {
    for (const path of ["/logout", "/logout?logout_challenge=made-up", "/logout/accept?logout_challenge=made-up"]) {
      await anna.page.goto(installation.server.url + path);
      await seesHeading(anna, anna.t("logout.challenge.heading"));
      expect(anna.status()).toBe(400);
      expect(await alertOf(anna.page).textContent()).toContain("Logout-Challenge is empty or invalid!");
      expect(await stateOf(anna.page)).toMatchObject({ error: "challenge" });
    }
    expect(await isSignedIn()).toBe(true);
  });

  it("with an expired form asks again, and then works", async () => {
    await openQuestion();
    await forgeToken(anna.page);
    await logoutPage(anna).accept.click();
    await alertOf(anna.page).getByText(anna.t("common.formExpired")).waitFor();
    expect(anna.status()).toBe(403);
    await logoutPage(anna).accept.click();
    await seesHeading(anna, "You are signed out");
  });

  it("that fails shows that the user is still signed in; later it works", async () => {
    // Ending a session reads the clients that it signed in at.
    expect(await isSignedIn()).toBe(true);
    await openQuestion();
    await withoutClients(installation, async () => {
      await logoutPage(anna).accept.click();
      await seesHeading(anna, anna.t("logout.failed.heading"));
    });
    expect(anna.status()).toBe(500);
    expect(await alertOf(anna.page).textContent()).toContain("Logout failed!");
    expect(await stateOf(anna.page)).toMatchObject({ status: "failed" });
    expect(await isSignedIn()).toBe(true);
    await openQuestion();
    await logoutPage(anna).accept.click();
    await seesHeading(anna, "You are signed out");
  });

  it("in two tabs is valid in the newer one only; the older one shows that it has expired", async () => {
    await openQuestion();
    const second = { ...anna, page: await anna.context.newPage() };
    await second.page.goto(engineLogout());
    await logoutPage(anna).accept.click();
    await seesHeading(anna, anna.t("logout.challenge.heading"));
    await logoutPage(second).accept.click();
    await seesHeading(second, "You are signed out");
  });

  it("by a double click happens once", async () => {
    await openQuestion();
    await logoutPage(anna).accept.dblclick();
    await seesHeading(anna, "You are signed out");
  });

  // Proves requirement 117.
  it("leaves no data of the user for the back button", async () => {
    await openQuestion();
    await logoutPage(anna).accept.click();
    await seesHeading(anna, "You are signed out");
    await anna.page.goBack();
    await seesHeading(anna, anna.t("logout.challenge.heading"));
    expect(await anna.page.content()).not.toContain(user.displayName);
  });

  it("without a session asks for no confirmation", async () => {
    await anna.context.clearCookies();
    await anna.page.goto(engineLogout());
    await seesHeading(anna, anna.t("logout.noSession.heading"));
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).password.waitFor();
  });
});
