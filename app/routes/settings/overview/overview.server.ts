import type { Provider } from "#app/domain/external-account/providers.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import type { PageView } from "#app/http/page-data.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { whenText } from "#app/i18n/time-texts.server.ts";
import { requireOverview, settingsState, stateFromUrl, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { OverviewState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** A configured provider. `account`: null when none is connected; `name`: null when the provider sent none. */
export type ProviderAccount = { provider: Provider; account: { name: string | null } | null };

export type OverviewPage = PageView<
  OverviewState,
  {
    username: string;
    /** Time at which the password was set, as text; null without a password. */
    passwordSet: string | null;
    /** True if a mailed link set the password and the user has not acknowledged it. */
    passwordResetUnseen: boolean;
    /** True if a second factor is set up. */
    isProtected: boolean;
    /** True if the user has a second factor and no recovery code left. */
    lacksRecoveryCodes: boolean;
    providers: readonly ProviderAccount[];
  }
>;

/**
 * Loads the first page of the settings.
 * @throws a redirect to the error page when the access has ended since the guard checked it
 */
export async function loadOverviewPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
): Promise<OverviewPage> {
  const overview = await requireOverview(context, settings);
  const { username, passwordSetAt, passwordResetUnseen, isProtected, factors, accounts } = overview;
  const texts = await timeTexts(context, request);
  return {
    status: 200,
    title: pageTitle(texts.t, texts.t("manage.title")),
    state: {
      ...(await settingsState(context, settings)),
      ...stateFromUrl(request, "status"),
      ...stateFromUrl(request, "oauth-error"),
    },
    username,
    passwordSet: passwordSetAt && whenText(passwordSetAt, texts),
    passwordResetUnseen,
    isProtected,
    lacksRecoveryCodes: isProtected && factors.recoveryCodesLeft === 0,
    providers: context.upstream.providers.map((provider) => ({ provider, account: accounts[provider] })),
  };
}
