import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import { findRemainingMethod, type RemainingMethod } from "#app/domain/external-account/disconnect.server.ts";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type ProviderPage = PageView<
  SettingsFormState,
  {
    provider: Provider;
    isConnected: boolean;
    /** Sign-in method that remains without the account at this provider. */
    remainingMethod: RemainingMethod;
    /** URL at the provider to which the page redirects; null before the user connects an account. */
    authorizationUrl: string | null;
  }
>;

export type ProviderPageInput = {
  provider: Provider;
  error?: "xsrf" | "last sign-in method";
  authorizationUrl?: string;
};

/** Loads the page that connects or disconnects the user's account at a provider. */
export async function loadProviderPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { provider, error, authorizationUrl }: ProviderPageInput,
): Promise<ProviderPage> {
  const { userId } = settings.access;
  const accounts = await listExternalAccounts(context.store, userId);
  const isConnected = accounts[provider] !== undefined;
  const remainingMethod = await findRemainingMethod(context, userId, provider);
  const { t } = await settingsTexts(context, request);
  const heading = isConnected ? "manage.providers.confirm.heading" : "manage.providers.connect";
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t(heading, { provider: PROVIDER_NAMES[provider] }), error !== undefined),
    state: { ...(await settingsState(context, settings)), ...(error ? { error } : {}) },
    provider,
    isConnected,
    remainingMethod,
    authorizationUrl: authorizationUrl ?? null,
  };
}
