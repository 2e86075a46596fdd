import type { TFunction } from "i18next";
import type { AppContext } from "#app/context.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import type { Language } from "#app/i18n/language.ts";
import { exactTimeText } from "#app/i18n/time-texts.server.ts";
import type { ClientView } from "#app/oidc/client-view.server.ts";
import { SETTINGS_CLIENT_ID } from "#app/oidc/own-client.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";

/** What every page's loader and action give: the answer's status, the title and state that root.tsx writes, and the screen's props. */
export type PageView<State, Props> = { status: number; title: string; state: State } & Omit<Props, "state">;

/** The texts of the login area in the language of this request. */
export async function textsOf({ config }: Pick<AppContext, "config">, request: Request): Promise<TFunction> {
  const { language } = await detectLanguage(request, "login");
  return getInstance(language, config.productName).t;
}

/** Returns the texts of the settings in the language of this request. */
export async function settingsTexts(
  { config }: Pick<AppContext, "config">,
  request: Request,
): Promise<{ language: Language; t: TFunction }> {
  const { language } = await detectLanguage(request, "manage");
  return { language, t: getInstance(language, config.productName).t };
}

/** Returns the function that writes a moment for this request: in its language, and in the time zone of TIME_ZONE. */
export async function exactTimesOf(
  { config: { timeZone } }: Pick<AppContext, "config">,
  request: Request,
): Promise<(at: Date) => string> {
  const { language } = await detectLanguage(request, "login");
  return (at) => exactTimeText(at, { language, timeZone });
}

/** The application as the sheet's header shows it; null for the login settings, which are no other place. */
export function clientLabel(client: ClientView | null): ClientLabel | null {
  if (client?.id === SETTINGS_CLIENT_ID) return null;
  return client ? { name: client.name, host: client.host, uri: client.uri } : null;
}
