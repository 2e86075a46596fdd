import { findOverview } from "#app/domain/settings/overview.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { type Settings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { whenText } from "#app/i18n/time-texts.server.ts";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import type { OverviewState } from "#app/ui/page-state.ts";
import { type OverviewScreenProps, overviewTitle } from "./overview-page.tsx";

/** A value from an address is shown, and kept, up to so many characters. */
const MAX_VALUE_LENGTH = 200;

/**
 * The first page of the settings.
 * @throws a redirect to the page that says so, where the access ended at this very moment
 */
export async function overviewView(
  context: LoadContext,
  request: Request,
  settings: Settings,
): Promise<PageView<OverviewState, OverviewScreenProps>> {
  const overview = await findOverview(context, settings.access);
  if (!overview) throw redirect303(UNAUTHORIZED_URL);
  const query = new URL(request.url).searchParams;
  const { t, language } = await settingsTexts(context, request);
  const { username, passwordSetAt, passwordResetUnseen, isProtected, factors, accounts } = overview;
  const time = { t, language, now: context.clock.now(), timeZone: context.config.timeZone };
  return {
    status: 200,
    title: overviewTitle(t),
    state: {
      ...(await settingsState(context, settings)),
      ...asked(query, "status"),
      ...asked(query, "oauth-error"),
    },
    username,
    passwordSet: passwordSetAt && whenText(passwordSetAt, time),
    passwordResetUnseen,
    isProtected,
    lacksRecoveryCodes: isProtected && factors.recoveryCodesLeft === 0,
    providers: context.upstream.providers.map((provider) => ({ provider, account: accounts[provider] })),
  };
}

function asked(query: URLSearchParams, name: "status" | "oauth-error") {
  const value = query.get(name);
  return value === null ? {} : { [name]: value.slice(0, MAX_VALUE_LENGTH) };
}
