import { dropScope, requestWithoutScopes, submitForged } from "./forge.ts";
import { ALL_SCOPES, type Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, consentPage } from "./pages.ts";
import { seedSession } from "./session.ts";

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
  page("consent", title, openConsent),
  problem("consent, form expired", 403, title, async (visit) => {
    await openConsent(visit);
    await submitForged(consentPage(visit.anna).allow);
  }),
  page("consent without scopes", title, async (visit) => {
    await openRequest(visit, requestWithoutScopes(visit.installation, visit.clientApp));
    await consentPage(visit.anna).allow.waitFor();
  }),
  problem("consent, failed", 400, title, async (visit) => {
    await openConsent(visit);
    await dropScope(visit.anna.page, "tasks");
    await consentPage(visit.anna).allow.click();
    await alertOf(visit.anna.page).waitFor();
  }),
  problem("consent to scopes the application may not request", 400, title, async (visit) => {
    await openRequest(visit, `${visit.clientApp.url}/sign-in?scope=openid+orders`);
    await alertOf(visit.anna.page).waitFor();
  }),
  page("consent, rejected before", title, async (visit) => {
    await openConsent(visit);
    const { page } = visit.anna;
    const consentUrl = page.url();
    await consentPage(visit.anna).reject.click();
    await page.waitForURL(`${visit.clientApp.url}/**`);
    await page.goto(consentUrl);
  }),
  problem("consent of another browser", 400, title, async (visit) => {
    await openConsent(visit);
    await visit.anna.context.clearCookies();
    await visit.anna.page.goto(`${visit.anna.page.url()}&lng=${visit.anna.language}`);
  }),
  problem("consent without a request", 400, title, async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/consent`);
  }),
];
