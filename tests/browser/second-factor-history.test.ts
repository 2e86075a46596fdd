import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveKey, giveTotp, type TestApp, testApp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { goToSecondFactor, readSecret, stepPage, wrongCode } from "./support/factors.ts";
import { alertOf, readDetail, seesHeading } from "./support/pages.ts";
import { textsIn } from "./support/texts.ts";
import { SCRIPTING } from "./support/variants.ts";

const installation = await installationOfFile({ env: { MFA_POLICY: "required" } });
const clientApp = await installation.openClientApp({ firstParty: true });
const archive = await installation.openClientApp({ firstParty: true, name: "Archive" });

describe.each(SCRIPTING)("the second step, $scripting", ({ javaScript }) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    user = await installation.createUser();
  });
  afterEach(() => anna.close());

  const goToStep = (browserUser = anna, to = clientApp) => goToSecondFactor(browserUser, `${to.url}/sign-in`, user);

  const arrives = async (browserUser = anna, at = clientApp) => {
    await browserUser.page.waitForURL(`${at.url}/`);
    expect(await readDetail(browserUser.page, "claims")).toMatchObject({ sub: user.id, amr: ["pwd", "otp", "mfa"] });
  };

  const openTab = async (): Promise<BrowserUser> => ({ ...anna, page: await anna.context.newPage() });

  /** Collects the paths of the posts from now on. */
  const countPosts = () => {
    const posts: string[] = [];
    anna.context.on("response", (response) => {
      if (response.request().method() === "POST" && response.url().startsWith(installation.server.url)) {
        posts.push(response.url());
      }
    });
    return posts;
  };

  describe("of a user with an app", () => {
    let app: TestApp;

    beforeEach(async () => {
      app = await giveTotp(installation.server, user);
      await goToStep();
    });

    it("can be loaded again, and then works", async () => {
      await anna.page.reload();
      await anna.page.reload();
      await stepPage(anna).enter(await app.code());
      await arrives();
    });

    it("does not return after a success: nothing is kept, nothing is sent again", async () => {
      await stepPage(anna).enter(await app.code());
      await arrives();
      const posts = countPosts();
      await anna.page.goBack();
      await seesHeading(anna, "You are signed in");
      expect(posts).toEqual([]);
      expect(await anna.page.locator("input:not([type=hidden]), input[name=mfa_token]").count()).toBe(0);
    });

    it("in two tabs ends in each of them, for its own application", async () => {
      const second = await openTab();
      await goToStep(second, archive);
      await stepPage(second).enter(await app.code());
      await arrives(second, archive);
      // A code is single-use, so this tab uses the next one.
      await stepPage(anna).enter(await app.code(1));
      await arrives();
    });

    it("open twice works in the page that was opened last", async () => {
      const second = await openTab();
      await second.page.goto(anna.page.url());
      await stepPage(second).enter(await app.code());
      await arrives(second);
    });

    it("open twice, shows the next step in the older page", async () => {
      const second = await openTab();
      await second.page.goto(anna.page.url());
      await stepPage(anna).enter(await app.code());
      await alertOf(anna.page).waitFor();
      if (javaScript) await alertOf(anna.page).getByRole("link", { name: "Start again" }).click();
      await stepPage(anna).enter(await app.code());
      await arrives();
    });

    it("continues in the other language", async () => {
      await giveKey(installation.server, user);
      await goToStep();
      await stepPage(anna).choose.totp.click();
      await anna.page.getByRole("link", { name: "Deutsch" }).click();
      const german = { ...anna, t: textsIn("de") };
      await stepPage(german).enter(await app.code());
      await arrives();
    });

    it("is no session yet for any application", async () => {
      await anna.page.goto(`${clientApp.url}/sign-in?prompt=none`);
      expect(await readDetail(anna.page, "error")).toBe("login_required");
    });
  });

  describe("of a user who sets up an app", () => {
    const setsUp = async () => {
      await goToStep();
      await stepPage(anna).setUp.totp.click();
      await seesHeading(anna, "Set up authenticator app");
      return testApp(installation.server.clock, await readSecret(anna));
    };

    it("shows the same secret when it is loaded again, in the other language, and after a wrong code", async () => {
      const app = await setsUp();
      await anna.page.reload();
      expect(await readSecret(anna)).toBe(app.secretBase32);
      await anna.page.getByRole("link", { name: "Deutsch" }).click();
      await seesHeading(anna, "Authenticator\u2011App einrichten");
      expect(await readSecret(anna)).toBe(app.secretBase32);
      await anna.page.getByRole("link", { name: "English" }).click();
      await seesHeading(anna, "Set up authenticator app");
      await stepPage(anna).enter(await wrongCode(app));
      await alertOf(anna.page).waitFor();
      await stepPage(anna).enter(await app.code());
      await seesHeading(anna, "Recovery codes");
    });

    it("makes other codes for who did not keep the first ones, as long as it is open", async () => {
      const app = await setsUp();
      await stepPage(anna).enter(await app.code());
      await stepPage(anna).recovery.make.click();
      await stepPage(anna).recovery.done.waitFor();
      const first = await anna.page.locator("#codes li").allTextContents();
      await anna.page.getByRole("link", { name: "Deutsch" }).click();
      const { recovery } = stepPage({ ...anna, t: textsIn("de") });
      await recovery.make.click();
      await recovery.done.waitFor();
      const second = await anna.page.locator("#codes li").allTextContents();
      expect(second).toHaveLength(10);
      expect(second.filter((code) => first.includes(code))).toEqual([]);
      await recovery.done.click();
      await arrives();
    });

    it("keeps no secret and no codes for the back button, and makes no other codes", async () => {
      const app = await setsUp();
      await stepPage(anna).enter(await app.code());
      await stepPage(anna).recovery.make.click();
      await stepPage(anna).recovery.done.waitFor();
      const codes = await anna.page.locator("#codes li").allTextContents();
      await stepPage(anna).recovery.done.click();
      await arrives();
      const posts = countPosts();
      const seen: string[] = [];
      const look = () => anna.page.content().catch(() => "");
      for (let count = 0; count < 4; count += 1) {
        // Without JavaScript, the browser does not go back to a response to POST without confirmation.
        await anna.page.goBack().catch((error) => expect(String(error)).toContain("ERR_CACHE_MISS"));
        await expect.poll(look).not.toBe("");
        seen.push(await look());
      }
      expect(posts).toEqual([]);
      expect(codes).toHaveLength(10);
      const kept = [app.secretBase32, app.secretBase32.slice(0, 4), ...codes];
      expect(seen.flatMap((page) => kept.filter((secret) => page.includes(secret)))).toEqual([]);
    });

    it("continues when its page is opened again after the factor was set up", async () => {
      const app = await setsUp();
      const before = anna.page.url();
      await stepPage(anna).enter(await app.code());
      await seesHeading(anna, "Recovery codes");
      await anna.page.goto(before);
      await anna.page.getByText("Your second factor is confirmed.").waitFor();
      await anna.page.getByRole("button", { name: "Continue", exact: true }).click();
      await arrives();
    });
  });

  it("opened without a sign-in leads to an error page", async () => {
    await anna.page.goto(`${installation.server.url}/mfa/verify`);
    await seesHeading(anna, "Sign in");
    await alertOf(anna.page).waitFor();
    expect(anna.status()).toBe(400);
  });

  it("opened before the password leads to the sign-in", async () => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    const { search } = new URL(anna.page.url());
    await anna.page.goto(`${installation.server.url}/mfa/verify${search}`);
    await anna.page.getByText("This sign-in has expired.").waitFor();
    await anna.page.getByRole("link", { name: "Start again" }).click();
    await seesHeading(anna, "Sign in");
  });
});
