import { eq } from "drizzle-orm";
import { addProviderUser, connect } from "#tests/http/external/providers.ts";
import type { ExternalVisit } from "./external-setup.ts";
import { forgeToken } from "./forge.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, seesHeading } from "./pages.ts";
import { actionOn, openSettings } from "./settings.ts";

/** The minimum of account data: Apple does not send a name. */
const NO_NAME = { name: null };

/** Connects Google and Apple, but not Microsoft. */
async function isConnected({ installation, upstream, user }: ExternalVisit): Promise<void> {
  const { google, apple } = upstream;
  const name = "anna-katharina.freifrau-von-wuerttemberg-hohenzollern@bestandsuebertragung.example";
  await connect(installation.server, google, addProviderUser(google), user.id, { name });
  await connect(installation.server, apple, addProviderUser(apple), user.id, NO_NAME);
}

async function opens(visit: ExternalVisit, path = "/manage"): Promise<void> {
  await openSettings(visit.installation, visit.anna, visit.user);
  if (path !== "/manage") await visit.anna.page.goto(visit.installation.server.url + path);
}

/** Presses the button of Google's row on the overview. */
async function connectsGoogle({ anna }: ExternalVisit): Promise<void> {
  await anna.page.getByRole("button", { name: actionOn(anna, "connect", "Google") }).click();
}

/** Presses the button on Google's own page. */
async function presses({ anna }: ExternalVisit, what: "connect" | "disconnect"): Promise<void> {
  await anna.page.getByRole("button", { name: anna.t(`manage.providers.${what}`, { provider: "Google" }) }).click();
}

const connecting = "manage.providers.connect";
const disconnecting = "manage.providers.confirm.heading";

export const externalSettingsStates: readonly PageState<ExternalVisit>[] = [
  page("settings, external accounts", "manage.title", async (visit) => {
    await isConnected(visit);
    await opens(visit);
  }),
  page("settings, external account of another user", "manage.title", async (visit) => {
    const { anna, installation, upstream } = visit;
    const eva = addProviderUser(upstream.google);
    await connect(installation.server, upstream.google, eva, (await installation.createUser()).id);
    await opens(visit);
    await connectsGoogle(visit);
    await anna.page.locator(`button[value="${eva.sub}"]`).click();
    await alertOf(anna.page).getByText(anna.t("manage.oauthError.inUse")).waitFor();
  }),
  page("connect an external account", connecting, (visit) => opens(visit, "/manage/oauth/google")),
  problem("connect an external account, form expired", 403, connecting, async (visit) => {
    await opens(visit, "/manage/oauth/google");
    await forgeToken(visit.anna.page);
    await presses(visit, "connect");
    await alertOf(visit.anna.page).waitFor();
  }),
  page("connect an external account, in progress", connecting, async (visit) => {
    const { anna } = visit;
    // Removes the automatic redirect to stay on the page.
    await anna.page.route("**/manage/oauth/google", async (route) => {
      const response = await route.fetch();
      const { refresh: _gone, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await opens(visit);
    await connectsGoogle(visit);
    await seesHeading(anna, anna.t("manage.providers.connecting", { provider: "Google" }));
  }),
  page("disconnect an external account", disconnecting, async (visit) => {
    await isConnected(visit);
    await opens(visit, "/manage/oauth/google");
  }),
  problem("disconnect an external account, the last sign-in method", 400, disconnecting, async (visit) => {
    const { anna, installation, upstream, user } = visit;
    const { q, t } = installation.server.context.store;
    await connect(installation.server, upstream.google, addProviderUser(upstream.google), user.id);
    await opens(visit, "/manage/oauth/google");
    await q.update(t.users).set({ passwordHash: null }).where(eq(t.users.id, user.id)).returning();
    await presses(visit, "disconnect");
    await alertOf(anna.page).waitFor();
  }),
];
