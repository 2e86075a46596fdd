import { vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { countAttempt, SIGN_IN_LIMITS } from "#app/domain/password/throttle.server.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { forgeToken, submitForged } from "./forge.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { accountPage, alertOf, loginPage, seesHeading, signInAt } from "./pages.ts";
import { seedRememberedUsername, seedSession } from "./session.ts";

const title = "login.title";

/** Submits the form and waits for the refusal. */
async function isRefused({ anna, own, user }: Visit, typed = user) {
  await signInAt(anna, `${own.url}/sign-in`, typed);
  await alertOf(anna.page).waitFor();
}

export const loginStates: readonly PageState[] = [
  page("sign-in", title, async ({ anna, clientApp }) => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).submit.waitFor();
  }),
  page("sign-in for an application without a home page", title, async ({ anna, plain }) => {
    await anna.page.goto(`${plain.url}/sign-in`);
    await loginPage(anna).submit.waitFor();
  }),
  page("sign-in with a remembered user name", title, async ({ anna, clientApp, installation, user }) => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await seedRememberedUsername(installation, anna, user);
    await anna.page.reload();
    await loginPage(anna).notYou.waitFor();
  }),
  problem(
    "sign-in with a remembered user name, password wrong",
    401,
    title,
    async ({ anna, own, installation, user }) => {
      await anna.page.goto(`${own.url}/sign-in`);
      await seedRememberedUsername(installation, anna, user);
      await anna.page.reload();
      await loginPage(anna).signIn({ ...user, password: "Not-This-One-27" });
      await alertOf(anna.page).waitFor();
    },
  ),
  problem("sign-in, password wrong", 401, title, (visit) =>
    isRefused(visit, { ...visit.user, password: "Not-This-One-27" }),
  ),
  problem("sign-in, empty fields", 400, title, (visit) =>
    isRefused(visit, { ...visit.user, username: "", password: "" }),
  ),
  problem("sign-in, form expired", 403, title, async ({ anna, own, user }) => {
    await anna.page.goto(`${own.url}/sign-in`);
    await forgeToken(anna.page);
    await loginPage(anna).signIn(user);
    await alertOf(anna.page).waitFor();
  }),
  problem("sign-in, too many attempts", 429, title, async (visit) => {
    const { context } = visit.installation.server;
    const attempt = {
      typedName: visit.user.username,
      userId: visit.user.id,
      address: "192.0.2.7",
      knownBrowser: null,
    };
    for (let count = 0; count < SIGN_IN_LIMITS.account.points; count += 1) await countAttempt(context, attempt);
    await isRefused(visit);
  }),
  problem("sign-in, server busy", 503, title, async (visit) => {
    vi.spyOn(visit.installation.server.context.hasher, "verify").mockRejectedValueOnce(new DomainError("overloaded"));
    await isRefused(visit);
  }),
  problem("sign-in without a request", 400, title, async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/login`);
  }),
  problem("sign-in, expired", 400, title, async ({ anna, clientApp, user }) => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    letMinutesPass(61);
    await loginPage(anna).signIn(user);
    await alertOf(anna.page).waitFor();
    backToNow();
  }),
  problem("sign-in of another browser", 400, title, async ({ anna, clientApp }) => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await anna.context.clearCookies({ name: "gatehouse_browser" });
    await anna.page.reload();
  }),
  page("logged in as", "loginHint.title", async (visit) => {
    await seedSession(visit.installation, visit.anna, visit.user);
    await visit.anna.page.goto(`${visit.own.url}/sign-in?prompt=select_account`);
  }),
  problem("logged in as, form expired", 403, title, async (visit) => {
    await seedSession(visit.installation, visit.anna, visit.user);
    await visit.anna.page.goto(`${visit.own.url}/sign-in?prompt=select_account`);
    await submitForged(accountPage(visit.anna).proceed);
  }),
  page("sign-in, already used", "loginResult.success.heading", async ({ anna, own, user }) => {
    await anna.page.goto(`${own.url}/sign-in`);
    const used = anna.page.url();
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${own.url}/`);
    await anna.page.goto(used);
    await seesHeading(anna, anna.t("loginResult.success.heading"));
  }),
];
