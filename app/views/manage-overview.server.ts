import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { findSettingsAccount } from "#app/domain/settings/account.server.ts";
import type { LoadContext } from "#app/edge/load-context.server.ts";
import type { Settings } from "#app/http/manage-session.server.ts";
import { type OverviewScreenProps, overviewTitle } from "#app/screens/manage-overview.tsx";
import type { OverviewState } from "#app/screens/page-state.ts";
import { settingsState, settingsTexts } from "./manage.server.ts";
import type { PageView } from "./page-view.server.ts";
import { whenText } from "./when.server.ts";

/** The first page of the settings. */
export async function overviewView(
  context: LoadContext,
  request: Request,
  settings: Settings,
): Promise<PageView<OverviewState, OverviewScreenProps>> {
  const { access } = settings;
  const query = new URL(request.url).searchParams;
  const { t, language } = await settingsTexts(context, request);
  const { username, passwordSetAt } = await findSettingsAccount(context, access);
  const isProtected = hasFactor(await findFactors(context.store, access.userId));
  const now = context.clock.now();
  return {
    status: 200,
    title: overviewTitle(t),
    state: {
      ...(await settingsState(context, settings)),
      ...asked(query, "status"),
      ...asked(query, "oauth-error"),
    },
    username,
    passwordSet: passwordSetAt && whenText(passwordSetAt, { t, language, now, timeZone: context.config.timeZone }),
    isProtected,
    providers: [],
  };
}

function asked(query: URLSearchParams, name: "status" | "oauth-error") {
  const value = query.get(name);
  return value === null ? {} : { [name]: value.slice(0, 200) };
}
