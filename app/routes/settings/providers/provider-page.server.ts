import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { findWayLeft } from "#app/domain/external-account/way-left.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { type ProviderScreenProps, providerTitle } from "./provider-page.tsx";

type Input = {
  provider: Provider;
  error?: "xsrf" | "last sign-in method";
  /** The address at the provider, when the person is about to go there. */
  away?: string;
};

/** The page of one provider in the settings. */
export async function providerView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { provider, error, away }: Input,
): Promise<PageView<SettingsFormState, ProviderScreenProps>> {
  const accounts = await listExternalAccounts(context.store, settings.access.userId);
  const isConnected = accounts[provider] !== undefined;
  const wayLeft = await findWayLeft(context, settings.access.userId, provider);
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  const title = providerTitle(t, { state, provider, isConnected });
  return { status: htmlStatus(error), title, state, provider, isConnected, wayLeft, away: away ?? null };
}
