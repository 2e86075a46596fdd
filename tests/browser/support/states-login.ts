import { vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { countAttempt, SIGN_IN_LIMITS } from "#app/domain/password/throttle.server.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { forgeToken, submitForged } from "./forge.ts";
import type { Visit } from "./page-setup.ts";
import { accountPage, alertOf, loginPage, seesHeading, signInAt } from "./pages.ts";
import { seedRememberedUsername, seedSession } from "./session.ts";
import type { PageState } from "./states.ts";

const title = "login.title";

/** Submits the form and waits for the refusal. */
async function isRefused({ anna, own, user }: Visit, typed = user) {
  await signInAt(anna, `${own.url}/sign-in`, typed);
  await alertOf(anna.page).waitFor();
}

export const loginStates: readonly PageState[] = [
  {
    name: "sign-in",
    status: 200,
    title,
    async reach({ anna, clientApp }) {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      await loginPage(anna).submit.waitFor();
    },
  },
  {
    name: "sign-in for an application without a home page",
    status: 200,
    title,
    async reach({ anna, plain }) {
      await anna.page.goto(`${plain.url}/sign-in`);
      await loginPage(anna).submit.waitFor();
    },
  },
  {
    name: "sign-in with a remembered user name",
    status: 200,
    title,
    async reach({ anna, clientApp, installation, user }) {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      await seedRememberedUsername(installation, anna, user);
      await anna.page.reload();
      await loginPage(anna).notYou.waitFor();
    },
  },
  {
    name: "sign-in with a remembered user name, password wrong",
    status: 401,
    title,
    problem: true,
    async reach({ anna, own, installation, user }) {
      await anna.page.goto(`${own.url}/sign-in`);
      await seedRememberedUsername(installation, anna, user);
      await anna.page.reload();
      await loginPage(anna).signIn({ ...user, password: "Not-This-One-27" });
      await alertOf(anna.page).waitFor();
    },
  },
  {
    name: "sign-in, password wrong",
    status: 401,
    title,
    problem: true,
    reach: (visit) => isRefused(visit, { ...visit.user, password: "Not-This-One-27" }),
  },
  {
    name: "sign-in, empty fields",
    status: 400,
    title,
    problem: true,
    reach: (visit) => isRefused(visit, { ...visit.user, username: "", password: "" }),
  },
  {
    name: "sign-in, form expired",
    status: 403,
    title,
    problem: true,
    async reach({ anna, own, user }) {
      await anna.page.goto(`${own.url}/sign-in`);
      await forgeToken(anna.page);
      await loginPage(anna).signIn(user);
      await alertOf(anna.page).waitFor();
    },
  },
  {
    name: "sign-in, too many attempts",
    status: 429,
    title,
    problem: true,
    async reach(visit) {
      const { context } = visit.installation.server;
      const attempt = {
        typedName: visit.user.username,
        userId: visit.user.id,
        address: "192.0.2.7",
        knownBrowser: null,
      };
      for (let count = 0; count < SIGN_IN_LIMITS.account.points; count += 1) await countAttempt(context, attempt);
      await isRefused(visit);
    },
  },
  {
    name: "sign-in, server busy",
    status: 503,
    title,
    problem: true,
    async reach(visit) {
      vi.spyOn(visit.installation.server.context.hasher, "verify").mockRejectedValueOnce(new DomainError("overloaded"));
      await isRefused(visit);
    },
  },
  {
    name: "sign-in without a request",
    status: 400,
    title,
    problem: true,
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/login`);
    },
  },
  {
    name: "sign-in, expired",
    status: 400,
    title,
    problem: true,
    async reach({ anna, clientApp, user }) {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      letMinutesPass(61);
      await loginPage(anna).signIn(user);
      await alertOf(anna.page).waitFor();
      backToNow();
    },
  },
  {
    name: "sign-in of another browser",
    status: 400,
    title,
    problem: true,
    async reach({ anna, clientApp }) {
      await anna.page.goto(`${clientApp.url}/sign-in`);
      await anna.context.clearCookies({ name: "gatehouse_browser" });
      await anna.page.reload();
    },
  },
  {
    name: "logged in as",
    status: 200,
    title: "loginHint.title",
    async reach(visit) {
      await seedSession(visit.installation, visit.anna, visit.user);
      await visit.anna.page.goto(`${visit.own.url}/sign-in?prompt=select_account`);
    },
  },
  {
    name: "logged in as, form expired",
    status: 403,
    title,
    problem: true,
    async reach(visit) {
      await seedSession(visit.installation, visit.anna, visit.user);
      await visit.anna.page.goto(`${visit.own.url}/sign-in?prompt=select_account`);
      await submitForged(accountPage(visit.anna).proceed);
    },
  },
  {
    name: "nobody signed in",
    status: 200,
    title: "front.heading",
    async reach({ anna, installation }) {
      await anna.page.goto(installation.server.url);
    },
  },
  {
    name: "sign-in, already used",
    status: 200,
    title: "loginResult.success.heading",
    async reach({ anna, own, user }) {
      await anna.page.goto(`${own.url}/sign-in`);
      const used = anna.page.url();
      await loginPage(anna).signIn(user);
      await anna.page.waitForURL(`${own.url}/`);
      await anna.page.goto(used);
      await seesHeading(anna, anna.t("loginResult.success.heading"));
    },
  },
];
