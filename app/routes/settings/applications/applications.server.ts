import { listOwnConsents } from "#app/domain/consent/list.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import type { PageView } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { whenText } from "#app/i18n/time-texts.server.ts";
import { settingsState, stateFromUrl, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { OwnListState } from "#app/ui/page-state.ts";
import { distinctScopes, scopeName } from "#app/ui/scope-name.ts";
import { pageTitle } from "#app/ui/title.ts";

/** An application with the user's consent. The scopes are names: the browser does not load the texts of all scopes. */
export type Application = { clientId: string; name: string; scopes: readonly string[]; since: string };

export type ApplicationsPage = PageView<OwnListState, { applications: readonly Application[] }>;

/** Loads the applications that have the user's consent, with the error of a rejected form. */
export async function loadApplicationsPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<ApplicationsPage> {
  const texts = await timeTexts(context, request);
  const { t } = texts;
  const consents = await listOwnConsents(context, settings.access);
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("manageApplications.title"), error !== undefined),
    state: {
      ...(await settingsState(context, settings)),
      ...(error ? { error } : {}),
      ...stateFromUrl(request, "status"),
    },
    applications: consents.map(({ clientId, name, since, scopes }) => ({
      clientId,
      name,
      scopes: distinctScopes(t, scopes).map((scope) => scopeName(t, scope)),
      since: whenText(since, texts),
    })),
  };
}
