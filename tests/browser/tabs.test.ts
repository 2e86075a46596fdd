import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import type { TestUser } from "#tests/support/server.ts";
import {
  consentPage,
  loginPage,
  pagesSeen,
  readDetail,
  scriptsHaveRun,
  seesHeading,
  signInAt,
} from "./support/pages.ts";
import { seedSession } from "./support/session.ts";
import { SCRIPTING } from "./support/variants.ts";

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });
const archive = await installation.openClientApp({ firstParty: true, name: "Archive" });
const partner = await installation.openClientApp({ name: "Partner Portal" });

describe.each(SCRIPTING)("$scripting", ({ javaScript }) => {
  let anna: BrowserUser;
  let user: TestUser;

  beforeEach(async () => {
    anna = await installation.open({ javaScript });
    user = await installation.createUser();
  });
  afterEach(() => anna.close());

  const openTab = async (address: string): Promise<BrowserUser> => {
    const page = await anna.context.newPage();
    await page.goto(address);
    return { ...anna, page };
  };

  /** Collects the paths of the posts. */
  const countPosts = () => {
    const posts: string[] = [];
    anna.context.on("request", (request) => {
      if (request.method() === "POST" && request.url().startsWith(installation.server.url)) {
        posts.push(new URL(request.url()).pathname);
      }
    });
    return posts;
  };

  describe("two tabs at once", () => {
    it("a form that was open before still works after the other tab has signed in, and redirects to its own target", async () => {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      const second = await openTab(`${archive.url}/sign-in`);
      await loginPage(anna).signIn(user);
      await anna.page.waitForURL(`${clientApp.url}/`);
      await loginPage(second).signIn(user);
      await second.page.waitForURL(`${archive.url}/`);
      expect(await readDetail(second.page, "claims")).toMatchObject({ aud: archive.clientId, sub: user.id });
    });

    it("a form that is reloaded after a sign-in in the other tab is skipped", async () => {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      const second = await openTab(`${archive.url}/sign-in`);
      await loginPage(anna).signIn(user);
      await anna.page.waitForURL(`${clientApp.url}/`);
      await second.page.reload();
      await second.page.waitForURL(`${archive.url}/`);
      expect(await readDetail(second.page, "claims")).toMatchObject({ aud: archive.clientId, sub: user.id });
    });

    it("opened together on a very first visit both get there, one of them perhaps by starting again", async () => {
      const second: BrowserUser = { ...anna, page: await anna.context.newPage() };
      await Promise.all([anna.page.goto(`${clientApp.url}/sign-in`), second.page.goto(`${archive.url}/sign-in`)]);
      for (const [browserUser, target] of [[anna, clientApp] as const, [second, archive] as const]) {
        await goOnToTheEnd(browserUser, user);
        expect(browserUser.page.url()).toBe(`${target.url}/`);
        expect(await readDetail(browserUser.page, "claims")).toMatchObject({ aud: target.clientId, sub: user.id });
      }
    });

    it("two consent pages are independent", async () => {
      await seedSession(installation, anna, user);
      await anna.page.goto(`${partner.url}/sign-in?scope=openid+profile`);
      const second = await openTab(`${partner.url}/sign-in?scope=openid+email`);
      await consentPage(anna).allow.click();
      await anna.page.waitForURL(`${partner.url}/`);
      await consentPage(second).allow.click();
      await second.page.waitForURL(`${partner.url}/`);
      expect(await readDetail(second.page, "scope")).toBe("openid email");
    });
  });

  describe("the back button after a success", () => {
    it("shows the result of the sign-in, without a resubmission prompt or the form", async () => {
      await signInAt(anna, `${clientApp.url}/sign-in`, user);
      await anna.page.waitForURL(`${clientApp.url}/`);
      const posts = countPosts();
      await anna.page.goBack();
      await seesHeading(anna, anna.t("loginResult.success.heading"));
      expect(posts).toEqual([]);
      expect(await anna.page.locator("input:not([type=hidden])").count()).toBe(0);
      expect(await anna.page.content()).not.toContain(user.username);
    });

    it("shows no failure after consent was granted", async () => {
      await seedSession(installation, anna, user);
      await anna.page.goto(`${partner.url}/sign-in`);
      await consentPage(anna).allow.click();
      await anna.page.waitForURL(`${partner.url}/`);
      const posts = countPosts();
      await anna.page.goBack();
      await anna.page.getByRole("heading", { level: 1 }).waitFor();
      expect(posts).toEqual([]);
      expect(await anna.page.getByText(anna.t("consent.error.generic.heading")).count()).toBe(0);
      expect(anna.status()).toBe(200);
    });
  });

  describe("a double click", () => {
    /** Unlike `waitForURL`, does not fail when the second click aborts the first navigation. */
    async function arrivesAt(url: string): Promise<void> {
      await expect.poll(() => anna.page.url()).toBe(url);
      await anna.page.waitForLoadState();
    }

    it("on Sign in signs in once and arrives", async () => {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      await loginPage(anna).username.fill(user.username);
      await loginPage(anna).password.fill(user.password);
      const posts = countPosts();
      await loginPage(anna).submit.dblclick();
      await arrivesAt(`${clientApp.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
      // Without JavaScript the browser sends both and discards the first response.
      if (javaScript) expect(posts).toEqual(["/login/native"]);
    });

    it("on Allow grants once and arrives", async () => {
      await seedSession(installation, anna, user);
      await anna.page.goto(`${partner.url}/sign-in`);
      const posts = countPosts();
      await consentPage(anna).allow.dblclick();
      await arrivesAt(`${partner.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
      if (javaScript) expect(posts).toEqual(["/consent/accept"]);
    });
  });

  it("who is signed in already sees no page at all", async () => {
    await seedSession(installation, anna, user);
    const before = anna.requests.length;
    await anna.page.goto(`${archive.url}/sign-in`);
    await anna.page.waitForURL(`${archive.url}/`);
    expect(pagesSeen(installation, anna, before)).toEqual([]);
  });
});

// Without JavaScript the browser itself asks for confirmation before it sends the refused form again.
it("with JavaScript, the back button causes no resubmission after a wrong password and a success", async () => {
  const anna = await installation.open();
  const user = await installation.createUser();
  await signInAt(anna, `${clientApp.url}/sign-in`, { ...user, password: "Not-This-One-27" });
  await anna.page.getByRole("alert").waitFor();
  await scriptsHaveRun(anna);
  await loginPage(anna).signIn(user);
  await anna.page.waitForURL(`${clientApp.url}/`);
  await anna.page.goBack();
  await seesHeading(anna, anna.t("loginResult.success.heading"));
  expect(anna.status()).toBe(200);
  await anna.close();
});

/** Signs in like a user: submits the form, and starts again if the page asks for it. */
async function goOnToTheEnd(browserUser: BrowserUser, user: TestUser) {
  const { page, t } = browserUser;
  const inside = page.getByRole("heading", { name: "Welcome to the desk" });
  const restart = page.getByRole("button", { name: t("login.error.challengeRestart"), exact: true });
  for (let step = 0; step < 4; step += 1) {
    await inside.or(restart).or(loginPage(browserUser).submit).first().waitFor();
    if (await inside.isVisible()) return;
    if (await restart.isVisible()) await restart.click();
    else await loginPage(browserUser).signIn(user);
  }
}

it("a page that the browser took from its memory is loaded again", async () => {
  const anna = await installation.open();
  await anna.page.goto(`${clientApp.url}/sign-in`);
  const loadedAgain = anna.page.waitForResponse((response) => response.url() === anna.page.url());
  await anna.page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  expect((await loadedAgain).status()).toBe(200);
  await loginPage(anna).submit.waitFor();
  await anna.close();
});
