import { withoutClients } from "./broken.ts";
import { submitForged } from "./forge.ts";
import { openSignedIn, type Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, logoutPage, seesHeading } from "./pages.ts";

async function openQuestion(visit: Visit) {
  await openSignedIn(visit);
  await visit.anna.page.goto(`${visit.own.url}/sign-out?ask=1`);
  await logoutPage(visit.anna).accept.waitFor();
}

export const logoutStates: readonly PageState[] = [
  page("sign-out", "logout.title", openQuestion),
  page("sign-out, without return to the application", "logout.title", async (visit) => {
    await openSignedIn(visit);
    await visit.anna.page.goto(`${visit.installation.server.url}/oauth2/sessions/logout?id_token_hint=undefined`);
    await logoutPage(visit.anna).accept.waitFor();
  }),
  problem("sign-out, form expired", 403, "logout.title", async (visit) => {
    await openQuestion(visit);
    await submitForged(logoutPage(visit.anna).accept);
  }),
  problem("sign-out, failed", 500, "logout.failed.title", async (visit) => {
    await openSignedIn(visit);
    await visit.anna.page.goto(`${visit.installation.server.url}/oauth2/sessions/logout`);
    await withoutClients(visit.installation, async () => {
      await logoutPage(visit.anna).accept.click();
      await alertOf(visit.anna.page).waitFor();
    });
  }),
  problem("sign-out without a request", 400, "logout.challenge.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/logout`);
  }),
  page("signed out", "logout.accepted.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/logout/callback`);
  }),
  page("sign-out without a session", "logout.noSession.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/oauth2/sessions/logout`);
  }),
  page("sign-out refused", "logout.rejected.title", async (visit) => {
    await openQuestion(visit);
    await logoutPage(visit.anna).reject.click();
    await seesHeading(visit.anna, visit.anna.t("logout.rejected.heading"));
  }),
];
