import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { type BrowserUser, type Installation, installationOfFile } from "#tests/browser/support/installation.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import type { TestUser } from "#tests/support/server.ts";
import { forgeToken } from "./support/forge.ts";
import { alertOf, seesHeading, stateOf } from "./support/pages.ts";
import { linkFor, openResetLink, resetPages } from "./support/password-reset.ts";
import { textsIn } from "./support/texts.ts";
import { SCRIPTING } from "./support/variants.ts";

let anna: BrowserUser;
let user: TestUser;

const installation = await installationOfFile();

const openLink = async (options?: Parameters<Installation["open"]>[0]) => {
  ({ anna, user } = await openResetLink(installation, options));
};
afterEach(() => anna.close());

const seesSuccess = () => seesHeading(anna, anna.t("passwordReset.status.success.heading"));
const seesNoLink = () => seesHeading(anna, anna.t("passwordReset.status.noLink.heading"));

const isRefused = async () => {
  await resetPages(anna).choose("Passwordpassword1");
  await alertOf(anna.page).waitFor();
  // The script replaces the history entry of the POST.
  await anna.page.waitForLoadState();
};

/** Collects the paths of the posts from now on. */
const countPosts = () => {
  const posts: string[] = [];
  anna.context.on("response", (response) => {
    if (response.request().method() === "POST") posts.push(response.url());
  });
  return posts;
};

describe.each(SCRIPTING)("the form for a new password, $scripting", ({ javaScript }) => {
  const EXPECTED = [/^Failed to load resource: the server responded with a status of 503/];

  beforeEach(() => openLink({ javaScript, expected: EXPECTED }));

  it("that expired is shown again, and then works", async () => {
    await forgeToken(anna.page);
    await resetPages(anna).choose(NEW_PASSWORD);
    await alertOf(anna.page).getByText("This page was open for too long.").waitFor();
    expect([anna.status(), (await stateOf(anna.page)).error]).toEqual([403, "xsrf"]);
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
  });

  it("is shown again when the server is busy, and then works", async () => {
    vi.spyOn(installation.server.context.hasher, "hash").mockRejectedValueOnce(new DomainError("overloaded"));
    await resetPages(anna).choose(NEW_PASSWORD);
    await alertOf(anna.page).getByText(anna.t("serverError.overload.description")).waitFor();
    expect([anna.status(), (await stateOf(anna.page)).error]).toEqual([503, "overloaded"]);
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
  });

  it.each([
    ["", async () => {}],
    [" after a refused form", isRefused],
  ])("does not return after a success%s: no token is kept, nothing is sent again", async (_when, happens) => {
    await happens();
    const token = String((await stateOf(anna.page)).reset_token);
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
    const posts = countPosts();
    // Without JavaScript, the browser does not go back to a response to POST without confirmation.
    const goBack = () => anna.page.goBack().catch((error) => expect(String(error)).toContain("ERR_CACHE_MISS"));
    for (let step = 0; step < 2; step += 1) {
      await goBack();
      await expect.poll(() => anna.page.content().catch(() => "")).not.toBe("");
      expect(await anna.page.locator("input[name=reset_token]").count()).toBe(0);
      expect(await anna.page.content()).not.toContain(token);
      if (javaScript && anna.page.url().startsWith(installation.server.url)) await seesNoLink();
    }
    expect(posts).toEqual([]);
    expect(await anna.context.cookies().then((all) => all.filter(({ value }) => value === token))).toEqual([]);
  });

  it("has a URL without token and user, and keeps its state after a reload, also in the other language", async () => {
    expect(anna.page.url()).toBe(`${installation.server.url}/password-reset/reset-form`);
    const links = await anna.page.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    const { reset_token } = await stateOf(anna.page);
    expect(links.filter((href) => href?.includes(user.username) || href?.includes(String(reset_token)))).toEqual([]);
    await anna.page.reload();
    await anna.page.getByRole("link", { name: "Deutsch" }).click();
    const german = resetPages({ ...anna, t: textsIn("de") });
    await german.choose("Passwordpassword1");
    await alertOf(anna.page).waitFor();
    await anna.page.getByRole("link", { name: "English" }).click();
    await seesHeading(anna, "Choose a new password");
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
  });

  it("opened in another browser, does not invalidate the link", async () => {
    const scanner = await installation.open({ javaScript });
    const link = await linkFor(installation.server, user);
    await scanner.page.goto(link);
    await scanner.page.request.head(link);
    await scanner.close();
    await anna.page.goto(link);
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
  });
});

describe("with JavaScript", () => {
  beforeEach(() => openLink());

  it("a double click changes the password once, and shows the success", async () => {
    await resetPages(anna).type({ password: NEW_PASSWORD, repeat: NEW_PASSWORD });
    const posts = countPosts();
    await resetPages(anna).save.dblclick();
    await seesSuccess();
    expect(posts).toEqual([`${installation.server.url}/password-reset/reset`]);
  });

  it("a refused form that is loaded again is not sent again", async () => {
    await isRefused();
    const posts = countPosts();
    await anna.page.reload();
    await resetPages(anna).save.waitFor();
    expect(posts).toEqual([]);
    await resetPages(anna).choose(NEW_PASSWORD);
    await seesSuccess();
  });
});
