import { withoutClients } from "./broken.ts";
import { submitForged } from "./forge.ts";
import { openSignedIn, type Visit } from "./page-setup.ts";
import { alertOf, logoutPage, seesHeading } from "./pages.ts";
import type { PageState } from "./states.ts";

async function openQuestion(visit: Visit) {
  await openSignedIn(visit);
  await visit.anna.page.goto(`${visit.own.url}/sign-out?ask=1`);
  await logoutPage(visit.anna).accept.waitFor();
}

export const logoutStates: readonly PageState[] = [
  { name: "sign-out", status: 200, title: "logout.title", reach: openQuestion },
  {
    name: "sign-out, without return to the application",
    status: 200,
    title: "logout.title",
    async reach(visit) {
      await openSignedIn(visit);
      await visit.anna.page.goto(`${visit.installation.server.url}/oauth2/sessions/logout?id_token_hint=undefined`);
      await logoutPage(visit.anna).accept.waitFor();
    },
  },
  {
    name: "sign-out, form expired",
    status: 403,
    title: "logout.title",
    problem: true,
    async reach(visit) {
      await openQuestion(visit);
      await submitForged(logoutPage(visit.anna).accept);
    },
  },
  {
    name: "sign-out, failed",
    status: 500,
    title: "logout.failed.title",
    problem: true,
    async reach(visit) {
      await openSignedIn(visit);
      await visit.anna.page.goto(`${visit.installation.server.url}/oauth2/sessions/logout`);
      await withoutClients(visit.installation, async () => {
        await logoutPage(visit.anna).accept.click();
        await alertOf(visit.anna.page).waitFor();
      });
    },
  },
  {
    name: "sign-out without a request",
    status: 400,
    title: "logout.challenge.title",
    problem: true,
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/logout`);
    },
  },
  {
    name: "signed out",
    status: 200,
    title: "logout.accepted.title",
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/logout/callback`);
    },
  },
  {
    name: "sign-out without a session",
    status: 200,
    title: "logout.noSession.title",
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/oauth2/sessions/logout`);
    },
  },
  {
    name: "sign-out refused",
    status: 200,
    title: "logout.rejected.title",
    async reach(visit) {
      await openQuestion(visit);
      await logoutPage(visit.anna).reject.click();
      await seesHeading(visit.anna, visit.anna.t("logout.rejected.heading"));
    },
  },
];
