import type { TFunction } from "i18next";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { type Settings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import type { Language } from "#app/i18n/language.ts";
import type { SettingsState } from "#app/ui/page-state.ts";

/** The language of the settings, which is the browser's own setting, and its texts. */
export async function settingsTexts(
  { config }: Pick<LoadContext, "config">,
  request: Request,
): Promise<{ language: Language; t: TFunction }> {
  const { language } = await detectLanguage(request, "manage");
  return { language, t: getInstance(language, config.productName).t };
}

/**
 * What stands in `data-state` of every page of the settings; a page adds its own.
 * @throws a redirect to the page that says so, where the access ended at this very moment
 */
export async function settingsState(context: LoadContext, { access, xsrf, token }: Settings): Promise<SettingsState> {
  const user = await findUserInfo(context, access);
  if (!user) throw redirect303(UNAUTHORIZED_URL);
  return {
    token,
    xsrf_token: xsrf,
    user_id: user.userId,
    display_name: user.displayName,
    picture: user.picture,
    return_to_url: user.returnToUrl,
  };
}
