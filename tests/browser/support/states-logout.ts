import { withoutClients } from "./broken.ts";
import { forgeToken } from "./forge.ts";
import { alertOf, logoutPage, seesHeading } from "./pages.ts";
import { beSignedIn, type Visit } from "./scene.ts";
import type { PageState } from "./states.ts";

async function isAsked(visit: Visit) {
  await beSignedIn(visit);
  await visit.anna.page.goto(`${visit.own.url}/sign-out?ask=1`);
  await logoutPage(visit.anna).accept.waitFor();
}

export const logoutStates: readonly PageState[] = [
  { name: "sign-out", status: 200, title: "logout.title", reach: isAsked },
  {
    name: "sign-out, form too old",
    status: 403,
    title: "logout.title",
    problem: true,
    async reach(visit) {
      await isAsked(visit);
      await forgeToken(visit.anna.page);
      await logoutPage(visit.anna).accept.click();
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "sign-out, failed",
    status: 500,
    title: "logout.failed.title",
    problem: true,
    async reach(visit) {
      await beSignedIn(visit);
      await visit.anna.page.goto(`${visit.office.server.url}/oauth2/sessions/logout`);
      await withoutClients(visit.office, async () => {
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
    async reach({ anna, office }) {
      await anna.page.goto(`${office.server.url}/logout`);
    },
  },
  {
    name: "signed out",
    status: 200,
    title: "logout.accepted.title",
    async reach({ anna, office }) {
      await anna.page.goto(`${office.server.url}/logout/callback`);
    },
  },
  {
    name: "sign-out without a session",
    status: 200,
    title: "logout.noSession.title",
    async reach({ anna, office }) {
      await anna.page.goto(`${office.server.url}/oauth2/sessions/logout`);
    },
  },
  {
    name: "sign-out refused",
    status: 200,
    title: "logout.rejected.title",
    async reach(visit) {
      await isAsked(visit);
      await logoutPage(visit.anna).reject.click();
      await seesHeading(visit.anna, visit.anna.t("logout.rejected.heading"));
    },
  },
];
