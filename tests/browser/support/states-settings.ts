import { eq } from "drizzle-orm";
import { createSettingsToken, SETTINGS_LINK_SECONDS } from "#app/domain/access/token.server.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf } from "./pages.ts";
import { openSettings, openUnprovenSettings } from "./settings.ts";

const USERNAME = "/manage/credentials/username";

/** Opens an administrator's settings link in a browser without a session. */
async function openLink({ anna, installation, user, own }: Visit): Promise<void> {
  const { context, url } = installation.server;
  const grant = { userId: user.id, generation: 1, clientId: own.clientId, returnToUrl: `${own.url}/` };
  const link = { ...grant, authTime: null, sessionUid: null, lifeSeconds: SETTINGS_LINK_SECONDS };
  const t = await createSettingsToken(context, link);
  await anna.page.goto(`${url}/manage?${new URLSearchParams({ t })}`);
}

async function open(visit: Visit, path: string): Promise<void> {
  const { anna, installation, user } = visit;
  await openSettings(installation, anna, user);
  await anna.page.goto(installation.server.url + path);
}

export const settingsStates: readonly PageState[] = [
  page("settings, with a link back to the application", "manage.title", async (visit) => {
    await openLink(visit);
    await visit.anna.page.getByRole("button").click();
    await visit.anna.page.waitForURL(/\/manage$/);
  }),
  page("settings, change saved", "manage.title", (visit) => open(visit, "/manage?status=password-success")),
  page("settings, password set by mail, no recovery codes", "manage.title", async (visit) => {
    const { installation, user } = visit;
    const { q, t } = installation.server.context.store;
    const byLink = { passwordSetAt: new Date(), passwordSetHow: "link", passwordResetUnseen: true } as const;
    await q.update(t.users).set(byLink).where(eq(t.users.id, user.id));
    await giveTotp(installation.server, user);
    await open(visit, "/manage");
  }),
  page("settings, a provider was not connected", "manage.title", (visit) =>
    open(visit, "/manage?oauth-error=access_denied"),
  ),
  page("settings, confirmation before opening", "manageOpening.title", openLink),
  page("settings, confirmation of the user by the password", "manageConfirm.title", ({ anna, installation, user }) =>
    openUnprovenSettings(installation, anna, user, USERNAME),
  ),
  problem(
    "settings, confirmation of the user, the password wrong",
    400,
    "manageConfirm.title",
    async ({ anna, installation, user }) => {
      await openUnprovenSettings(installation, anna, user, USERNAME);
      await anna.page.getByLabel(anna.t("manageConfirm.password"), { exact: true }).fill("Not-My-Password-1");
      await anna.page.getByRole("button", { name: anna.t("common.continue"), exact: true }).click();
      await alertOf(anna.page).waitFor();
    },
  ),
  page(
    "settings, confirmation of the user by a new sign-in",
    "manageConfirm.title",
    async ({ anna, installation, user }) => {
      await giveTotp(installation.server, user);
      await openUnprovenSettings(installation, anna, user, "/manage/mfa/totp/remove");
    },
  ),
  {
    name: "settings, not open",
    status: 401,
    title: "manageError.title",
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/manage`);
    },
  },
  {
    name: "settings, not open, after a form",
    status: 401,
    title: "manageError.title",
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/manage/error/unauthorized?to=/manage/language&unsaved=yes`);
    },
  },
  {
    name: "settings, page not found",
    status: 404,
    title: "manageError.title",
    reach: (visit) => open(visit, "/manage/nothing"),
  },
  {
    name: "settings, an unknown error",
    status: 400,
    title: "manageError.title",
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/manage/error/${"x".repeat(100)}`);
    },
  },
];
