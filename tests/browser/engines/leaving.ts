import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { type HoppingApplication, openHoppingApplication } from "../support/hopping-application.ts";
import { textsIn } from "../support/texts.ts";
import { SCRIPTING } from "../support/variants.ts";
import type { Engine, RunningBrowser } from "./engine.ts";
import { givePassword } from "./journey.ts";

type LeavingEngine<Running extends RunningBrowser> = Pick<Engine<Running>, "name" | "start"> & {
  /** Returns true if the browser tried to open a URI of this scheme, for which no program is installed. */
  hasTried(browser: Running, scheme: string): Promise<boolean>;
};

const APP_SCHEME = "com.example.desk:";

/** Tests that the pages of a request lead on to the application, in a browser that is not based on Chromium. */
export function describeLeaving<Running extends RunningBrowser>(engine: LeavingEngine<Running>): void {
  const { name, start, hasTried } = engine;
  describe.each(SCRIPTING)(`in ${name}, $scripting`, ({ javaScript }) => {
    const t = textsIn("en");
    let server: TestServer;
    let application: HoppingApplication;
    let browser: Running;
    let user: TestUser;

    beforeAll(async () => {
      server = await startServer({ now: "running" });
      application = await openHoppingApplication(server);
      user = await server.users.create();
      browser = await start({ language: "en", javaScript });
    });
    afterAll(async () => {
      await browser?.close();
      application?.close();
      await server?.close();
    });

    async function expectArrival() {
      await browser.heading("Tenant").waitFor();
      expect(await browser.address()).toBe(application.arrived);
    }

    it("a callback that redirects to another site is reached after sign-in and consent", async () => {
      await browser.goto(application.party.request().url);
      await givePassword(browser, t, user);
      await browser.button(t("consent.allow")).click();
      await expectArrival();
    });

    it("it is reached after a refused consent", async () => {
      await browser.goto(application.party.request({ prompt: "consent" }).url);
      await browser.button(t("consent.reject")).click();
      await expectArrival();
    });

    it("it is reached by form_post", async () => {
      await browser.goto(application.party.request({ prompt: "login", response_mode: "form_post" }).url);
      await browser.field(t("field.password.label")).fill(user.password);
      await browser.button(t("login.submit")).click();
      if (!javaScript) await browser.button(t("formPost.proceed")).click();
      await expectArrival();
    });

    it("it is reached after a sign-out", async () => {
      await browser.goto(application.party.logoutUrl({ post_logout_redirect_uri: application.callback }));
      await browser.button(t("logout.pending.accept")).click();
      await expectArrival();
    });

    it("an application's own scheme is reached after a sign-in", async () => {
      const app = await createNativeParty(server);
      await browser.goto(app.request({ prompt: "login" }).url);
      await browser.field(t("field.password.label")).fill(user.password);
      await browser.button(t("login.submit")).click();
      await expect.poll(() => hasTried(browser, APP_SCHEME), { timeout: 30_000 }).toBe(true);
    });
  });
}

async function createNativeParty(server: TestServer): Promise<RelyingParty> {
  const client = await server.clients.create({
    public: true,
    firstParty: true,
    redirectUris: [`${APP_SCHEME}/callback`],
  });
  return createRelyingParty({ issuer: server.url, client });
}
