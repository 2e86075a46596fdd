import { dropScope, requestWithoutScopes, submitForged } from "./forge.ts";
import { ALL_SCOPES, type Visit } from "./page-setup.ts";
import { alertOf, consentPage } from "./pages.ts";
import { seedSession } from "./session.ts";
import type { PageState } from "./states.ts";

const title = "consent.title";

/** Opens an application's sign-in with Anna signed in. */
async function openRequest({ anna, installation, user }: Visit, url: string) {
  await seedSession(installation, anna, user);
  await anna.page.goto(url);
}

async function openConsent(visit: Visit) {
  const { anna, clientApp } = visit;
  await openRequest(visit, `${clientApp.url}/sign-in?${new URLSearchParams({ scope: ALL_SCOPES.join(" ") })}`);
  await consentPage(anna).allow.waitFor();
}

export const consentStates: readonly PageState[] = [
  { name: "consent", status: 200, title, reach: openConsent },
  {
    name: "consent, form expired",
    status: 403,
    title,
    problem: true,
    async reach(visit) {
      await openConsent(visit);
      await submitForged(consentPage(visit.anna).allow);
    },
  },
  {
    name: "consent without scopes",
    status: 200,
    title,
    async reach(visit) {
      await openRequest(visit, requestWithoutScopes(visit.installation, visit.clientApp));
      await consentPage(visit.anna).allow.waitFor();
    },
  },
  {
    name: "consent, failed",
    status: 400,
    title,
    problem: true,
    async reach(visit) {
      await openConsent(visit);
      await dropScope(visit.anna.page, "tasks");
      await consentPage(visit.anna).allow.click();
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "consent to scopes the application may not request",
    status: 400,
    title,
    problem: true,
    async reach(visit) {
      await openRequest(visit, `${visit.clientApp.url}/sign-in?scope=openid+orders`);
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "consent, rejected before",
    status: 200,
    title,
    async reach(visit) {
      await openConsent(visit);
      const { page } = visit.anna;
      const consentUrl = page.url();
      await consentPage(visit.anna).reject.click();
      await page.waitForURL(`${visit.clientApp.url}/**`);
      await page.goto(consentUrl);
    },
  },
  {
    name: "consent of another browser",
    status: 400,
    title,
    problem: true,
    async reach(visit) {
      await openConsent(visit);
      await visit.anna.context.clearCookies();
      await visit.anna.page.goto(`${visit.anna.page.url()}&lng=${visit.anna.language}`);
    },
  },
  {
    name: "consent without a request",
    status: 400,
    title,
    problem: true,
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/consent`);
    },
  },
];
