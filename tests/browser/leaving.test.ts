import { afterAll, describe, expect, it } from "vitest";
import { installationOfFile } from "#tests/browser/support/installation.ts";
import { openHoppingApplication, openSite } from "./support/hopping-application.ts";
import { consentPage, loginPage, logoutPage, signInAt } from "./support/pages.ts";
import { SCRIPTING } from "./support/variants.ts";

const installation = await installationOfFile();
const application = await openHoppingApplication(installation.server);

afterAll(async () => {
  application?.close();
});

describe.each(SCRIPTING)("an application whose callback redirects to another site, $scripting", ({ javaScript }) => {
  it("is reached after sign-in and consent, after a refused consent, by form_post, and after a sign-out", async () => {
    const [anna, user] = await Promise.all([installation.open({ javaScript }), installation.createUser()]);
    const { party, callback, arrived } = application;
    await signInAt(anna, party.request().url, user);
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(arrived);

    await anna.page.goto(party.request({ prompt: "consent" }).url);
    await consentPage(anna).reject.click();
    await anna.page.waitForURL(arrived);

    await anna.page.goto(party.request({ prompt: "login", response_mode: "form_post" }).url);
    await loginPage(anna).signIn(user);
    if (!javaScript) await anna.page.getByRole("button", { name: anna.t("formPost.proceed") }).click();
    await anna.page.waitForURL(arrived);

    await anna.page.goto(party.logoutUrl({ post_logout_redirect_uri: callback }));
    await logoutPage(anna).accept.click();
    await anna.page.waitForURL(arrived);
    await anna.close();
  });
});

describe.each(SCRIPTING)("an application with a scheme of its own, $scripting", ({ javaScript }) => {
  it("is reached after a sign-in", async () => {
    const [anna, user] = await Promise.all([installation.open({ javaScript }), installation.createUser()]);
    const redirectUris = ["com.example.desk:/callback"];
    const party = await installation.server.parties.create({ public: true, firstParty: true, redirectUris });
    // No program is installed for the scheme.
    const tried = anna.page.waitForRequest((request) => request.url().startsWith("com.example.desk:/callback?code="));
    await signInAt(anna, party.request().url, user);
    await tried;
    expect(anna.problems).toEqual([]);
    await anna.close();
  });
});

it("a sign-in in a window of its own keeps the window that opened it", async () => {
  const opener = await openSite(({ url = "" }, response) => {
    const script = `<script>opener.postMessage("signed in", "*")</script>`;
    const body = url.startsWith("/popup") ? script : "<h1>Opener</h1>";
    response.setHeader("content-type", "text/html").end(`<!doctype html><title>An application</title>${body}`);
  });
  const inPopup = await installation.server.parties.create({ firstParty: true, redirectUris: [`${opener.url}/popup`] });
  const [anna, user] = await Promise.all([installation.open(), installation.createUser()]);
  await anna.page.goto(opener.url);
  const [popup] = await Promise.all([
    anna.page.waitForEvent("popup"),
    anna.page.evaluate((url) => {
      addEventListener("message", ({ data }) => {
        document.title = String(data);
      });
      open(url);
    }, inPopup.request().url),
  ]);
  await loginPage({ page: popup, t: anna.t }).signIn(user);
  await expect.poll(() => anna.page.title()).toBe("signed in");
  await anna.close();
  opener.close();
});
