import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { dayText } from "#app/i18n/time-texts.server.ts";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import type { OwnCodesState } from "#app/ui/page-state.ts";
import { type OwnCodesScreenProps, ownCodesTitle } from "./recovery-codes-page.tsx";

type CodesInput = { codes?: readonly string[]; error?: OwnCodesState["error"] };

/** The page that offers recovery codes, or shows those that were just made. */
export async function ownCodesView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { codes, error }: CodesInput = {},
): Promise<PageView<OwnCodesState, OwnCodesScreenProps>> {
  const { store, config, clock } = context;
  const factors = await findFactors(store, settings.access.userId);
  const user = await findUserInfo(context, settings.access);
  const { t, language } = await settingsTexts(context, request);
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const date = dayText(clock.now(), { language, timeZone: config.timeZone });
  const printed = { username: user?.username ?? "", product: config.productName, date };
  return {
    status: htmlStatus(error),
    title: ownCodesTitle(t, state),
    state,
    isProtected: hasFactor(factors),
    codesLeft: factors.recoveryCodesLeft,
    made: codes ? { codes, title: t("recovery.printTitle", printed) } : null,
  };
}
