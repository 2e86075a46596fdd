import { findUserInfo } from "#app/domain/account/overview.server.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { dayText } from "#app/i18n/time-texts.server.ts";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import type { OwnCodesState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type RecoveryCodesPage = PageView<
  OwnCodesState,
  {
    /** True if the user has a second factor, which recovery codes can replace at sign-in. */
    isProtected: boolean;
    /** Number of unused codes, which new codes replace. */
    codesLeft: number;
    /** New codes, and the heading of the printed page and the saved file; null before they are created. */
    created: { codes: readonly string[]; title: string } | null;
  }
>;

export type RecoveryCodesResult = { codes?: readonly string[]; error?: OwnCodesState["error"] };

/** Loads the page that creates recovery codes, with new codes or the error of a rejected form. */
export async function loadRecoveryCodesPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { codes, error }: RecoveryCodesResult = {},
): Promise<RecoveryCodesPage> {
  const { store, config, clock } = context;
  const factors = await findFactors(store, settings.access.userId);
  const user = await findUserInfo(context, settings.access);
  const { t, language } = await settingsTexts(context, request);
  const date = dayText(clock.now(), { language, timeZone: config.timeZone });
  const { displayName: name = "", username = "" } = user ?? {};
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("recovery.heading"), error !== undefined),
    state: { ...(await settingsState(context, settings)), ...(error ? { error } : {}) },
    isProtected: hasFactor(factors),
    codesLeft: factors.recoveryCodesLeft,
    created: codes
      ? { codes, title: t("recovery.printTitle", { name, username, product: config.productName, date }) }
      : null,
  };
}
