import type { TFunction } from "i18next";
import { findSettingsAccount } from "#app/domain/settings/account.server.ts";
import type { LoadContext } from "#app/edge/load-context.server.ts";
import type { Settings } from "#app/http/manage-session.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import type { Language } from "#app/i18n/language.ts";
import type { SettingsState } from "#app/screens/page-state.ts";

/** The language of the settings, which is the browser's own setting, and its texts. */
export async function settingsTexts(
  { config }: Pick<LoadContext, "config">,
  request: Request,
): Promise<{ language: Language; t: TFunction }> {
  const { language } = await detectLanguage(request, "manage");
  return { language, t: getInstance(language, config.productName).t };
}

/** What stands in `data-state` of every page of the settings; a page adds its own. */
export async function settingsState(context: LoadContext, { access, xsrf, token }: Settings): Promise<SettingsState> {
  const { userId, displayName, picture } = await findSettingsAccount(context, access);
  return {
    token,
    xsrf_token: xsrf,
    user_id: userId,
    display_name: displayName,
    picture,
    return_to_url: access.returnToUrl,
  };
}
